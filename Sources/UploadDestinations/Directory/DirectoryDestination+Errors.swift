import Glibc
import LinuxFiles
import Uploads

extension UploadError {
    /// A system call that failed at a directory: errno(3); open(2), write(2), rename(2), fsync(2), openat2(2).
    init(directory error: SystemError, isRoot: Bool = false, file: String = #fileID, line: Int = #line) {
        let path = error.path
        let (code, message, retry): (Code, String, Retry) =
            switch error.number {
            case ENOSPC, EDQUOT:
                (.serverFailure, "no space is left for \(path): free some, or raise the quota", .afterBackoff)
            case EACCES, EPERM:
                (.accessDenied, "\(path) may not be written: give the worker's user the right to its directory", .never)
            case EROFS:
                (.accessDenied, "\(path) lies on a file system that is read-only: mount it for writing", .never)
            case ENOENT where isRoot:
                (
                    .destinationNotFound,
                    "the directory \(path) does not exist: create or mount it, or correct the destination's path",
                    .never
                )
            case ENOENT:
                (.serverFailure, "\(path) was removed while it was used: it is tried again", .afterBackoff)
            case ENOTDIR:
                (.rejected, "\(path) leads through something that is no directory: use another key", .never)
            case EISDIR, EEXIST, ENOTEMPTY:
                (.rejected, "\(path) is a directory: use another key", .never)
            case EXDEV, ELOOP:
                (
                    .rejected,
                    "\(path) leads out of the destination's directory through a symbolic link: use another key",
                    .never
                )
            case ENAMETOOLONG:
                (.rejected, "\(path) is longer than a name may be: use a shorter key", .never)
            case EFBIG:
                (.rejected, "\(path) would be larger than its file system allows: use another destination", .never)
            case EILSEQ, EINVAL:
                (.rejected, "\(path) has a name that its file system refuses: use another key", .never)
            case EIO, ESTALE, ENXIO, ENODEV, ETIMEDOUT, EHOSTDOWN:
                (
                    .serverFailure,
                    "\(path) failed (\(error.reason)): check the disk or the network file system", .afterBackoff
                )
            case EMFILE, ENFILE:
                (.serverFailure, "too many files are open for \(path): raise the limit of open files", .afterBackoff)
            default:
                (.serverFailure, "\(path) failed: \(error.reason) (\(error.call))", .afterBackoff)
            }
        self.init(code, message, retry: retry, cause: error, file: file, line: line)
    }
}
