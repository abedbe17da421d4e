import CLinux
import Glibc

extension File {
    /// Makes this file share the blocks of another (ioctl_ficlone(2)).
    /// - Returns: false where the file systems do not support it.
    public func clone(_ original: File) throws(SystemError) -> Bool {
        if retrying({ linux_clone_file(descriptor, original.descriptor) }) == 0 { return true }
        // Some file systems answer ENOTTY or EPERM instead of EOPNOTSUPP.
        if [EOPNOTSUPP, EXDEV, EINVAL, ENOTTY, EPERM, ENOSYS, EBADF].contains(errno) { return false }
        throw failure("ioctl_ficlone")
    }

    /// Copies bytes within the kernel, to the same offset (copy_file_range(2)).
    /// - Returns: bytes copied, 0 at the end of the original; nil where the file systems do not support it.
    public func copy(_ count: Int, at offset: Int64, from original: File) throws(SystemError) -> Int? {
        let copied = retrying { linux_copy_file_range(original.descriptor, descriptor, offset, count) }
        if copied >= 0 { return copied }
        if [EXDEV, EOPNOTSUPP, EINVAL, ENOSYS, EBADF, EPERM].contains(errno) { return nil }
        throw failure("copy_file_range")
    }
}
