public import Foundation
public import Uploads

/// An upload that is to be started: what goes where.
public struct Upload: Sendable {
    public var content: UploadContent
    public var destination: DestinationReference
    /// A media type; nil follows from the content's name, else from the destination's key, `application/octet-stream`
    /// where neither tells.
    public var contentType: String?
    public var info: UploadInfo
    /// The transfer queue.
    public var queue = QueueName.standard
    /// `urgent`, `normal` or `bulk`.
    public var priority = Lane.normal
    public var properties = ObjectProperties()
    /// What becomes of something else that lies at the destination already.
    public var ifExists = IfExists.replace
    /// Whether the object is read back and compared before the upload counts as completed.
    public var verify = false
    public var batch: String?
    /// Uploads with the same key are one upload.
    public var idempotencyKey: String?
    /// nil: what the destination says, else the usual policy.
    public var retry: RetryPolicy?
    /// Not started before this time.
    public var notBefore: Date?
    /// Given up after this time.
    public var expiresAt: Date?
    /// Its place in the serial line of the queue; nil: in none.
    var serial: SerialPosition?

    public init(
        _ content: UploadContent, to destination: DestinationReference, contentType: String? = nil,
        info: UploadInfo = UploadInfo()
    ) {
        self.content = content
        self.destination = destination
        self.contentType = contentType
        self.info = info
    }

    /// - Parameter destination: `photos:2026/11/cat.jpg` or a URL.
    /// - Throws: `misconfigured` when that names no object.
    public init(
        _ content: UploadContent, to destination: String, contentType: String? = nil, info: UploadInfo = UploadInfo()
    ) throws(UploadError) {
        self.init(content, to: try DestinationReference(destination), contentType: contentType, info: info)
    }
}
