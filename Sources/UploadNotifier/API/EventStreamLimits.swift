/// The bounds of the stream of events. The defaults suit an ordinary installation.
public struct EventStreamLimits: Sendable {
    /// The most readers at once: 64.
    public var readersMaximum = 64
    /// Seconds that a write may wait for a reader that does not read: 30.
    public var writeSecondsMaximum = 30.0
    /// The time between two looks into the ledger for new events: 250 ms.
    public var pause = Duration.milliseconds(250)
    /// How long a connection may be silent before a heartbeat is sent: 15 s.
    public var heartbeat = Duration.seconds(15)
    /// The least time between two reports of one job's progress: 500 ms.
    public var progressInterval = Duration.milliseconds(500)
    /// The most jobs whose progress is sent at once.
    public var progressCountMaximum = 500
    /// The most events that are read at once.
    public var pageCountMaximum = 100

    public init() {}
}
