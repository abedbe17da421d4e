import Foundation
import Uploads

/// Which files go where, in their order: checked, and nothing begun. It is read as often as it takes, and never all of it is in memory.
struct EnqueuePlan: Sendable {
    let request: EnqueueRequest
    /// How many uploads there are.
    let count: Int
    /// Whether bytes have to be copied into the staging area.
    let isStaged: Bool
    /// Whether there are idempotency keys.
    let isKeyed: Bool
    /// Today, as keys have it: 2026-11-22.
    let day: String
    let file: PlanFile

    func upload(at position: Int) throws(UploadError) -> PlannedUpload {
        let row = try file.row(at: position)
        let wishes = row.wishes == 0 ? request.wishes : try file.wishes(row.wishes)
        return PlannedUpload(
            id: row.id, path: row.path, content: row.content,
            place: try request.destination.place(of: row.key, metadata: wishes.metadata, day: day), size: row.size,
            contentType: row.contentType, wishes: wishes)
    }

    /// How an upload is called in messages; its number where the plan cannot be read.
    func name(at position: Int) -> String {
        do throws(UploadError) { return try file.row(at: position).path.description } catch {
            return "#\(position + 1)"
        }
    }
}

extension EnqueueRequest {
    /// What the command line says of all uploads.
    var wishes: UploadWishes {
        UploadWishes(
            metadata: metadata, properties: properties, ifExists: ifExists, verify: verify, schedule: schedule,
            batch: batch,
            idempotencyKey: idempotencyKey)
    }
}
