import Glibc
import LinuxFiles

/// A staged copy that is open and locked, and was still there under its name after it was locked.
struct LockedCopy: Sendable {
    let file: File
    let status: FileStatus

    enum Attempt: Sendable {
        case locked(LockedCopy)
        case busy
        case gone
    }

    static func lock(_ name: String, in area: StagingArea) throws(SystemError) -> Attempt {
        do throws(SystemError) {
            return try lock(name, O_RDONLY, in: area)
        } catch {
            switch error.number {
            case ENOENT: return .gone
            // NFS makes the lock a byte-range lock, which needs a descriptor that is open for writing (flock(2), NFS details).
            case EBADF: return try lock(name, O_RDWR, in: area)
            default: throw error
            }
        }
    }

    private static func lock(_ name: String, _ access: CInt, in area: StagingArea) throws(SystemError) -> Attempt {
        let file = try area.directory.open(name, access | O_NOFOLLOW | O_NONBLOCK)
        guard try file.tryLock() else { return .busy }
        let status = try file.status()
        // The previous holder of the lock may have removed the copy after it was opened here.
        guard let named = try area.directory.status(of: name), named.isSameFile(as: status) else { return .gone }
        return .locked(LockedCopy(file: file, status: status))
    }
}
