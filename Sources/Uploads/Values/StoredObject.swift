/// What lies at the destination after an upload.
public struct StoredObject: Codable, Hashable, Sendable {
    /// Where: a path or a URL without its query.
    public var location: String
    public var etag: String?
    public var version: String?
    /// Bytes; what a server says beyond ``WireLimits/sizeMaximum`` is taken for that.
    public var size: Int64?
    public var digests: Digests
    /// Whether a newer job's object lies there, so that this job's was not written over it.
    public var isOvertaken: Bool
    /// Whether it lay there before and was kept, because the job said so (``IfExists/skip``): nothing was written.
    public var isKept: Bool
    /// Whether it was read back from the destination and is what was enqueued (``UploadJob/verify``).
    public var isVerified: Bool

    public init(
        location: String, etag: String? = nil, version: String? = nil, size: Int64? = nil,
        digests: Digests = Digests(), isOvertaken: Bool = false, isKept: Bool = false,
        isVerified: Bool = false
    ) {
        self.location = location
        self.etag = etag
        self.version = version
        self.size = size.map { min($0, WireLimits.sizeMaximum) }
        self.digests = digests
        self.isOvertaken = isOvertaken
        self.isKept = isKept
        self.isVerified = isVerified
    }

    /// What an earlier version wrote knows neither `isKept` nor `isVerified`.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        self.init(
            location: try container.decode(String.self, forKey: .location),
            etag: try container.decodeIfPresent(String.self, forKey: .etag),
            version: try container.decodeIfPresent(String.self, forKey: .version),
            size: try container.decodeIfPresent(0...WireLimits.sizeMaximum, forKey: .size),
            digests: try container.decodeIfPresent(Digests.self, forKey: .digests) ?? Digests(),
            isOvertaken: try container.decodeIfPresent(Bool.self, forKey: .isOvertaken) ?? false,
            isKept: try container.decodeIfPresent(Bool.self, forKey: .isKept) ?? false,
            isVerified: try container.decodeIfPresent(Bool.self, forKey: .isVerified) ?? false)
    }
}
