// `stat` belongs to the module whose headers the compiler happens to read first: one of these two.
import Dispatch
import Glibc

/// What stat(2) says of a file.
public struct FileFacts: Hashable, Sendable {
    public let inode: UInt64
    /// Seconds and nanoseconds.
    public let modified: String
    public let bytesOnDisk: Int64

    public init(_ path: String) throws {
        var status = stat()
        guard stat(path, &status) == 0 else { throw LoopbackSocket.Failure(call: "stat", number: errno) }
        inode = UInt64(status.st_ino)
        modified = "\(status.st_mtim.tv_sec).\(status.st_mtim.tv_nsec)"
        bytesOnDisk = Int64(status.st_blocks) * 512
    }
}
