/// The facts about an opened session that a slice needs.
public struct SessionFacts: Hashable, Sendable {
    public var state: UploadState?
    /// Parts of the whole file.
    public var partCount: Int
    /// Parts that the destination does not hold.
    public var missingCount: Int
    /// Bytes of the file that the destination does not hold. A missing part that it holds and that only has to be
    /// compared does not count.
    public var bytesMissing: Int64
    /// Whether the driver asked the destination for the session. It does not ask for a session that nothing has touched
    /// since it was opened.
    public var isAsked = true

    public init(state: UploadState?, partCount: Int, missingCount: Int, bytesMissing: Int64) {
        self.state = state
        self.partCount = partCount
        self.missingCount = missingCount
        self.bytesMissing = bytesMissing
    }
}
