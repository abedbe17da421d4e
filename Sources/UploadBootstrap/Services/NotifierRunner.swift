import Logging
import ServiceLifecycle
import UploadClient
import UploadNotifier
import Uploads
import UploadsRabbitMQ

/// The notifier on its broker: connects, records and tells, closes. Which delegates are told is the delegate desk's to say.
final class NotifierRunner: Service {
    private let connector: BrokerConnector
    private let ledger: Ledger
    private let queues: BrokerDelegateQueues
    private let configuration: NotifierConfiguration
    private let sweeper: Sweeper
    private let stagingSweeper: StagingSweeper
    private let staging: String
    private let readiness: Readiness
    private let desk: BrokerDesk
    private let delegateDesk: DelegateDesk
    private let progress: ProgressBoard
    private let logger: Logger

    init(
        connector: BrokerConnector, ledger: Ledger, queues: BrokerDelegateQueues, configuration: NotifierConfiguration,
        sweeper: Sweeper,
        stagingSweeper: StagingSweeper, staging: String, readiness: Readiness, desk: BrokerDesk,
        delegateDesk: DelegateDesk, progress: ProgressBoard, logger: Logger
    ) {
        self.desk = desk
        self.progress = progress
        self.delegateDesk = delegateDesk
        self.connector = connector
        self.ledger = ledger
        self.queues = queues
        self.configuration = configuration
        self.sweeper = sweeper
        self.stagingSweeper = stagingSweeper
        self.staging = staging
        self.readiness = readiness
        self.logger = logger
    }

    func run() async throws {
        let connected = try await untilGracefulShutdown { [connector] in
            try await connector.connect { broker throws(UploadError) in try await broker.notifierBus() }
        }
        guard let connected else { return }
        let broker = connected.0
        let bus = connected.1
        queues.use(broker)
        let outbox = OutboxPublisher(staging: staging, broker: broker, logger: logger)
        do {
            try await outbox.publishing { try await self.serve(broker, bus) }
        } catch {
            await broker.close()
            throw error
        }
        readiness.set("stopped")
        await broker.close()
    }

    private func serve(_ broker: UploadBroker, _ bus: RabbitMQNotifierBus) async throws {
        let service = await delegateDesk.serve { delegates in
            NotifierService(
                bus: bus, ledger: ledger, delegates: delegates, configuration: configuration, sweeper: sweeper,
                stagingSweeper: stagingSweeper, progress: progress, progressFeed: broker, logger: logger)
        }
        readiness.set {
            if let obstacle = await broker.obstacle(within: Readiness.patience) { return obstacle }
            return service.obstacle ?? (bus.isTaking ? nil : "not consuming yet")
        }
        let group = ServiceGroup(
            configuration: ServiceGroupConfiguration(
                services: [.init(service: service, successTerminationBehavior: .gracefullyShutdownGroup)],
                logger: logger.quiet))
        desk.serve(broker, service)
        defer {
            desk.serve(broker, nil)
            delegateDesk.stopServing()
        }
        try await withGracefulShutdownHandler {
            try await group.run()
        } onGracefulShutdown: {
            Task { await group.triggerGracefulShutdown() }
        }
    }
}
