public import Foundation
public import Uploads

/// An upload to start: its content and its destination.
public struct Upload: Sendable {
    public var content: UploadContent
    public var destination: DestinationReference
    /// A media type; nil: derived from the content's name, else from the destination's key, else
    /// `application/octet-stream`.
    public var contentType: String?
    public var info: UploadInfo
    /// The transfer queue.
    public var queue = QueueName.standard
    /// `urgent`, `normal` or `bulk`.
    public var priority = Lane.normal
    public var properties = ObjectProperties()
    /// What to do with a different object that the destination already has.
    public var ifExists = IfExists.replace
    /// Whether the object is read back and compared before the upload counts as completed.
    public var verify = false
    /// Whether the SHA-256 of the bytes is computed too, as a second digest beside their CRC-64/NVME; the outcome has it.
    public var sha256 = false
    public var batch: String?
    /// Uploads with the same key are one upload.
    public var idempotencyKey: String?
    /// nil: the destination's policy, else the standard policy.
    public var retry: RetryPolicy?
    /// The upload does not start before this time.
    public var notBefore: Date?
    /// The upload fails after this time.
    public var expiresAt: Date?
    /// The position in the queue's serial line; nil: the upload is in none.
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
    /// - Throws: `misconfigured` when the destination names no object.
    public init(
        _ content: UploadContent, to destination: String, contentType: String? = nil, info: UploadInfo = UploadInfo()
    ) throws(UploadError) {
        self.init(content, to: try DestinationReference(destination), contentType: contentType, info: info)
    }
}
