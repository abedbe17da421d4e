import Foundation
import Uploads

/// One line of a manifest: a plain path of any bytes, or an object with `path`, or with `pathBytes` (base64) for a path that is not
/// UTF-8, and optionally `key`, `contentType`, `metadata`, `ifExists`, `verify`, `notBefore`, `expiresAt`, `batch`,
/// `idempotencyKey` and the fields of ``ObjectProperties``.
struct ManifestEntry: Hashable {
    var path: FilePath
    /// The key to append to the destination instead of the path's own name.
    var key: String?
    var contentType: String?
    var metadata: [String: String] = [:]
    var properties = ObjectProperties()
    var ifExists: IfExists?
    var verify: Bool?
    var schedule = EnqueueSchedule()
    var batch: String?
    var idempotencyKey: String?
    /// The line's number, from 1.
    var line: Int

    private static let fields: Set<String> = [
        "path", "pathBytes", "key", "contentType", "metadata", "ifExists", "verify", "cacheControl",
        "contentDisposition",
        "contentEncoding",
        "contentLanguage", "storageClass", "tags", "notBefore", "expiresAt", "batch", "idempotencyKey",
    ]

    /// Whether the entry has fields besides the path and the key.
    var saysAnything: Bool {
        saysMore || ifExists != nil || verify != nil || schedule != EnqueueSchedule() || batch != nil
            || idempotencyKey != nil
    }

    /// Whether the entry has a content type, metadata or properties, which have to be checked.
    var saysMore: Bool { contentType != nil || !metadata.isEmpty || !properties.isEmpty }

    init(path: FilePath, line: Int) {
        self.path = path
        self.line = line
    }

    /// - Parameters:
    ///   - line: the line without its line feed; a carriage return at its end is ignored.
    ///   - number: from 1.
    /// - Returns: nil for an empty line.
    /// - Throws: `badInput`.
    init?(line: some Collection<UInt8>, number: Int) throws(ProgramError) {
        var line = Array(line)
        if line.last == UInt8(ascii: "\r") { line.removeLast() }
        if String(decoding: line, as: UTF8.self).allSatisfy(\.isWhitespace) { return nil }
        guard line.first == UInt8(ascii: "{") else {
            self.init(path: FilePath(bytes: line), line: number)
            return
        }
        self = try Self.parse(line: Data(line), number: number)
    }

    private static func parse(line: Data, number: Int) throws(ProgramError) -> ManifestEntry {
        guard case .object(let object)? = try? WireJSON.decode(JSONValue.self, from: line) else {
            throw ProgramError(.badInput, "not a JSON object; a path that begins with '{' is written {\"path\": \"…\"}")
        }
        if let odd = object.keys.sorted().first(where: { !fields.contains($0) }) {
            let nearest = EditDistance.nearest(to: odd, among: fields).map { "; did you mean '\($0)'?" } ?? ""
            throw ProgramError(.badInput, "unknown field '\(odd)'\(nearest)")
        }
        var entry = ManifestEntry(path: try path(of: object), line: number)
        entry.key = try text("key", of: object)
        entry.contentType = try text("contentType", of: object)
        entry.metadata = try texts("metadata", of: object)
        entry.properties = ObjectProperties(
            cacheControl: try text("cacheControl", of: object),
            contentDisposition: try text("contentDisposition", of: object),
            contentEncoding: try text("contentEncoding", of: object),
            contentLanguage: try text("contentLanguage", of: object),
            storageClass: try text("storageClass", of: object),
            tags: try texts("tags", of: object))
        if let word = try text("ifExists", of: object) {
            guard let value = IfExists(rawValue: word) else {
                throw ProgramError(.badInput, "ifExists '\(word)': expected skip, fail, rename or replace")
            }
            entry.ifExists = value
        }
        switch object["verify"] {
        case nil, .null: break
        case .bool(let value): entry.verify = value
        default: throw ProgramError(.badInput, "verify: expected true or false")
        }
        entry.schedule = EnqueueSchedule(
            notBefore: try time("notBefore", of: object), expiresAt: try time("expiresAt", of: object))
        entry.batch = try text("batch", of: object)
        entry.idempotencyKey = try text("idempotencyKey", of: object)
        return entry
    }

    private static func path(of object: [String: JSONValue]) throws(ProgramError) -> FilePath {
        if let text = try text("pathBytes", of: object) {
            guard let bytes = Data(base64Encoded: text), !bytes.isEmpty else {
                throw ProgramError(.badInput, "'pathBytes' is no base64")
            }
            return FilePath(bytes: bytes)
        }
        guard let path = object["path"]?.string, !path.isEmpty else {
            throw ProgramError(.badInput, "'path' is missing or no text")
        }
        return FilePath(path)
    }

    private static func texts(
        _ field: String, of object: [String: JSONValue]
    ) throws(ProgramError) -> [String: String] {
        var texts: [String: String] = [:]
        switch object[field] {
        case nil, .null: break
        case .object(let pairs):
            for (name, value) in pairs {
                guard let value = value.string else {
                    throw ProgramError(.badInput, "\(field) '\(name)': expected a text")
                }
                texts[name] = value
            }
        default: throw ProgramError(.badInput, "\(field): expected an object of texts")
        }
        return texts
    }

    private static func time(_ name: String, of object: [String: JSONValue]) throws(ProgramError) -> Date? {
        guard let text = try text(name, of: object) else { return nil }
        do throws(ProgramError) {
            return try EnqueueSchedule.time(text)
        } catch {
            throw ProgramError(.badInput, "\(name) \(error)")
        }
    }

    private static func text(_ name: String, of object: [String: JSONValue]) throws(ProgramError) -> String? {
        switch object[name] {
        case nil, .null: return nil
        case .string(let text) where !text.isEmpty: return text
        default: throw ProgramError(.badInput, "\(name): expected a text that is not empty")
        }
    }
}

/// Splits a stream of bytes into lines and hands them over one by one; only the last, unfinished line is in memory.
struct TextLines {
    /// The longest line of a manifest, in bytes. The bounds of metadata and tags are far below.
    static let lineBytesMaximum = 1 << 20

    private var rest: [UInt8] = []
    /// The number of lines so far.
    private(set) var count = 0

    /// - Parameters:
    ///   - bytes: the next bytes of the stream.
    ///   - body: receives a line without its end, and its number, from 1.
    /// - Throws: the errors of `body`, and `badInput` for a line that is too long.
    mutating func add(
        _ bytes: [UInt8], _ body: (ArraySlice<UInt8>, Int) throws(ProgramError) -> Void
    ) throws(ProgramError) {
        var bytes = bytes[...]
        while let end = bytes.firstIndex(of: UInt8(ascii: "\n")) {
            try tell(bytes[..<end], body)
            bytes = bytes[(end + 1)...]
        }
        rest += bytes
        guard rest.count <= Self.lineBytesMaximum else { throw tooLong }
    }

    /// Hands over the text after the last line end, if any.
    mutating func finish(_ body: (ArraySlice<UInt8>, Int) throws(ProgramError) -> Void) throws(ProgramError) {
        if !rest.isEmpty { try tell([], body) }
    }

    private mutating func tell(
        _ end: ArraySlice<UInt8>, _ body: (ArraySlice<UInt8>, Int) throws(ProgramError) -> Void
    ) throws(ProgramError) {
        guard rest.count + end.count <= Self.lineBytesMaximum else { throw tooLong }
        count += 1
        if rest.isEmpty { return try body(end, count) }
        let line = rest + end
        rest = []
        try body(line[...], count)
    }

    private var tooLong: ProgramError {
        ProgramError(
            .badInput,
            "line \(count + 1) of the manifest has more than \(Self.lineBytesMaximum >> 20) MiB; write one upload a line"
        )
    }
}
