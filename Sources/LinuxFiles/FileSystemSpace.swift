import Glibc

/// The room on a file system (statvfs(3)).
public struct FileSystemSpace: Hashable, Sendable {
    /// What a user without privileges may write yet.
    public let freeBytes: Int64
    public let capacityBytes: Int64

    init(_ status: statvfs) {
        func bytes(_ blocks: fsblkcnt_t) -> Int64 {
            let (bytes, isTooLarge) = Int64(clamping: blocks).multipliedReportingOverflow(
                by: Int64(clamping: status.f_frsize))
            return isTooLarge ? .max : bytes
        }
        freeBytes = bytes(status.f_bavail)
        capacityBytes = bytes(status.f_blocks)
    }
}

extension Directory {
    /// The room on the directory's file system.
    public func space() throws(SystemError) -> FileSystemSpace {
        var status = statvfs()
        guard fstatvfs(file.descriptor, &status) == 0 else { throw SystemError(call: "fstatvfs", path: path) }
        return FileSystemSpace(status)
    }
}
