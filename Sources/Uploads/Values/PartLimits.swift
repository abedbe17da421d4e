/// The limits that a destination sets for parts.
public struct PartLimits: Hashable, Sendable {
    /// Least bytes of a part; the last may be smaller.
    public var partBytesMinimum: Int64
    /// The most bytes of a part.
    public var partBytesMaximum: Int64
    /// The most parts of an object.
    public var partCountMaximum: Int

    public init(partBytesMinimum: Int64, partBytesMaximum: Int64, partCountMaximum: Int) {
        self.partBytesMinimum = partBytesMinimum
        self.partBytesMaximum = partBytesMaximum
        self.partCountMaximum = partCountMaximum
    }

    /// No limits that matter: parts of any size, a million of them.
    public static let none = PartLimits(
        partBytesMinimum: 1, partBytesMaximum: .max, partCountMaximum: 1_000_000)
    /// The whole file in one request.
    public static let single = PartLimits(partBytesMinimum: 0, partBytesMaximum: .max, partCountMaximum: 1)
}
