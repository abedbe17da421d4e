/// What a slice has to know of an opened session.
public struct SessionFacts: Hashable, Sendable {
    public var state: UploadState?
    /// Parts of the whole file.
    public var partCount: Int
    /// Parts that the destination does not hold.
    public var missingCount: Int
    /// Bytes that the destination does not keep: of these parts, unless some of them are there and only have to be compared.
    public var bytesMissing: Int64
    /// Whether the destination was asked for it: not for one that nothing had touched since it was begun.
    public var isAsked = true

    public init(state: UploadState?, partCount: Int, missingCount: Int, bytesMissing: Int64) {
        self.state = state
        self.partCount = partCount
        self.missingCount = missingCount
        self.bytesMissing = bytesMissing
    }
}
