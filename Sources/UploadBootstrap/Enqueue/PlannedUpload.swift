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

    /// As the user named or would name it; `-` is standard input.
    var path: String
    var content = Content.file
    var place: PlannedPlace
    /// Bytes; nil for standard input and what lies at a destination.
    var size: Int64?
    var modifiedAt: Date?
    var contentType: String
    var metadata: [String: String]
    var properties = ObjectProperties()
    var ifExists = IfExists.replace
    var verify = false
    var schedule = EnqueueSchedule()
    var batch: String?
    var idempotencyKey: String?

    var destination: DestinationReference { place.reference }

    /// Whether it rides inside its message.
    var isInline: Bool { size.map { $0 <= SourceReference.inlineBytesMaximum } ?? false }

    /// Whether nothing of it is copied.
    var isElsewhere: Bool { if case .object = content { true } else { false } }
}
