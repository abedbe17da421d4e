/// What distinguishes a file in its place from what is under its path later, as far as the one who enqueued it knows: beside its size, which
/// the job has.
public struct FileIdentity: Hashable, Sendable {
    /// The last change of the contents.
    public var modifiedAt: FileTime?
    /// The number of the file in its file system.
    public var inode: UInt64?
    /// The number of the file system, in which alone the inode means something. Hosts that share a file system may see different numbers:
    /// NFS clients see none.
    public var fileSystem: UInt64?

    public init(modifiedAt: FileTime? = nil, inode: UInt64? = nil, fileSystem: UInt64? = nil) {
        self.modifiedAt = modifiedAt
        self.inode = inode
        self.fileSystem = fileSystem
    }

    /// Whether both may belong to one file that did not change. Inodes are compared where both see the same file system.
    public func agrees(with other: FileIdentity) -> Bool {
        if let modifiedAt, let otherTime = other.modifiedAt, !modifiedAt.agrees(with: otherTime) { return false }
        guard let fileSystem, fileSystem == other.fileSystem, let inode, let otherInode = other.inode else {
            return true
        }
        return inode == otherInode
    }
}

/// JSON: `{"modifiedAt": "…", "inode": "…", "fileSystem": "…"}`, with decimal numbers in texts, because a JSON number of more than 53 bits
/// does not survive every program.
extension FileIdentity: Codable {
    enum CodingKeys: String, CodingKey { case modifiedAt, inode, fileSystem }

    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        self.init(
            modifiedAt: try container.decodeIfPresent(FileTime.self, forKey: .modifiedAt),
            inode: try container.decodeNumberIfPresent(forKey: .inode),
            fileSystem: try container.decodeNumberIfPresent(forKey: .fileSystem))
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encodeIfPresent(fileSystem.map { "\($0)" }, forKey: .fileSystem)
        try container.encodeIfPresent(inode.map { "\($0)" }, forKey: .inode)
        try container.encodeIfPresent(modifiedAt, forKey: .modifiedAt)
    }
}

extension KeyedDecodingContainer {
    /// A decimal number of 64 bits in a text.
    func decodeNumberIfPresent(forKey key: Key) throws -> UInt64? {
        guard let text = try decodeTextIfPresent(atMost: 20, forKey: key) else { return nil }
        // A sign is no digit.
        let isDecimal = text.utf8.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
        guard isDecimal, let number = UInt64(text) else {
            throw DecodingError.dataCorruptedError(
                forKey: key, in: self, debugDescription: "'\(text)' is no number of 64 bits")
        }
        return number
    }
}
