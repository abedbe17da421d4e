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
        let name = configuration.name
        let mapping = configuration.mapping
        guard !configuration.types.isEmpty, configuration.types.allSatisfy(\.isEnd) else {
            throw UploadError(
                .misconfigured, "delegate '\(name)': types are one or more of completed, failed and cancelled")
        }
        var concurrency = 8
        var schedule = DeliverySchedule()
        let delegate: any CompletionDelegate
        switch configuration.kind {
        case .webhook(let webhook):
            delegate = try WebhookDelegate(
                name: name, webhook, mapping: mapping, allowNetworks: allowNetworks, logger: logger)
        case .queue(let queue):
            guard let queues else {
                throw UploadError(.misconfigured, "delegate '\(name)' is a queue, and there is no broker to hold it")
            }
            delegate = QueueDelegate(name: name, queue, mapping: mapping, queues: queues)
            concurrency = 64
            schedule = .steady
        case .command(let command):
            delegate = try CommandDelegate(name: name, command, mapping: mapping)
            concurrency = 4
        case .log(let log): delegate = try LogDelegate(name: name, log, mapping: mapping, logger: logger)
        }
        self.init(
            delegate, types: configuration.types, filter: configuration.filter,
            concurrencyMaximum: configuration.concurrencyMaximum ?? concurrency, schedule: schedule,
            isOrdered: configuration.isOrdered,
            summary: DelegateSummary(configuration, concurrency: configuration.concurrencyMaximum ?? concurrency))
        basis = Basis(configuration: configuration, allowNetworks: allowNetworks)
    }

    /// Whether both were made from the same definition.
    func isSame(as other: RegisteredDelegate) -> Bool { basis != nil && basis == other.basis }

    /// Whether it takes many outcomes at once.
    var isBatch: Bool { delegate is any BatchDelegate }

    public var name: String { delegate.name }
}
