import Glibc

extension SystemError {
    /// Whether what there was no space for was a file's inode: each file and directory takes one, of a number that many file systems fix
    /// when they are made; `df -i` shows them.
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
