import Glibc
import Uploads

/// Which files of a directory are enqueued: `--include`, `--exclude`.
public struct PathFilter: Hashable, Sendable {
    /// Patterns, one of which a file must match; with none every file does.
    public var included: [String] = []
    /// Patterns that no file may match, nor a directory above it.
    public var excluded: [String] = []

    var isEmpty: Bool { included.isEmpty && excluded.isEmpty }

    public init(included: [String] = [], excluded: [String] = []) {
        self.included = included
        self.excluded = excluded
    }

    static func isPattern(_ text: String) -> Bool { !text.isEmpty && !text.utf8.contains(0) && !text.hasPrefix("/") }

    /// - Parameter path: relative to the directory that the command names.
    func takes(_ path: FilePath) -> Bool {
        !excludes(path) && (included.isEmpty || included.contains { Self.matches($0, path) })
    }

    /// Whether a path, and all paths below it, are left out.
    func excludes(_ path: FilePath) -> Bool { excluded.contains { Self.matches($0, path) } }

    /// fnmatch(3). A pattern without a slash is for the last name of a path, any other one for the whole path; `*` stands for no slash, unless
    /// the pattern has `**`. A slash at the end changes nothing.
    static func matches(_ pattern: String, _ path: FilePath) -> Bool {
        let pattern = pattern.hasSuffix("/") ? String(pattern.dropLast()) : pattern
        let isWhole = pattern.utf8.contains(UInt8(ascii: "/"))
        let flags = pattern.utf8.firstRange(of: "**".utf8) == nil ? FNM_PATHNAME : 0
        let text = isWhole ? path : path.lastName
        return (text.bytes + [0]).withUnsafeBufferPointer { bytes in
            bytes.withMemoryRebound(to: CChar.self) { fnmatch(pattern, $0.baseAddress!, flags) == 0 }
        }
    }
}
