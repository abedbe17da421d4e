public import Logging
public import Uploads

/// A delegate that is served: who it is, what it hears, how many deliveries it takes at a time.
public struct RegisteredDelegate: Sendable {
    public var delegate: any CompletionDelegate
    public var route: DeliveryRoute
    /// Deliveries under way at most, 1 or more. A `BatchDelegate` gets one batch at a time whatever this says.
    public var concurrencyMaximum: Int
    public var schedule: DeliverySchedule
    /// Whether a job's outcomes come one after the other, in the order of its rounds.
    public var isOrdered: Bool
    /// As it is shown, without its secrets.
    public var summary: DelegateSummary
    /// What it was made from; nil for one that was made by hand.
    private var basis: Basis?

    private struct Basis: Hashable {
        var configuration: DelegateConfiguration
        var allowNetworks: [NetworkRange]
    }

    public init(
        _ delegate: any CompletionDelegate, types: Set<EventKind> = [.completed, .failed, .cancelled],
        filter: DeliveryFilter = DeliveryFilter(), concurrencyMaximum: Int = 8,
        schedule: DeliverySchedule = DeliverySchedule(), isOrdered: Bool = false, summary: DelegateSummary? = nil
    ) {
        self.delegate = delegate
        self.route = DeliveryRoute(delegate: delegate.name, kinds: types, filter: filter)
        self.concurrencyMaximum = max(1, concurrencyMaximum)
        self.schedule = schedule
        self.isOrdered = isOrdered
        self.summary =
            summary
            ?? DelegateSummary(
                name: delegate.name, kind: "custom", types: EventKind.allCases.filter(types.contains).map(\.rawValue))
    }

    /// The delegate of a configuration.
    /// - Parameter queues: where queue delegates have their queues.
    /// - Throws: `misconfigured` with what is wrong and what was expected, never with a secret.
    public init(
        _ configuration: DelegateConfiguration, allowNetworks: [NetworkRange] = [],
        queues: (any DelegateQueues)? = nil, logger: Logger
    ) throws(UploadError) {
        guard !configuration.types.isEmpty, configuration.types.allSatisfy(\.isEnd) else {
            throw UploadError(
                .misconfigured,
                "delegate '\(configuration.name)': types are one or more of completed, failed and cancelled")
        }
        let kind = configuration.kind.configuration
        let concurrency = configuration.concurrencyMaximum ?? type(of: kind).usualConcurrency
        let context = DelegateContext(
            name: configuration.name, mapping: configuration.mapping, allowNetworks: allowNetworks, queues: queues,
            logger: logger)
        self.init(
            try kind.delegate(context), types: configuration.types, filter: configuration.filter,
            concurrencyMaximum: concurrency, schedule: type(of: kind).schedule, isOrdered: configuration.isOrdered,
            summary: DelegateSummary(configuration, concurrency: concurrency))
        basis = Basis(configuration: configuration, allowNetworks: allowNetworks)
    }

    /// Whether both were made from the same definition.
    func isSame(as other: RegisteredDelegate) -> Bool { basis != nil && basis == other.basis }

    /// Whether it takes many outcomes at once.
    var isBatch: Bool { delegate is any BatchDelegate }

    public var name: String { delegate.name }
}
