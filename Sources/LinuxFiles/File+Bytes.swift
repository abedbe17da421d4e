import CLinux
import Glibc

/// Paths that need not be text: the system gets the bytes, and errors show the name.
extension File {
    /// open(2), always with `O_CLOEXEC`.
    public static func open(bytes path: [UInt8], named name: String, _ flags: CInt) throws(SystemError) -> File {
        let descriptor = withPath(path) { path in retrying { Glibc.open(path, flags | O_CLOEXEC) } }
        guard descriptor >= 0 else { throw SystemError(call: "open", path: name) }
        return File(descriptor: descriptor, path: name)
    }

    /// stat(2), or lstat(2) unless links are followed.
    public static func status(
        ofBytes path: [UInt8], named name: String, followingLinks: Bool = true
    ) throws(SystemError) -> FileStatus {
        var raw = stat()
        guard withPath(path, { followingLinks ? stat($0, &raw) : lstat($0, &raw) }) == 0 else {
            throw SystemError(call: "stat", path: name)
        }
        return FileStatus(raw)
    }

    /// realpath(3): the same path without links, `.` and `..`.
    public static func resolved(bytes path: [UInt8], named name: String) throws(SystemError) -> [UInt8] {
        guard let resolved = withPath(path, { realpath($0, nil) }) else {
            throw SystemError(call: "realpath", path: name)
        }
        defer { free(resolved) }
        return UnsafeRawBufferPointer(start: resolved, count: strlen(resolved)).map { $0 }
    }

    /// faccessat(2) with `AT_EACCESS`.
    /// - Throws: when the effective user may not read the file.
    public static func checkReadable(bytes path: [UInt8], named name: String) throws(SystemError) {
        guard withPath(path, { faccessat(AT_FDCWD, $0, R_OK, AT_EACCESS) }) == 0 else {
            throw SystemError(call: "faccessat", path: name)
        }
    }

    /// Renames a file within its directory, unless the other name is taken (renameat2(2)).
    public static func rename(
        _ path: [UInt8], to other: [UInt8], named name: String
    ) throws(SystemError) {
        let result = withPath(path) { path in
            withPath(other) { linux_rename_without_replacing(AT_FDCWD, path, $0) }
        }
        if result == 0 { return }
        // NFS and others do not support the flag; there a second link serves as well (link(2)).
        guard errno == EINVAL || errno == ENOSYS else { throw SystemError(call: "renameat2", path: name) }
        guard withPath(path, { path in withPath(other) { Glibc.link(path, $0) } }) == 0 else {
            throw SystemError(call: "link", path: name)
        }
        try remove(bytes: path, named: name)
    }

    /// unlink(2)
    public static func remove(bytes path: [UInt8], named name: String) throws(SystemError) {
        guard withPath(path, { unlink($0) }) == 0 else { throw SystemError(call: "unlink", path: name) }
    }

    /// Gives the body the path as a C string.
    static func withPath<Answer>(_ path: [UInt8], _ body: (UnsafePointer<CChar>) -> Answer) -> Answer {
        (path + [0]).withUnsafeBufferPointer { bytes in
            bytes.withMemoryRebound(to: CChar.self) { body($0.baseAddress!) }
        }
    }
}
