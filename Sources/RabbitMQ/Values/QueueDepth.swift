/// The state of a queue at the moment.
public struct QueueDepth: Hashable, Sendable {
    /// Messages that wait, without those delivered and not yet settled.
    public let messages: UInt32
    public let consumers: UInt32
}
