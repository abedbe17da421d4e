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

    /// Gives the body the path as a C string.
    static func withPath<Answer>(_ path: [UInt8], _ body: (UnsafePointer<CChar>) -> Answer) -> Answer {
        (path + [0]).withUnsafeBufferPointer { bytes in
            bytes.withMemoryRebound(to: CChar.self) { body($0.baseAddress!) }
        }
    }
}
