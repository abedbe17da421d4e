import Glibc
package import LinuxFiles
package import Uploads

extension UploadError {
    /// A system call that failed on a source: errno(3) and the call's own manual page.
    init(source error: SystemError, file: String = #fileID, line: Int = #line) {
        let path = error.path
        let (message, retry): (String, Retry) =
            switch error.number {
            case ENOENT: ("\(path) does not exist: check the name", .never)
            case EACCES, EPERM:
                ("\(path) may not be read: give this user, or its group, the right to read it", .never)
            case EISDIR: ("\(path) is a directory: name a file", .never)
            case ENOTDIR: ("\(path) leads through something that is no directory: check the name", .never)
            case ELOOP: ("\(path) is a symbolic link, or leads through too many: name the file itself", .never)
            case ENAMETOOLONG: ("\(path) is longer than a name may be: use a shorter one", .never)
            case EMFILE, ENFILE:
                ("\(path) cannot be opened, too many files are open: raise the limit of open files", .afterBackoff)
            case EIO, ESTALE:
                ("\(path) cannot be read (\(error.reason)): check the disk or the network file system", .afterBackoff)
            default: ("\(path) cannot be read: \(error.reason) (\(error.call))", .afterBackoff)
            }
        self.init(.invalidFile, message, retry: retry, cause: error, file: file, line: line)
    }

    /// - Parameter place: the part of the file that differs, such as ` in its block 2`.
    static func sourceDiffers(_ path: String, _ place: String = "", retry: Retry = .never) -> UploadError {
        UploadError(
            .sourceChanged,
            "\(path) differs from the enqueued file\(place): the digests differ; enqueue the file again",
            retry: retry)
    }

    /// - Parameter block: its number, from 0.
    static func sourceDiffers(_ path: String, inBlock block: Int64, retry: UploadError.Retry = .never) -> UploadError {
        sourceDiffers(path, " in its block \(block + 1)", retry: retry)
    }

    static func sourceGone(_ path: String) -> UploadError {
        UploadError(.sourceChanged, "\(path) is no longer there, or another file is: enqueue it again")
    }

    /// A system call that failed on the staging area.
    package init(staging error: SystemError, file: String = #fileID, line: Int = #line) {
        let path = error.path
        let (message, retry): (String, Retry) =
            switch error.number {
            case ENOSPC where error.lacksInodes:
                (
                    "no space is left for \(path): its file system has no inodes left; remove some files there, or put the "
                        + "staging area elsewhere", .afterBackoff
                )
            case ENOSPC, EDQUOT:
                ("no space is left for \(path): free some, or put the staging area elsewhere", .afterBackoff)
            case EACCES, EPERM:
                (
                    "\(path) may not be written: add this user to the staging area's group, or name another area",
                    .never
                )
            case EROFS: ("\(path) lies on a file system that is read-only: name another staging area", .never)
            case ENOENT: ("\(path) does not exist: create the staging area, or name another", .never)
            case ENOTDIR: ("\(path) is no directory: name another staging area", .never)
            case EFBIG: ("\(path) would be larger than its file system allows: name another staging area", .never)
            default: ("the staging area failed at \(path): \(error.reason) (\(error.call))", .afterBackoff)
            }
        let code: Code = retry == .never ? .misconfigured : .invalidFile
        self.init(code, message, retry: retry, cause: error, file: file, line: line)
    }
}
