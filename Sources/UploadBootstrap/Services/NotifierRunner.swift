import Logging
import ServiceLifecycle
import Synchronization
import UploadNotifier
import Uploads
import UploadsRabbitMQ

/// The notifier on its broker: connects, records and tells, closes. New delegates are taken over by stopping and starting
/// what records and tells; the connection and the ledger stay.
final class NotifierRunner: Service {
    private struct State {
        var delegates: [RegisteredDelegate]
        var isReloading = false
        var group: ServiceGroup?
    }

    private let connector: BrokerConnector
    private let ledger: Ledger
    private let configuration: NotifierConfiguration
    private let readiness: Readiness
    private let logger: Logger
    private let state: Mutex<State>

    init(
        connector: BrokerConnector, ledger: Ledger, delegates: [RegisteredDelegate],
        configuration: NotifierConfiguration, readiness: Readiness, logger: Logger
    ) {
        self.connector = connector
        self.ledger = ledger
        self.configuration = configuration
        self.readiness = readiness
        self.logger = logger
        state = Mutex(State(delegates: delegates))
    }

    /// Serves these delegates from now on.
    func reload(_ delegates: [RegisteredDelegate]) async {
        let group = state.withLock { state in
            state.delegates = delegates
            state.isReloading = state.group != nil
            return state.group
        }
        await group?.triggerGracefulShutdown()
    }

    func run() async throws {
        let connected = try await untilGracefulShutdown { [connector] in
            try await connector.connect { broker throws(UploadError) in try await broker.notifierBus() }
        }
        guard let connected else { return }
        let broker = connected.0
        var bus = connected.1
        readiness.set {
            broker.isConnected ? nil : "the connection to the broker is lost, reconnecting"
        }
        do {
            while true {
                try await serve(bus)
                let isReloading = state.withLock { state in
                    defer { state.isReloading = false }
                    return state.isReloading
                }
                guard isReloading, !Task.isShuttingDownGracefully, !Task.isCancelled else { break }
                bus = try await broker.notifierBus()
            }
        } catch {
            await broker.close()
            throw error
        }
        readiness.set("stopped")
        await broker.close()
    }

    private func serve(_ bus: RabbitMQNotifierBus) async throws {
        let delegates = state.withLock { $0.delegates }
        let service = NotifierService(
            bus: bus, ledger: ledger, delegates: delegates, configuration: configuration, logger: logger)
        let group = ServiceGroup(
            configuration: ServiceGroupConfiguration(
                services: [.init(service: service, successTerminationBehavior: .gracefullyShutdownGroup)],
                logger: logger.quiet))
        state.withLock { $0.group = group }
        defer { state.withLock { $0.group = nil } }
        try await withGracefulShutdownHandler {
            try await group.run()
        } onGracefulShutdown: {
            Task { await group.triggerGracefulShutdown() }
        }
    }
}
