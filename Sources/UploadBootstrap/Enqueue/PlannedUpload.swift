import Foundation
import UploadSources
import Uploads

/// One upload of a plan: checked, and not yet begun.
struct PlannedUpload: Hashable {
    /// Where its bytes are.
    enum Content: Hashable {
        case file
        case standardInput
        case data(Data)
        case object(DestinationReference)
    }

    /// The job's id, unless an idempotency key gives the job another one. Ids are in the order of the plan.
    var id = JobID()
    /// The path as the user named it, or would name it for a file of a directory; `-` is standard input.
    var path: FilePath
    var content = Content.file
    var place: PlannedPlace
    /// The size in bytes; nil for standard input and an object at a destination.
    var size: Int64?
    var contentType: String
    var wishes = UploadWishes()

    var destination: DestinationReference { place.reference }

    /// Whether the job's message carries the bytes.
    var isInline: Bool { size.map { $0 <= SourceReference.inlineBytesMaximum } ?? false }

    /// Whether it is an object at a destination or URL, of which no copy is made here.
    var isElsewhere: Bool { if case .object = content { true } else { false } }

    /// When its bytes are read.
    enum Reading: Int {
        /// Before its job is published, group after group.
        case before
        /// Into a copy that grows while its job is under way.
        case whilePublished
        /// When its message is made, so that thousands of small files are never in memory at once.
        case whenPublished
    }

    /// - Parameter request: what the command line asks for all uploads.
    func reading(for request: EnqueueRequest) -> Reading {
        // A key that was used before for other bytes is known by their digests.
        guard content == .file, wishes.idempotencyKey == nil else { return .before }
        if isInline { return .whenPublished }
        let isLarge = size.map { $0 > GrowingCopy.bytesMinimum } ?? false
        return isLarge && request.stages && !request.sha256 && !place.needsSHA256 ? .whilePublished : .before
    }
}

/// The destination of an upload, as far as it is known before the bytes are read.
enum PlannedPlace: Hashable {
    case known(DestinationReference)
    /// The key still has the placeholder `{sha256}`, and no other.
    case byDigest(DestinationName, TextTemplate)

    /// Whether the SHA-256 of the bytes is a part of the key.
    var needsSHA256: Bool { if case .byDigest = self { true } else { false } }

    /// The reference for messages, with `{sha256}` unfilled.
    var reference: DestinationReference { reference(sha256: "{sha256}") }

    /// The reference for known bytes.
    /// - Parameter digests: the digests of the bytes; without SHA-256 the placeholder stays.
    func reference(of digests: Digests) -> DestinationReference {
        digests.sha256.map(reference(sha256:)) ?? reference
    }

    private func reference(sha256: String) -> DestinationReference {
        switch self {
        case .known(let reference): reference
        case .byDigest(let name, let key): .named(name, key: key.filled { _ in sha256 } ?? "")
        }
    }
}

/// The fields of an upload besides its source and destination, from the command line or, overriding it, a manifest's line.
struct UploadWishes: Hashable, Codable, Sendable {
    var metadata: [String: String] = [:]
    var properties = ObjectProperties()
    var ifExists = IfExists.replace
    var verify = false
    var schedule = EnqueueSchedule()
    var batch: String?
    var idempotencyKey: String?
}

/// The source of an upload whose bytes are ready for workers.
struct MadeUpload: Codable, Hashable, Sendable {
    var source: SourceReference
    /// Bytes.
    var size: Int64
    var digests: Digests
    /// What the bytes were taken of, if it is a file.
    var original: FileIdentity?
    var enqueuedAt: Date

    init(_ staged: StagedFile, at now: Date) {
        source = staged.reference
        size = staged.size
        digests = staged.digests
        original = staged.original
        enqueuedAt = now
    }
}

/// Makes new ids, each greater than the one before. Ids of the same millisecond have no order, so this makes them in sorted blocks, each
/// in a millisecond of its own.
struct SortedIDs {
    /// The ids that are made at once.
    static let blockCount = 512

    private var block: [JobID] = []
    private var time = Date.distantPast

    mutating func next(now: Date = Date()) -> JobID {
        if block.isEmpty {
            // An id holds whole milliseconds. If the clock is set back, the time here still advances.
            time = max(now, time + 0.002)
            block = (0..<Self.blockCount).map { _ in JobID(now: time) }.sorted(by: >)
        }
        return block.removeLast()
    }
}
