/// How the notifier behaves; every value has a default that just works.
public struct NotifierConfiguration: Sendable {
    /// Networks that webhooks may point at though they are loopback, private, link-local or otherwise not public. None
    /// by default.
    public var allowNetworks: [NetworkRange]
    /// How long the ledger keeps what.
    public var keep: LedgerRetention
    /// How long what is under way may take when the notifier is told to stop: 3 s.
    public var stopGrace: Duration
    /// How often the control log gets a snapshot: 1 hour.
    public var snapshotInterval: Duration
    /// The most that is waited before a broker or ledger that failed is tried again: 15 s.
    public var retryDelayMaximum: Duration
    /// How often jobs that are held are looked at: 1 s.
    public var holdInterval = Duration.seconds(1)
    /// How often abandoned uploads are looked for, a quarter more or less: 1 hour.
    public var sweepInterval: Duration
    /// How long the sweep waits for what is told to be recorded: 1 minute.
    public var sweepPatience: Duration
    /// Whether destinations are swept at intervals, and not only by order.
    public var sweepsDestinations = true

    public init(
        allowNetworks: [NetworkRange] = [], keep: LedgerRetention = LedgerRetention(),
        stopGrace: Duration = .seconds(3),
        snapshotInterval: Duration = .seconds(3600), retryDelayMaximum: Duration = .seconds(15),
        sweepInterval: Duration = .seconds(3600),
        sweepPatience: Duration = .seconds(60)
    ) {
        self.allowNetworks = allowNetworks
        self.keep = keep
        self.stopGrace = stopGrace
        self.snapshotInterval = snapshotInterval
        self.retryDelayMaximum = retryDelayMaximum
        self.sweepInterval = sweepInterval
        self.sweepPatience = sweepPatience
    }
}
