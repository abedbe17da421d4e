public import Logging
public import Uploads

/// A delegate that is served: who it is, what it hears, how many deliveries it takes at a time.
public struct RegisteredDelegate: Sendable {
    public var delegate: any CompletionDelegate
    public var route: DeliveryRoute
    /// Deliveries under way at most, 1 or more. A `BatchDelegate` gets one batch at a time whatever this says.
    public var concurrencyMaximum: Int
    public var schedule: DeliverySchedule

    public init(
        _ delegate: any CompletionDelegate, types: Set<EventKind> = [.completed, .failed, .cancelled],
        concurrencyMaximum: Int = 8, schedule: DeliverySchedule = DeliverySchedule()
    ) {
        self.delegate = delegate
        self.route = DeliveryRoute(delegate: delegate.name, kinds: types)
        self.concurrencyMaximum = max(1, concurrencyMaximum)
        self.schedule = schedule
    }

    /// The delegate of a configuration.
    /// - Throws: `misconfigured` with what is wrong and what was expected, never with a secret.
    public init(
        _ configuration: DelegateConfiguration, allowNetworks: [NetworkRange] = [], logger: Logger
    ) throws(UploadError) {
        guard !configuration.types.isEmpty, configuration.types.allSatisfy(\.isEnd) else {
            throw UploadError(
                .misconfigured,
                "delegate '\(configuration.name)': types are one or more of completed, failed and cancelled")
        }
        let delegate: any CompletionDelegate =
            switch configuration.kind {
            case .webhook(let webhook):
                try WebhookDelegate(name: configuration.name, webhook, allowNetworks: allowNetworks, logger: logger)
            case .log(let log): try LogDelegate(name: configuration.name, log, logger: logger)
            }
        self.init(delegate, types: configuration.types)
    }

    public var name: String { delegate.name }
}
