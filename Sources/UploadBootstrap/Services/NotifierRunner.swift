import Logging
import ServiceLifecycle
import Synchronization
import UploadClient
import UploadNotifier
import Uploads
import UploadsRabbitMQ

/// Runs the notifier on its broker: connects, claims the namespace for its ledger, records outcomes, delivers them to delegates and
/// closes. The ``DelegateManager`` decides which delegates receive outcomes.
final class NotifierRunner: Service {
    private let connector: BrokerConnector
    private let ledger: any NotifierLedger
    private let queues: BrokerDelegateQueues
    private let configuration: NotifierConfiguration
    private let sweeper: Sweeper
    private let stagingSweeper: StagingSweeper
    private let spool: String
    private let readiness: Readiness
    private let operations: CurrentBroker
    private let delegateManager: DelegateManager
    private let progress: LatestProgress
    private let metrics: ShardMetrics
    private let meet: @Sendable (LedgerObstacle?) -> Void
    private let logger: Logger

    /// - Parameter meet: receives the obstacle when the namespace has another ledger, and nil once it has this one.
    init(
        connector: BrokerConnector, ledger: any NotifierLedger, queues: BrokerDelegateQueues,
        configuration: NotifierConfiguration, sweeper: Sweeper, stagingSweeper: StagingSweeper, spool: String,
        readiness: Readiness, operations: CurrentBroker,
        delegateManager: DelegateManager, progress: LatestProgress, metrics: ShardMetrics,
        meet: @escaping @Sendable (LedgerObstacle?) -> Void, logger: Logger
    ) {
        self.operations = operations
        self.progress = progress
        self.metrics = metrics
        self.meet = meet
        self.delegateManager = delegateManager
        self.connector = connector
        self.ledger = ledger
        self.queues = queues
        self.configuration = configuration
        self.sweeper = sweeper
        self.stagingSweeper = stagingSweeper
        self.spool = spool
        self.readiness = readiness
        self.logger = logger
    }

    func run() async throws {
        while try await work() {}
    }

    /// Serves one connection from its beginning to its end. When the operator gives the namespace to another ledger, the notifier
    /// connects again and waits until its own ledger is adopted.
    /// - Returns: whether to connect again.
    private func work() async throws -> Bool {
        let connected = try await untilGracefulShutdown { [connector] in
            try await connector.connect { broker throws(UploadError) in try await broker.notifierBus() }
        }
        guard let connected else { return false }
        let broker = connected.0
        let bus = connected.1
        // A notifier that does not reach the broker keeps no shard from others.
        await ledger.share(true)
        queues.use(broker)
        let outbox = OutboxPublisher(spool: spool, broker: broker, logger: logger)
        let isSuperseded: Bool
        do {
            if let claimed = try await claim(broker, bus) {
                isSuperseded = try await outbox.publishing { try await self.serve(broker, bus, claimed) }
            } else {
                isSuperseded = false
            }
        } catch {
            connector.connected.set(nil)
            await broker.close()
            throw error
        }
        connector.connected.set(nil)
        await ledger.share(false)
        if isSuperseded {
            let reason = LedgerObstacle.foreign("another ledger has the namespace now")
            meet(reason)
            readiness.set(reason.reason(path: ledger.path))
        } else {
            readiness.set("stopped")
        }
        await broker.close()
        return isSuperseded
    }

    /// Claims the namespace for the ledger. The notifier publishes and consumes nothing before the claim succeeds.
    /// - Returns: nil when the program was stopped first.
    private func claim(_ broker: UploadBroker, _ bus: RabbitMQNotifierBus) async throws -> ControlView? {
        readiness.set { await broker.obstacle(within: Readiness.patience) ?? "reading the control log" }
        let claimant = LedgerClaimant(bus: bus, ledger: ledger, configuration: configuration, logger: logger)
        let claimed = try await untilGracefulShutdown { [self] in
            try await claimant.claim { obstacle in
                if case .foreign = obstacle { meet(obstacle) }
                let reason = obstacle.reason(path: ledger.path)
                readiness.set { await broker.obstacle(within: Readiness.patience) ?? reason }
            }
        }
        if claimed != nil { meet(nil) }
        return claimed
    }

    /// - Returns: whether the service ended because another ledger has the namespace.
    private func serve(
        _ broker: UploadBroker, _ bus: RabbitMQNotifierBus, _ claimed: ControlView
    ) async throws -> Bool {
        let service = await delegateManager.serve { delegates in
            NotifierService(
                bus: bus, ledger: ledger, claimed: claimed, delegates: delegates, configuration: configuration,
                sweeper: sweeper, stagingSweeper: stagingSweeper, progress: progress, metrics: metrics,
                progressFeed: broker, logger: logger)
        }
        readiness.set {
            if let obstacle = await broker.obstacle(within: Readiness.patience) { return obstacle }
            if let obstacle = service.obstacle { return obstacle }
            if service.standsBy { return LedgerObstacle.divided.reason(path: self.ledger.path) }
            return bus.isTaking ? nil : "not consuming yet"
        }
        let group = ServiceGroup(
            configuration: ServiceGroupConfiguration(
                services: [.init(service: service, successTerminationBehavior: .gracefullyShutdownGroup)],
                logger: logger.quiet))
        operations.serve(broker, service)
        defer {
            operations.serve(broker, nil)
            delegateManager.stopServing()
        }
        try await withGracefulShutdownHandler {
            try await group.run()
        } onGracefulShutdown: {
            Task { await group.triggerGracefulShutdown() }
        }
        return service.isSuperseded
    }
}
