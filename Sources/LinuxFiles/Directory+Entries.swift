import Glibc

extension Directory {
    /// Gives the body the name of each entry except `.` and `..`, in no order, with its kind where the file system stores it beside the
    /// name (readdir(3), `d_type`), until the body returns false.
    public func forEachEntry(
        _ body: (_ name: String, _ kind: FileStatus.Kind?) throws(SystemError) -> Bool
    ) throws(SystemError) {
        // The loop opens a descriptor of its own, because the position in a directory belongs to the open file description.
        let descriptor = retrying { openat(file.descriptor, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC) }
        guard descriptor >= 0 else { throw SystemError(call: "openat", path: path) }
        guard let stream = fdopendir(descriptor) else {
            let error = SystemError(call: "fdopendir", path: path)
            Glibc.close(descriptor)
            throw error
        }
        defer { closedir(stream) }
        while true {
            errno = 0
            guard let entry = readdir(stream) else {
                if errno == 0 { return }
                throw SystemError(call: "readdir", path: path)
            }
            let name = withUnsafePointer(to: &entry.pointee.d_name) { pointer in
                pointer.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
            }
            guard name != ".", name != ".." else { continue }
            guard try body(name, Self.kind(entry.pointee.d_type)) else { return }
        }
    }

    private static func kind(_ type: UInt8) -> FileStatus.Kind? {
        switch Int(type) {
        case Int(DT_UNKNOWN): nil
        case Int(DT_REG): .regular
        case Int(DT_DIR): .directory
        case Int(DT_LNK): .symbolicLink
        default: .other
        }
    }
}
