/// A job's properties for its object besides the content type. Destinations that know them store them, others ignore
/// them.
///
/// The first four are HTTP's own fields and go to every destination that speaks HTTP; storage class and tags are S3's.
public struct ObjectProperties: Hashable, Sendable {
    /// `Cache-Control` (RFC 9111, section 5.2).
    public var cacheControl: String?
    /// `Content-Disposition` (RFC 6266).
    public var contentDisposition: String?
    /// `Content-Encoding` (RFC 9110, section 8.4): how the file already is encoded; nothing is encoded on the way.
    public var contentEncoding: String?
    /// `Content-Language` (RFC 9110, section 8.5).
    public var contentLanguage: String?
    /// S3's storage class: `STANDARD_IA`, `GLACIER` …
    public var storageClass: String?
    /// S3's object tags, at most ``tagCountMaximum``.
    public var tags: [String: String]

    public init(
        cacheControl: String? = nil, contentDisposition: String? = nil, contentEncoding: String? = nil,
        contentLanguage: String? = nil, storageClass: String? = nil, tags: [String: String] = [:]
    ) {
        self.cacheControl = cacheControl
        self.contentDisposition = contentDisposition
        self.contentEncoding = contentEncoding
        self.contentLanguage = contentLanguage
        self.storageClass = storageClass
        self.tags = tags
    }

    public var isEmpty: Bool { self == ObjectProperties() }

    /// The header fields that every HTTP destination understands, names in lower case, in a fixed order.
    public var headers: [(name: String, value: String)] {
        [
            ("cache-control", cacheControl), ("content-disposition", contentDisposition),
            ("content-encoding", contentEncoding), ("content-language", contentLanguage),
        ]
        .compactMap { name, value in value.map { (name, $0) } }
    }

    /// These properties, and the others where these are nil; tags of both.
    public func merging(over others: ObjectProperties) -> ObjectProperties {
        ObjectProperties(
            cacheControl: cacheControl ?? others.cacheControl,
            contentDisposition: contentDisposition ?? others.contentDisposition,
            contentEncoding: contentEncoding ?? others.contentEncoding,
            contentLanguage: contentLanguage ?? others.contentLanguage,
            storageClass: storageClass ?? others.storageClass, tags: others.tags.merging(tags) { $1 })
    }
}

/// Fields that are nil are left out.
extension ObjectProperties: Codable {
    private enum Key: String, CodingKey {
        case cacheControl, contentDisposition, contentEncoding, contentLanguage, storageClass, tags
    }

    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: Key.self)
        func text(_ key: Key) throws -> String? {
            try container.decodeTextIfPresent(atMost: Self.headerBytesMaximum, forKey: key)
        }
        self.init(
            cacheControl: try text(.cacheControl),
            contentDisposition: try text(.contentDisposition),
            contentEncoding: try text(.contentEncoding),
            contentLanguage: try text(.contentLanguage),
            storageClass: try text(.storageClass),
            tags: try container.decodeIfPresent([String: String].self, forKey: .tags) ?? [:])
        guard tags.count <= Self.tagCountMaximum else {
            throw DecodingError.dataCorruptedError(
                forKey: .tags, in: container,
                debugDescription: "\(tags.count) are too many: at most \(Self.tagCountMaximum) are allowed")
        }
        guard tags.allSatisfy(Self.isShort) else {
            throw DecodingError.dataCorruptedError(
                forKey: .tags, in: container,
                debugDescription: """
                    a name has 1 to \(Self.tagKeyCharactersMaximum) characters, a value at most \(Self.tagValueCharactersMaximum)
                    """)
        }
    }

    private static func isShort(_ key: String, _ value: String) -> Bool {
        (1...tagKeyCharactersMaximum).contains(key.unicodeScalars.count)
            && value.unicodeScalars.count <= tagValueCharactersMaximum
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: Key.self)
        try container.encodeIfPresent(cacheControl, forKey: .cacheControl)
        try container.encodeIfPresent(contentDisposition, forKey: .contentDisposition)
        try container.encodeIfPresent(contentEncoding, forKey: .contentEncoding)
        try container.encodeIfPresent(contentLanguage, forKey: .contentLanguage)
        try container.encodeIfPresent(storageClass, forKey: .storageClass)
        if !tags.isEmpty { try container.encode(tags, forKey: .tags) }
    }
}
