/// A range of an open file, for a driver whose connections let the kernel send it: the bytes then do not pass through the program.
public struct SourceFileRange: Sendable {
    /// Offsets in the file.
    public let range: Range<Int64>
    /// Another descriptor of the open file, which the caller closes.
    public let duplicate: @Sendable () throws(UploadError) -> Int32
    /// Throws `sourceChanged` when the file has become so short that it lacks bytes of the range.
    public let check: @Sendable () throws(UploadError) -> Void

    public init(
        _ range: Range<Int64>, duplicate: @escaping @Sendable () throws(UploadError) -> Int32,
        check: @escaping @Sendable () throws(UploadError) -> Void
    ) {
        self.range = range
        self.duplicate = duplicate
        self.check = check
    }
}
