public import Foundation

/// The place where a job's bytes come from.
///
/// JSON: `{"kind": "staged", "area": "…", "name": "…"}`, `{"kind": "file", "path": "…", "modifiedAt": "…", "inode": "…", "fileSystem": "…"}`
/// (of a path that is not UTF-8 beside it `"pathBytes": "base64"`, which then counts; inode and file system are decimal numbers),
/// `{"kind": "inline", "data": "base64"}` or `{"kind": "object", "from": {"name": "…", "key": "…"}}`.
public enum SourceReference: Hashable, Sendable {
    /// A copy in a staging area: the area's id and the copy's unique name.
    case staged(area: String, name: String)
    /// A file that is read in its own place, below a configured source root; refused when it has another size or
    /// identity.
    case file(path: FilePath, identity: FileIdentity)
    /// The bytes themselves, at most ``inlineBytesMaximum``.
    case inline(Data)
    /// An object at a destination, read through its driver. `seen` is what the first worker found there, nil before:
    /// from then on the object must not change.
    case object(DestinationReference, seen: StoredObject?)

    /// The largest file, in bytes, that rides inside its message: 32 KiB.
    public static let inlineBytesMaximum = 32_768

    /// Whether ``redacted`` is the same.
    var isRedacted: Bool {
        switch self {
        case .inline(let data): data.isEmpty
        case .staged, .file: true
        case .object(let reference, _): reference.isRedacted
        }
    }

    /// The reference without inline bytes and without the query of a URL, as events show it.
    public var redacted: SourceReference {
        switch self {
        case .inline: .inline(Data())
        case .staged, .file: self
        case .object(let reference, let seen): .object(reference.redacted, seen: seen)
        }
    }
}

extension SourceReference: Codable {
    private enum Key: String, CodingKey {
        case kind, area, name, path, pathBytes, modifiedAt, inode, fileSystem, data, from, seen
    }
    private enum Kind: String, Codable { case staged, file, inline, object }

    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: Key.self)
        switch try container.decode(Kind.self, forKey: .kind) {
        case .staged:
            self = .staged(
                area: try container.decodeText(atMost: WireLimits.nameLengthMaximum, forKey: .area),
                name: try container.decodeText(atMost: WireLimits.nameLengthMaximum, forKey: .name))
        case .file:
            self = .file(
                path: try Self.path(in: container),
                identity: FileIdentity(
                    modifiedAt: try container.decodeIfPresent(FileTime.self, forKey: .modifiedAt),
                    inode: try container.decodeNumberIfPresent(forKey: .inode),
                    fileSystem: try container.decodeNumberIfPresent(forKey: .fileSystem)))
        case .inline:
            let data = try container.decode(Data.self, forKey: .data)
            guard data.count <= Self.inlineBytesMaximum else {
                throw DecodingError.dataCorruptedError(
                    forKey: .data, in: container,
                    debugDescription: "\(data.count) bytes are too many: at most \(Self.inlineBytesMaximum) are allowed"
                )
            }
            self = .inline(data)
        case .object:
            self = .object(
                try container.decode(DestinationReference.self, forKey: .from),
                seen: try container.decodeIfPresent(StoredObject.self, forKey: .seen))
        }
    }

    private static func path(in container: KeyedDecodingContainer<Key>) throws -> FilePath {
        let text = try container.decodeText(atMost: WireLimits.pathLengthMaximum, forKey: .path)
        guard let bytes = try container.decodeIfPresent(Data.self, forKey: .pathBytes) else { return FilePath(text) }
        guard !bytes.isEmpty, bytes.count <= FilePath.bytesMaximum else {
            throw DecodingError.dataCorruptedError(
                forKey: .pathBytes, in: container,
                debugDescription: "\(bytes.count) bytes: from 1 to \(FilePath.bytesMaximum) are allowed")
        }
        return FilePath(bytes: bytes)
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: Key.self)
        switch self {
        case .staged(let area, let name):
            try container.encode(Kind.staged, forKey: .kind)
            try container.encode(area, forKey: .area)
            try container.encode(name, forKey: .name)
        case .file(let path, let identity):
            try container.encode(Kind.file, forKey: .kind)
            try container.encode(path.description, forKey: .path)
            if path.exactText == nil { try container.encode(Data(path.bytes), forKey: .pathBytes) }
            try container.encodeIfPresent(identity.modifiedAt, forKey: .modifiedAt)
            try container.encodeIfPresent(identity.inode.map { "\($0)" }, forKey: .inode)
            try container.encodeIfPresent(identity.fileSystem.map { "\($0)" }, forKey: .fileSystem)
        case .inline(let data):
            try container.encode(Kind.inline, forKey: .kind)
            try container.encode(data, forKey: .data)
        case .object(let reference, let seen):
            try container.encode(Kind.object, forKey: .kind)
            try container.encode(reference, forKey: .from)
            try container.encodeIfPresent(seen, forKey: .seen)
        }
    }
}
