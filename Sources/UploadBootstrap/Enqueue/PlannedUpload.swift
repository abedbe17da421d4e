import Foundation
import Uploads

/// One upload that is to be enqueued: checked, and not yet begun.
struct PlannedUpload: Hashable {
    /// As the user named or would name it; `-` is standard input.
    var path: String
    var destination: DestinationReference
    /// Bytes; nil for standard input.
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

    var isStandardInput: Bool { size == nil }

    /// Whether it rides inside its message.
    var isInline: Bool { size.map { $0 <= SourceReference.inlineBytesMaximum } ?? false }
}
