public import Foundation

/// What a slice did, besides how it settled; the sums are added to the baton's.
public struct SliceReport: Hashable, Sendable {
    /// Bytes that were sent, repeats included.
    public var bytesSent: Int64
    /// Seconds between claim and settlement.
    public var activeSeconds: TimeInterval
    /// When the slice began; nil if it was never started.
    public var startedAt: Date?

    public init(bytesSent: Int64 = 0, activeSeconds: TimeInterval = 0, startedAt: Date? = nil) {
        self.bytesSent = bytesSent
        self.activeSeconds = activeSeconds
        self.startedAt = startedAt
    }
}
