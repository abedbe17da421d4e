import Foundation
import UploadSources
import Uploads

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
