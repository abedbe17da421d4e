import Foundation
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
