/// A file that a session uploads.
public struct TransferFile: Sendable {
    public var content: UploadContent
    /// The target path, relative to the root of the account's destination: `2026/11/cat.jpg`.
    public var path: String
    /// A media type; nil: derived from the content's name, else from ``path``.
    public var contentType: String?
    public var info: UploadInfo

    public init(_ content: UploadContent, to path: String, contentType: String? = nil, info: UploadInfo = UploadInfo())
    {
        self.content = content
        self.path = path
        self.contentType = contentType
        self.info = info
    }
}
