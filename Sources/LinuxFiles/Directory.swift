import CLinux
import Glibc

/// An open directory. All calls go by its descriptor, so that no other program can exchange the path to it in between.
///
/// All calls block; call them through ``Blocking``. Names are single path components.
public final class Directory: Sendable {
    public let path: String
    let file: File

    private init(_ file: File) {
        self.file = file
        self.path = file.path
    }

    public static func open(_ path: String) throws(SystemError) -> Directory {
        Directory(try File.open(path, O_RDONLY | O_DIRECTORY))
    }

    /// A directory below this one, by a relative path. Symbolic links are followed as long as they stay below
    /// (openat2(2), `RESOLVE_BENEATH`); on kernels before 5.6 they are refused.
    /// - Throws: `EXDEV` when a link leads outside, `ELOOP` where links are refused.
    public func openDirectory(beneath relativePath: String) throws(SystemError) -> Directory {
        let below = path(of: relativePath)
        let flags = O_RDONLY | O_DIRECTORY | O_CLOEXEC
        var descriptor = retrying { linux_open_beneath(file.descriptor, relativePath, UInt64(flags)) }
        if descriptor < 0, errno == ENOSYS || errno == EPERM {
            descriptor = dup(file.descriptor)
            // By bytes: to Swift a slash and a combining mark behind it are one character.
            for component in relativePath.utf8.split(separator: UInt8(ascii: "/")) where descriptor >= 0 {
                let next = retrying { openat(descriptor, String(Substring(component)), flags | O_NOFOLLOW) }
                let number = errno
                Glibc.close(descriptor)
                errno = number
                descriptor = next
            }
        }
        guard descriptor >= 0 else { throw SystemError(call: "openat2", path: below) }
        return Directory(File(descriptor: descriptor, path: below))
    }

    /// openat(2), always with `O_CLOEXEC`.
    public func open(_ name: String, _ flags: CInt, mode: UInt32 = 0) throws(SystemError) -> File {
        let descriptor = retrying { openat(file.descriptor, name, flags | O_CLOEXEC, mode) }
        guard descriptor >= 0 else { throw failure("openat", name) }
        return File(descriptor: descriptor, path: path(of: name))
    }

    /// The status of an entry; links are not followed.
    /// - Returns: nil when there is no entry of this name.
    public func status(of name: String) throws(SystemError) -> FileStatus? {
        var raw = stat()
        if fstatat(file.descriptor, name, &raw, AT_SYMLINK_NOFOLLOW) == 0 { return FileStatus(raw) }
        if errno == ENOENT { return nil }
        throw failure("fstatat", name)
    }

    public func status() throws(SystemError) -> FileStatus { try file.status() }

    /// Whether a file system is mounted here, a bind mount included (statx(2), `STATX_ATTR_MOUNT_ROOT`; Linux 5.8).
    public var isMountPoint: Bool { linux_is_mount_root(file.descriptor) == 1 }

    /// Whether this relative path leads to a file or directory; links are followed.
    public func hasFile(beneath relativePath: String) -> Bool { faccessat(file.descriptor, relativePath, F_OK, 0) == 0 }

    /// Removes a file; a missing file is no error.
    public func remove(_ name: String) throws(SystemError) {
        guard unlinkat(file.descriptor, name, 0) == 0 || errno == ENOENT else { throw failure("unlinkat", name) }
    }

    /// Makes a directory; an existing entry of this name is no error.
    public func makeDirectory(_ name: String, mode: UInt32 = 0o777) throws(SystemError) {
        guard mkdirat(file.descriptor, name, mode) == 0 || errno == EEXIST else { throw failure("mkdirat", name) }
    }

    public func rename(_ name: String, to other: String) throws(SystemError) {
        guard renameat(file.descriptor, name, file.descriptor, other) == 0 else { throw failure("renameat", other) }
    }

    /// Moves an entry to another directory of the same file system, in place of an entry that has the name there.
    /// - Returns: false when there is no entry of this name.
    public func move(_ name: String, to other: String, in target: Directory) throws(SystemError) -> Bool {
        if renameat(file.descriptor, name, target.file.descriptor, other) == 0 { return true }
        if errno == ENOENT { return false }
        throw failure("renameat", name)
    }

    /// - Returns: false when an entry has the other name already.
    public func renameWithoutReplacing(_ name: String, to other: String) throws(SystemError) -> Bool {
        if linux_rename_without_replacing(file.descriptor, name, other) == 0 { return true }
        if errno == EEXIST { return false }
        // NFS and others do not support the flag; there a second link serves as well (link(2)).
        guard errno == EINVAL || errno == ENOSYS else { throw failure("renameat2", other) }
        guard linkat(file.descriptor, name, file.descriptor, other, 0) == 0 else {
            if errno == EEXIST { return false }
            throw failure("linkat", other)
        }
        try remove(name)
        return true
    }

    /// Makes the directory's entries durable: those that were created, renamed and removed.
    public func synchronize() throws(SystemError) { try file.synchronize() }

    /// Makes everything on the directory's file system durable (syncfs(2)).
    public func synchronizeFileSystem() throws(SystemError) {
        guard linux_synchronize_file_system(file.descriptor) == 0 else { throw failure("syncfs", "") }
    }

    /// statfs(2): the kernel's number for the kind of file system.
    public var fileSystemType: Int64 { linux_file_system_type(file.descriptor) }

    public func setMode(_ mode: UInt32) throws(SystemError) { try file.setMode(mode) }

    public func setGroup(_ group: UInt32) throws(SystemError) { try file.setGroup(group) }

    public func path(of name: String) -> String { path.hasSuffix("/") ? path + name : path + "/" + name }

    private func failure(_ call: String, _ name: String) -> SystemError {
        SystemError(call: call, path: name.isEmpty ? path : path(of: name))
    }
}
