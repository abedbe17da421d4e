import Glibc

/// The names in a directory except `.` and `..`, in the order of their bytes. A directory's name sorts as if it ended in a slash, so that
/// whole paths below it are in the order of their bytes.
///
/// The names are kept in one piece of memory: each takes its bytes and 9 more. Names need not be text.
public struct SortedNames: Sendable {
    /// The names one after another, a slash behind those of directories, and a zero behind each.
    private var bytes: [UInt8] = []
    private var starts: [Int] = []

    /// - Parameters:
    ///   - path: the path of the directory.
    ///   - name: the path as errors show it.
    public init(inDirectory path: [UInt8], named name: String) throws(SystemError) {
        guard let stream = File.withPath(path, { opendir($0) }) else { throw SystemError(call: "opendir", path: name) }
        defer { closedir(stream) }
        while true {
            errno = 0
            guard let entry = readdir(stream) else {
                if errno == 0 { break }
                throw SystemError(call: "readdir", path: name)
            }
            let isDirectory: Bool
            switch Int(entry.pointee.d_type) {
            case Int(DT_DIR): isDirectory = true
            case Int(DT_UNKNOWN): isDirectory = Self.isDirectory(entry, in: stream)
            default: isDirectory = false
            }
            withUnsafePointer(to: &entry.pointee.d_name) { pointer in
                pointer.withMemoryRebound(to: UInt8.self, capacity: 256) { name in
                    append(UnsafeBufferPointer(start: name, count: Self.length(of: name)), isDirectory: isDirectory)
                }
            }
        }
        guard !starts.isEmpty else { return }
        bytes.withUnsafeBytes { bytes in
            let names = bytes.baseAddress!.assumingMemoryBound(to: CChar.self)
            starts.sort { strcmp(names + $0, names + $1) < 0 }
        }
    }

    public var count: Int { starts.count }

    /// The name at a place.
    public subscript(place: Int) -> (bytes: ArraySlice<UInt8>, isDirectory: Bool) {
        let name = bytes[starts[place]...].prefix { $0 != 0 }
        return name.last == UInt8(ascii: "/") ? (name.dropLast(), true) : (name, false)
    }

    private static func length(of name: UnsafePointer<UInt8>) -> Int {
        var count = 0
        while name[count] != 0 { count += 1 }
        return count
    }

    private mutating func append(_ name: UnsafeBufferPointer<UInt8>, isDirectory: Bool) {
        let dot = UInt8(ascii: ".")
        guard !name.elementsEqual([dot]), !name.elementsEqual([dot, dot]) else { return }
        starts.append(bytes.count)
        bytes += name
        if isDirectory { bytes.append(UInt8(ascii: "/")) }
        bytes.append(0)
    }

    /// Asks for the kind where the file system does not store it beside the name.
    private static func isDirectory(_ entry: UnsafeMutablePointer<dirent>, in stream: OpaquePointer) -> Bool {
        var raw = stat()
        let answer = withUnsafePointer(to: &entry.pointee.d_name) { pointer in
            pointer.withMemoryRebound(to: CChar.self, capacity: 256) {
                fstatat(dirfd(stream), $0, &raw, AT_SYMLINK_NOFOLLOW)
            }
        }
        return answer == 0 && FileStatus(raw).kind == .directory
    }
}
