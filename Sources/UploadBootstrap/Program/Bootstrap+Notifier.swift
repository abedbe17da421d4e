import Foundation
import Logging
import Metrics
import Synchronization
import UploadNotifier
import UploadSources
import Uploads

extension Bootstrap {
    /// `upload-notifier`: opens the ledger, or stands by until its file is free, and serves until it is stopped.
    public static func notify(_ input: ConfigurationInput, checkConfig: Bool) async throws -> ExitCode {
        Allocator.tune()
        let configuration = try UploadConfiguration(input)
        _ = try configuration.connection(for: "upload-notifier")
        let logger = configuration.logger("upload-notifier")
        _ = try configuration.registeredDelegates(queues: BrokerDelegateQueues(), logger: logger)
        _ = try configuration.apiAccess()
        _ = try configuration.ledgerPlace()
        if checkConfig {
            try configuration.checkSecrets(of: ["brokerPassword", "delegates", "notifier", "tokens"])
            _ = try configuration.connection(for: "upload-notifier")
            Console.output(line: ConfigurationReport(settings: configuration.settings).text)
            return .done
        }
        for warning in configuration.warnings { logger.warning("\(warning)") }
        let registry = PrometheusRegistry()
        MetricsSystem.bootstrap(registry)
        let figures = ProcessMetrics()
        return try await ProgramTelemetry.during(
            .uploadNotifier, configuration.environment, registry, logger: logger, warn: { logger.warning("\($0)") }
        ) {
            try await open(configuration, input: input, registry: registry, figures: figures, logger: logger)
        }
    }

    /// Opens the ledger, or stands by until that is possible, and serves.
    private static func open(
        _ configuration: UploadConfiguration, input: ConfigurationInput, registry: PrometheusRegistry,
        figures: ProcessMetrics, logger: Logger
    ) async throws -> ExitCode {
        var configuration = configuration
        let ledger: any NotifierLedger
        switch try await StandBy.open(configuration.ledgerPlace(), shards: configuration.shards, logger: logger) {
        case .opened(let free): ledger = free
        case .obstacle(let obstacle):
            guard
                let late = try await standBy(
                    obstacle, configuration, input: input, registry: registry, figures: figures, logger: logger)
            else { return .done }
            (ledger, configuration) = late
        }
        do {
            try await serve(
                ledger, configuration, input: input, registry: registry, figures: figures, logger: logger)
        } catch {
            try? await ledger.close()
            throw error
        }
        try? await ledger.close()
        logger.info("notifier stopped")
        return .done
    }

    /// Serves until the program is stopped.
    private static func serve(
        _ ledger: any NotifierLedger, _ configuration: UploadConfiguration, input: ConfigurationInput,
        registry: PrometheusRegistry, figures: ProcessMetrics, logger: Logger
    ) async throws {
        try configuration.checkSecrets(of: ["brokerPassword", "delegates", "notifier", "tokens"])
        let connection = try configuration.connection(for: "upload-notifier")
        let queues = BrokerDelegateQueues()
        let settings = configuration.notifier
        let readiness = Readiness()
        var notifier = NotifierConfiguration(allowNetworks: try configuration.networks(), keep: settings.keep)
        notifier.sweepsDestinations = settings.sweepAfter != nil
        let destinations = try DestinationRegistry(configuration) { warn(logger, $0, $1) }
        let operations = CurrentBroker(namespace: configuration.namespace)
        let delegateManager = DelegateManager(register: ledger, logger: logger)
        try await configuration.configure(delegateManager, queues: queues, logger: logger)
        let latest = Mutex(configuration)
        let (progress, metrics, connected) = (LatestProgress(), ShardMetrics(), BrokerConnection())
        let staging = StagingMetrics { [path = configuration.spool] () throws(UploadError) in
            try await StagingArea.existing(at: path)
        }
        let obstacle = Mutex<LedgerObstacle?>(nil)
        let api = NotifierAPI(
            access: try configuration.apiAccess(), ledger: ledger, history: ledger, operations: operations,
            delegates: delegateManager,
            destinations: { latest.withLock { $0.destinationSummaries } }, progress: progress, logger: logger)
        let pool = PoolMetrics(ledger: ledger, operations: operations, progress: progress, paces: api.paces)
        let runner = NotifierRunner(
            connector: BrokerConnector(
                connection: connection, namespace: configuration.namespace, shards: configuration.shards,
                readiness: readiness, connected: connected, logger: logger),
            ledger: ledger, queues: queues, configuration: notifier,
            sweeper: Sweeper(ledger: ledger, rule: Self.sweepRule(configuration, notifier), logger: logger) {
                destinations.sweepable
            }, stagingSweeper: Self.stagingSweeper(configuration, destinations, ledger, logger),
            spool: configuration.spool,
            readiness: readiness, operations: operations, delegateManager: delegateManager, progress: progress,
            metrics: metrics, meet: { met in obstacle.withLock { $0 = met } }, logger: logger)
        logger.info(
            "notifier starts",
            metadata: [
                "ledger": "\(ledger.path)", "broker": "\(connection)",
                "delegates": "\(delegateManager.summaries.map(\.name).joined(separator: ","))",
            ])
        registry.onUpdate {
            figures.show()
            metrics.show()
            connected.show()
            CurrentBroker.show(isActive: operations.isActive)
            // Also while the broker is away, but not for a namespace that has another ledger.
            let isFirst = ledger.mayClaim && obstacle.withLock({ $0 }) == nil
            await delegateManager.showBacklogs(isFirst)
            await pool.show(isFirst)
            await staging.show()
        }
        // The ledger is closed then.
        defer { registry.onUpdate { figures.show() } }
        do {
            try await Self.run(
                [
                    HealthServer(
                        settings.http, readiness: readiness, registry: registry, api: api,
                        obstacle: { obstacle.withLock { $0 } }, logger: logger),
                    api.paces,
                    ReloadService(
                        program: .uploadNotifier, input: input, settings: configuration.settings, logger: logger
                    ) { new in
                        _ = try new.registeredDelegates(queues: queues, logger: logger)
                        api.admit(try new.apiAccess())
                        try destinations.reload(new) { warn(logger, $0, $1) }
                        try await new.configure(delegateManager, queues: queues, logger: logger)
                        latest.withLock { $0 = new }
                    },
                ], main: runner, readiness: readiness, grace: notifier.stopGrace, logger: logger)
        } catch {
            try? await destinations.shutdown()
            throw error
        }
        try await destinations.shutdown()
    }

    private static func stagingSweeper(
        _ configuration: UploadConfiguration, _ destinations: DestinationRegistry, _ ledger: any StagingQueries,
        _ logger: Logger
    ) -> StagingSweeper {
        StagingSweeper(
            ledger: ledger, rule: StagingRule(keepFailed: configuration.stagingKeepFailed), logger: logger
        ) { () throws(UploadError) in
            var areas: [any SweepableStaging] = []
            if let spool = try await StagingArea.existing(at: configuration.spool) { areas.append(spool) }
            if let place = configuration.staging.destination,
                let area = try await DestinationArea.existing(at: place, of: destinations)
            {
                areas.append(area)
            }
            return areas
        }
    }

    /// Logs that the notifier does not sweep a destination, for example because only the workers have its secret.
    private static func warn(_ logger: Logger, _ name: DestinationName, _ error: ProgramError) {
        logger.warning(
            "a destination is not swept: it cannot be used from here",
            metadata: ["destination": "\(name)", "error": "\(error)"])
    }

    /// A failed job's session stays as long as the job's staged copy: a longer `sweepAfter` also applies to failed jobs.
    private static func sweepRule(
        _ configuration: UploadConfiguration, _ notifier: NotifierConfiguration
    ) -> SweepRule {
        let seconds = configuration.notifier.sweepAfter ?? SweepRule().sweepAfter
        return SweepRule(
            sweepAfter: seconds, keepFailed: configuration.stagingKeepFailed,
            forgetAfter: max(seconds, notifier.keep.jobs))
    }
}

extension Bootstrap {
    /// The keys that a notifier has used when it stands by. It takes over all others when it begins to work.
    private static let keysOfStandBy: Set = [
        "notifier.ledger", "notifier.ledgerPassword", "shards", "log.level", "log.format",
    ]

    /// Waits until the ledger can be opened; meanwhile the health server answers.
    /// - Parameter obstacle: why the first try to open the ledger failed.
    /// - Returns: the open ledger and the latest valid configuration; nil if the program was stopped first.
    static func standBy(
        _ obstacle: LedgerObstacle, _ configuration: UploadConfiguration, input: ConfigurationInput,
        registry: PrometheusRegistry, figures: ProcessMetrics, logger: Logger
    ) async throws -> (any NotifierLedger, UploadConfiguration)? {
        let settings = configuration.notifier
        let readiness = Readiness()
        let standBy = StandBy(
            try configuration.ledgerPlace(), shards: configuration.shards, obstacle, readiness: readiness,
            logger: logger)
        let latest = Mutex(configuration)
        registry.onUpdate {
            figures.show()
            BrokerConnection().show()
            CurrentBroker.show(isActive: false)
        }
        try await run(
            [
                HealthServer(
                    settings.http, readiness: readiness, registry: registry, obstacle: { standBy.obstacle },
                    logger: logger),
                ReloadService(
                    program: .uploadNotifier, input: input, settings: configuration.settings,
                    takesOver: { !Self.keysOfStandBy.contains($0.path) }, logger: logger
                ) { new in
                    _ = try new.registeredDelegates(queues: BrokerDelegateQueues(), logger: logger)
                    _ = try new.apiAccess()
                    latest.withLock { $0 = new }
                },
            ], main: standBy, readiness: readiness, grace: .zero, logger: logger)
        guard let ledger = standBy.takeLedger() else { return nil }
        return (ledger, latest.withLock { $0 })
    }
}
