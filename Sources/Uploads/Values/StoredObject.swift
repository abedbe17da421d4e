/// The object that is at the destination after an upload.
///
/// Most fields hold a server's words, which may be anything: a value that no message may carry is cut or left out when
/// it is set, so that every reader of the message can read the object.
public struct StoredObject: Codable, Hashable, Sendable {
    /// Where: a path or a URL without its query, cut to ``WireLimits/pathLengthMaximum``.
    public var location: String { didSet { location = location.codePointPrefix(WireLimits.pathLengthMaximum) } }
    /// nil also for a tag of more than ``WireLimits/nameLengthMaximum`` characters, because a cut tag would match
    /// nothing.
    public var etag: String? { didSet { etag = Self.name(etag) } }
    /// nil also for a version of more characters.
    public var version: String? { didSet { version = Self.name(version) } }
    /// Bytes; a larger number than ``WireLimits/sizeMaximum`` is cut to that, and a negative one is no size.
    public var size: Int64? { didSet { size = Self.bounded(size) } }
    public var digests: Digests
    /// Whether the key has a newer job's object, so that this job's was not written over it.
    public var isOvertaken: Bool
    /// Whether the object existed before and was kept, because the job said so (``IfExists/skip``): nothing was
    /// written.
    public var isKept: Bool
    /// Whether the destination's server copied it from the source object, so that no worker carried its bytes: as far as the worker knows
    /// that completed the upload.
    public var isServerSideCopy: Bool
    /// What has proved that it matches the source; nil if there is only the destination's word that it took the bytes.
    public var verified: Proof?

    /// How an object was proved to match the source.
    public enum Proof: String, Codable, CaseIterable, Sendable {
        /// It was read back from the destination and compared (``UploadJob/verify``).
        case readBack
        /// The destination stated a checksum of what it has stored, and it is that of the file.
        case checksum
        /// The destination stated an ETag, and it is the MD5 of the bytes that were sent.
        case etag
    }

    public init(
        location: String, etag: String? = nil, version: String? = nil, size: Int64? = nil,
        digests: Digests = Digests(), isOvertaken: Bool = false, isKept: Bool = false,
        isServerSideCopy: Bool = false, verified: Proof? = nil
    ) {
        self.location = location.codePointPrefix(WireLimits.pathLengthMaximum)
        self.etag = Self.name(etag)
        self.version = Self.name(version)
        self.size = Self.bounded(size)
        self.digests = digests
        self.isOvertaken = isOvertaken
        self.isKept = isKept
        self.isServerSideCopy = isServerSideCopy
        self.verified = verified
    }

    /// Whether it was made of the job's bytes.
    var isMade: Bool { !isKept && !isOvertaken }

    /// Whether an ETag or a version distinguishes it from a later object.
    public var hasValidator: Bool { etag != nil || version != nil }

    private static func bounded(_ size: Int64?) -> Int64? {
        size.flatMap { $0 < 0 ? nil : min($0, WireLimits.sizeMaximum) }
    }

    private static func name(_ text: String?) -> String? {
        text.flatMap { $0.unicodeScalars.count > WireLimits.nameLengthMaximum ? nil : $0 }
    }

    /// Earlier versions wrote no `isKept` and no `isServerSideCopy`.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        self.init(
            location: try container.decodeText(atMost: WireLimits.pathLengthMaximum, forKey: .location),
            etag: try container.decodeTextIfPresent(atMost: WireLimits.nameLengthMaximum, forKey: .etag),
            version: try container.decodeTextIfPresent(atMost: WireLimits.nameLengthMaximum, forKey: .version),
            size: try container.decodeIfPresent(0...WireLimits.sizeMaximum, forKey: .size),
            digests: try container.decodeIfPresent(Digests.self, forKey: .digests) ?? Digests(),
            isOvertaken: try container.decodeIfPresent(Bool.self, forKey: .isOvertaken) ?? false,
            isKept: try container.decodeIfPresent(Bool.self, forKey: .isKept) ?? false,
            isServerSideCopy: try container.decodeIfPresent(Bool.self, forKey: .isServerSideCopy) ?? false,
            // A proof that only a later version knows is left out, and is no reason to refuse the message.
            verified: try container.decodeTextIfPresent(atMost: WireLimits.nameLengthMaximum, forKey: .verified)
                .flatMap(Proof.init(rawValue:)))
    }
}
