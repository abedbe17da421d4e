/// One part of a file: a byte range that is sent in one request and counted as held or missing.
public struct Part: Hashable, Sendable {
    /// From 1.
    public let number: Int
    /// Bytes of the file; empty only for the one part of an empty file.
    public let range: Range<Int64>

    public init(number: Int, range: Range<Int64>) {
        self.number = number
        self.range = range
    }

    /// Bytes.
    public var size: Int64 { range.upperBound - range.lowerBound }
}
