public import Logging
public import Uploads

/// A delegate that is served, with its route, its schedule and the number of deliveries that it takes at a time.
public struct RegisteredDelegate: Sendable {
    public var delegate: any CompletionDelegate
    public var route: DeliveryRoute
    /// Deliveries under way at most, 1 or more. A `BatchDelegate` gets one batch at a time in any case.
    public var concurrencyMaximum: Int
    public var schedule: DeliverySchedule
    /// Whether a job's outcomes are delivered one after the other, in the order of its rounds.
    public var isOrdered: Bool
    /// The delegate as the API shows it, without its secrets.
    public var summary: DelegateSummary
    /// The configuration from which the delegate was made; nil for a custom delegate.
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

    /// Makes the delegate of a configuration.
    /// - Parameter queues: access to the queues of queue delegates.
    /// - Throws: `misconfigured` with the fault and the expected value, never with a secret.
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
