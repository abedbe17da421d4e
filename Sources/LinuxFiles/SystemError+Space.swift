import Glibc

extension SystemError {
    /// Whether the file system lacks inodes rather than space: each file and directory takes one inode, and many file systems fix their
    /// number when they are made; `df -i` shows it.
    public var lacksInodes: Bool {
        guard number == ENOSPC else { return false }
        var status = statvfs()
        // The file itself may not have been made.
        guard statvfs(path, &status) == 0 || statvfs(parent, &status) == 0 else { return false }
        return status.f_files > 0 && status.f_favail == 0
    }

    private var parent: String {
        guard let slash = path.utf8.lastIndex(of: UInt8(ascii: "/")) else { return "." }
        return slash == path.startIndex ? "/" : String(path[..<slash])
    }
}
