import Foundation
import UploadSources
import Uploads

/// One upload that is to be enqueued: checked, and not yet begun.
struct PlannedUpload: Hashable {
    /// Where its bytes are.
    enum Content: Hashable {
        case file
        case standardInput
        case data(Data)
        case object(DestinationReference)
    }

    /// The job's, unless an idempotency key gives it another. Ids are in the order of the plan.
    var id = JobID()
    /// As the user named or would name it; `-` is standard input.
    var path: FilePath
    var content = Content.file
    var place: PlannedPlace
    /// Bytes; nil for standard input and what lies at a destination.
    var size: Int64?
    var contentType: String
    var wishes = UploadWishes()

    var destination: DestinationReference { place.reference }

    /// Whether it rides inside its message.
    var isInline: Bool { size.map { $0 <= SourceReference.inlineBytesMaximum } ?? false }

    /// Whether nothing of it is copied.
    var isElsewhere: Bool { if case .object = content { true } else { false } }

    /// Whether it is read only when its job is published: thousands of small files are never in memory at once.
    var isReadLater: Bool { isInline && content == .file && wishes.idempotencyKey == nil }
}

/// Where an upload goes, as far as that is known before its bytes are read.
enum PlannedPlace: Hashable {
    case known(DestinationReference)
    /// The key has `{sha256}` in it, and nothing else that is not known.
    case byDigest(DestinationName, TextTemplate)

    /// For people, and until the bytes are known.
    var reference: DestinationReference { reference(sha256: "{sha256}") }

    /// - Parameter digests: of the bytes; those without SHA-256 change nothing.
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

/// What the command line, or a line of a manifest over it, says of uploads besides where they come from and go.
struct UploadWishes: Hashable, Codable, Sendable {
    var metadata: [String: String] = [:]
    var properties = ObjectProperties()
    var ifExists = IfExists.replace
    var verify = false
    var schedule = EnqueueSchedule()
    var batch: String?
    var idempotencyKey: String?
}

/// An upload whose bytes are where a worker finds them.
struct MadeUpload: Codable, Hashable, Sendable {
    var source: SourceReference
    /// Bytes.
    var size: Int64
    var digests: Digests
    var enqueuedAt: Date

    init(_ staged: StagedFile, at now: Date = Date()) {
        source = staged.reference
        size = staged.size
        digests = staged.digests
        enqueuedAt = now
    }
}

/// New ids, each greater than the one before: ids of one millisecond are in no order, so they are made in sorted blocks, each of a
/// millisecond of its own.
struct SortedIDs {
    /// Ids that are made at once.
    static let blockCount = 512

    private var block: [JobID] = []
    private var time = Date.distantPast

    mutating func next(now: Date = Date()) -> JobID {
        if block.isEmpty {
            // Ids have whole milliseconds. A clock that was set back changes nothing.
            time = max(now, time + 0.002)
            block = (0..<Self.blockCount).map { _ in JobID(now: time) }.sorted(by: >)
        }
        return block.removeLast()
    }
}
