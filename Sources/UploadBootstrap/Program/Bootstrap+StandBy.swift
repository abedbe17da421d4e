import Logging
import Synchronization
import UploadNotifier

extension Bootstrap {
    /// Alive while there is no ledger to be had.
    /// - Parameter obstacle: why not, at first.
    /// - Returns: the ledger once it is free, with the configuration as it was read last; nil if it was stopped first.
    static func standBy(
        _ obstacle: LedgerObstacle, _ configuration: UploadConfiguration, input: ConfigurationInput,
        registry: PrometheusRegistry, logger: Logger
    ) async throws -> (Ledger, UploadConfiguration)? {
        let settings = configuration.notifier
        let readiness = Readiness()
        let standBy = StandBy(path: settings.ledger, obstacle, readiness: readiness, logger: logger)
        let latest = Mutex(configuration)
        try await run(
            [
                HealthServer(
                    settings.http, readiness: readiness, registry: registry, obstacle: { standBy.obstacle },
                    logger: logger),
                ReloadService(input: input, logger: logger) { new in
                    _ = try new.registeredDelegates(queues: BrokerDelegateQueues(), logger: logger)
                    latest.withLock { $0 = new }
                },
            ], main: standBy, grace: .zero, logger: logger)
        guard let ledger = standBy.takeLedger() else { return nil }
        return (ledger, latest.withLock { $0 })
    }
}
