import Foundation
import Uploads

/// The uploads of a command in their order: all checked, none begun. The plan can be read any number of times and is never in memory as
/// a whole.
struct EnqueuePlan: Sendable {
    let request: EnqueueRequest
    /// The number of uploads.
    var count: Int
    /// Whether any upload needs a copy in the staging area.
    let isStaged: Bool
    /// Whether any upload has an idempotency key.
    let isKeyed: Bool
    /// The day that `{date}` in a key stands for, as in 2026-11-22.
    let day: String
    let file: PlanFile
    /// The error of the files that `--skip-errors` left out; nil if there was none.
    var skipped: ProgramError?
    /// The files that `--changed` left out, because the destination has them.
    var unchangedCount = 0

    func upload(at position: Int) throws(UploadError) -> PlannedUpload {
        let row = try file.row(at: position)
        let wishes = row.wishes == 0 ? request.wishes : try file.wishes(row.wishes)
        return PlannedUpload(
            id: row.id, path: row.path, content: row.content,
            place: try request.destination.place(of: row.key, metadata: wishes.metadata, day: day), size: row.size,
            contentType: row.contentType, wishes: wishes)
    }

    /// `3 uploads of 12.4 MiB`, without the bytes of standard input and of objects that lie elsewhere.
    var total: String {
        get throws(UploadError) {
            "\(count) \(count == 1 ? "upload" : "uploads") of \(Quantity.text(bytes: try file.bytesTotal()))"
        }
    }

    /// `; 12 files are there already`; empty without `--changed`.
    var unchangedText: String {
        guard request.changed != nil else { return "" }
        return unchangedCount == 1 ? "; 1 file is there already" : "; \(unchangedCount) files are there already"
    }

    /// The upload's path for messages, or its number if the plan cannot be read.
    func name(at position: Int) -> String {
        do throws(UploadError) { return try file.row(at: position).path.description } catch {
            return "#\(position + 1)"
        }
    }
}

extension EnqueueRequest {
    /// What the command line asks for all uploads; an entry of a manifest may override it for its own files.
    var wishes: UploadWishes {
        UploadWishes(
            metadata: metadata, properties: properties, ifExists: ifExists, verify: verify, schedule: schedule,
            batch: batch,
            idempotencyKey: idempotencyKey)
    }
}
