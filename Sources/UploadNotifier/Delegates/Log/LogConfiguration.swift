/// A log delegate: a file with one JSON object a line, and the size at which a new file begins.
public struct LogConfiguration: Hashable, Sendable {
    public var path: String
    /// Bytes after which the file is put aside as `<path>.1`: 64 MiB; 0 for never.
    public var rotateBytes: Int64
    /// The number of older files that are kept, 1 or more: 5.
    public var keepCount: Int

    public init(path: String, rotateBytes: Int64 = 64 << 20, keepCount: Int = 5) {
        self.path = path
        self.rotateBytes = max(0, rotateBytes)
        self.keepCount = max(1, keepCount)
    }
}
