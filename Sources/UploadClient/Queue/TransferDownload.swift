public import Uploads

/// A file that a session is to fetch: a worker reads it where the account's destination is, and writes it elsewhere.
public struct TransferDownload: Hashable, Sendable {
    /// Where it lies, relative to the root of the account's destination: `2026/11/cat.jpg`.
    public var path: String
    /// Where it goes: a `file:` URL as the workers see it, or whatever else they write to.
    public var destination: DestinationReference
    /// A media type; nil follows from ``path``, else from where it goes, else from what the account's destination says.
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
    /// - Throws: `misconfigured` when that names no object.
    public init(
        _ path: String, to destination: String, contentType: String? = nil, info: UploadInfo = UploadInfo()
    ) throws(UploadError) {
        self.init(path, to: try DestinationReference(destination), contentType: contentType, info: info)
    }
}
