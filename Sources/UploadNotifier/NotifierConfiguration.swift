/// The settings of the notifier; every value has a default that works.
public struct NotifierConfiguration: Sendable {
    /// Networks to which webhooks may point although they are loopback, private, link-local or otherwise not public. None
    /// by default.
    public var allowNetworks: [NetworkRange]
    /// How long the ledger keeps its records.
    public var keep: LedgerRetention
    /// How long work under way may take after the request to stop: 3 s.
    public var stopGrace: Duration
    /// How often the control log gets a snapshot: 1 hour.
    public var snapshotInterval: Duration
    /// The longest pause before a broker or ledger that failed is tried again: 15 s.
    public var retryDelayMaximum: Duration
    /// How often the notifier looks at held jobs: 1 s.
    public var holdInterval = Duration.seconds(1)
    /// How often one of several notifiers with a ledger looks at what the others have done: 250 ms.
    public var newsInterval = Duration.milliseconds(250)
    /// How long one of several notifiers keeps its shards while it is not connected to the broker: 5 s.
    public var brokerPatience = Duration.seconds(5)
    /// How often the notifier looks for abandoned uploads, a quarter more or less: 1 hour.
    public var sweepInterval: Duration
    /// How long the sweep waits until the notifier has recorded the messages before it: 1 minute.
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
