/// What lies at the destination after an upload.
public struct StoredObject: Codable, Hashable, Sendable {
    /// Where: a path or a URL without its query.
    public var location: String
    public var etag: String?
    public var version: String?
    /// Bytes.
    public var size: Int64?
    public var digests: Digests
    /// Whether a newer job's object lies there, so that this job's was not written over it.
    public var isOvertaken: Bool

    public init(
        location: String, etag: String? = nil, version: String? = nil, size: Int64? = nil,
        digests: Digests = Digests(), isOvertaken: Bool = false
    ) {
        self.location = location
        self.etag = etag
        self.version = version
        self.size = size
        self.digests = digests
        self.isOvertaken = isOvertaken
    }
}
