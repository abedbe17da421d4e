import Glibc
import LinuxFiles
import Uploads

extension UploadError {
    /// The error for a failed system call in a directory: errno(3); open(2), write(2), rename(2), fsync(2), openat2(2).
    /// - Parameters:
    ///   - isRoot: whether the call failed at the destination's own directory, and so for every job.
    ///   - root: the destination's own directory; if the worker may not write there, the error concerns all jobs, whichever key failed.
    init(
        directory error: SystemError, isRoot: Bool = false, below root: String? = nil, file: String = #fileID,
        line: Int = #line
    ) {
        let closedRoot = root.flatMap { access($0, W_OK | X_OK) == 0 ? nil : $0 }
        let isRoot = isRoot || closedRoot != nil
        let path = closedRoot ?? error.path
        let (code, message, retry): (Code, String, Retry) =
            switch error.number {
            case ENOSPC where error.lacksInodes:
                (
                    .noSpace,
                    "no space is left for \(path): its file system has no inodes left; remove some files there",
                    .afterBackoff
                )
            case ENOSPC, EDQUOT:
                (.noSpace, "no space is left for \(path): free some, or raise the quota", .afterBackoff)
            case EACCES where isRoot, EPERM where isRoot:
                (
                    .destinationAway, "\(path) may not be used: give the worker's user the right to it again",
                    .afterBackoff
                )
            case EACCES, EPERM:
                (.accessDenied, "\(path) may not be written: give the worker's user the right to its directory", .never)
            case EROFS:
                (
                    .destinationAway, "\(path) lies on a file system that is read-only: mount it for writing",
                    .afterBackoff
                )
            case ENOENT where isRoot:
                (
                    .destinationAway,
                    "the directory \(path) does not exist: create or mount it, or correct the destination's path",
                    .afterBackoff
                )
            case ENOENT:
                (.serverFailure, "\(path) was removed while it was used: it is tried again", .afterBackoff)
            case ENOTDIR:
                (.rejected, "\(path) leads through a file instead of a directory: use another key", .never)
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
            case ESTALE, ENXIO, ENODEV, EHOSTDOWN, ENOTCONN, ESHUTDOWN:
                (
                    .destinationAway,
                    "\(path) is not there any more (\(error.reason)): mount its file system again", .afterBackoff
                )
            case EIO, ETIMEDOUT:
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
