public import Uploads

/// A file that a session fetches: a worker reads it at the account's destination, and writes it elsewhere.
public struct TransferDownload: Hashable, Sendable {
    /// The file's path, relative to the root of the account's destination: `2026/11/cat.jpg`.
    public var path: String
    /// The target: a `file:` URL as the workers see it, or any other destination that they can write to.
    public var destination: DestinationReference
    /// A media type; nil: derived from ``path``, else from the target's name, else from the answer of the account's
    /// destination.
    public var contentType: String?
    public var info: UploadInfo

    public init(
        _ path: String, to destination: DestinationReference, contentType: String? = nil,
        info: UploadInfo = UploadInfo()
    ) {
        self.path = path
        self.destination = destination
        self.contentType = contentType
        self.info = info
    }

    /// - Parameter destination: `file:///srv/in/cat.jpg` or `photos:2026/11/cat.jpg`.
    /// - Throws: `misconfigured` when the destination names no object.
    public init(
        _ path: String, to destination: String, contentType: String? = nil, info: UploadInfo = UploadInfo()
    ) throws(UploadError) {
        self.init(path, to: try DestinationReference(destination), contentType: contentType, info: info)
    }
}
