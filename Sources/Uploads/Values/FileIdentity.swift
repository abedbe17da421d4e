/// What distinguishes a file in its place from what is under its path later, as far as the one who enqueued it knows: beside its size, which
/// the job has.
public struct FileIdentity: Hashable, Sendable {
    /// The last change of the contents.
    public var modifiedAt: FileTime?
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
