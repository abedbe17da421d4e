/// What bounds the stream of events; every value has a default that just works.
public struct EventStreamLimits: Sendable {
    /// Most that may follow at once: 64.
    public var readersMaximum = 64
    /// How long a reader may leave what it is sent: 30 s.
    public var writeSecondsMaximum = 30.0
    /// How often the ledger is asked for more: 250 ms.
    public var pause = Duration.milliseconds(250)
    /// How often something is sent where nothing happens: 15 s.
    public var heartbeat = Duration.seconds(15)
    /// The least time between two tidings of one job's progress: 500 ms.
    public var progressInterval = Duration.milliseconds(500)
    /// Most jobs whose progress is told at once.
    public var progressCountMaximum = 500
    /// Most events that are read at once.
    public var pageCountMaximum = 100

    public init() {}
}
