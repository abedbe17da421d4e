// Checks by which a producer refuses a job before it is published: a destination would refuse it only later.
extension ObjectProperties {
    /// The most bytes of a header's value.
    public static let headerBytesMaximum = 1024
    /// S3's limits for tags ("Categorizing your storage using tags"): how many, and characters of key and value.
    public static let tagCountMaximum = 10
    public static let tagKeyCharactersMaximum = 128
    public static let tagValueCharactersMaximum = 256
    /// The most bytes of a job's metadata, keys and values together. Destinations may take less: S3 takes 2048.
    public static let metadataBytesMaximum = 8192

    /// Why a text cannot be a header's value; nil if it can. Allowed is printable ASCII (RFC 9110, section 5.5; others
    /// belong in forms such as `filename*=UTF-8''…`), no space at either end, at most ``headerBytesMaximum``.
    public static func problem(headerValue value: String) -> String? {
        if value.isEmpty { return "it is empty" }
        if value.utf8.count > headerBytesMaximum { return "it is longer than \(headerBytesMaximum) bytes" }
        guard value.utf8.allSatisfy({ (0x20...0x7E).contains($0) }) else {
            return "it has characters that are not printable ASCII"
        }
        return value.hasPrefix(" ") || value.hasSuffix(" ") ? "it begins or ends with a space" : nil
    }

    /// The problems of these properties, each with the field's name and the allowed values.
    public var problems: [String] {
        var problems =
            ([
                ("cacheControl", cacheControl), ("contentDisposition", contentDisposition),
                ("contentEncoding", contentEncoding), ("contentLanguage", contentLanguage),
                ("storageClass", storageClass),
            ] as [(String, String?)])
            .compactMap { name, value in value.flatMap(Self.problem(headerValue:)).map { "\(name): \($0)" } }
        if tags.count > Self.tagCountMaximum {
            problems.append("tags: \(tags.count) are too many; at most \(Self.tagCountMaximum) are allowed")
        }
        for (key, value) in tags.sorted(by: { $0.key < $1.key }) {
            if !(1...Self.tagKeyCharactersMaximum).contains(key.unicodeScalars.count) {
                problems.append(
                    "tag '\(Self.shown(key))': a key has 1 to \(Self.tagKeyCharactersMaximum) characters")
            }
            if value.unicodeScalars.count > Self.tagValueCharactersMaximum {
                problems.append(
                    "tag '\(Self.shown(key))': a value has at most \(Self.tagValueCharactersMaximum) characters")
            }
            if (key + value).unicodeScalars.contains(where: \.isControl) {
                problems.append("tag '\(Self.shown(key))': it has a control character")
            }
        }
        return problems
    }

    /// The problems of metadata: its keys become header names, whose case does not count, and its values header values
    /// or encoded words.
    public static func problems(metadata: [String: String]) -> [String] {
        var problems: [String] = []
        var bytes = 0
        var seen: [String: String] = [:]
        for (key, value) in metadata.sorted(by: { $0.key < $1.key }) {
            bytes += key.utf8.count + value.utf8.count
            let shown = shown(key)
            if key.isEmpty || !key.utf8.allSatisfy(isKeyByte) {
                problems.append("metadata '\(shown)': a key has letters, digits, '-', '_' and '.' of ASCII only")
            }
            if let other = seen.updateValue(key, forKey: key.lowercased()) {
                problems.append("metadata '\(shown)': it differs from '\(other)' only in case")
            }
            if value.unicodeScalars.contains(where: \.isControl) {
                problems.append("metadata '\(shown)': its value has a control character, perhaps a line break")
            }
        }
        if bytes > metadataBytesMaximum {
            problems.append("metadata: \(bytes) bytes are too many; at most \(metadataBytesMaximum) are allowed")
        }
        return problems
    }

    private static func shown(_ key: String) -> String {
        String(String.UnicodeScalarView(key.unicodeScalars.filter { !$0.isControl }.prefix(40)))
    }

    private static func isKeyByte(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"), UInt8(ascii: "."):
            true
        default: false
        }
    }
}

extension Unicode.Scalar {
    fileprivate var isControl: Bool { properties.generalCategory == .control }
}
