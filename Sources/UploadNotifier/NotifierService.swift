import Foundation
public import Logging
public import ServiceLifecycle
import Synchronization
public import Uploads

/// The notifier: records what the broker tells in the ledger, issues jobs anew by the rules of the baton, and tells
/// outcomes.
///
/// A batch is one ledger transaction; then what the ledger noted is published; only when all of that is confirmed is
/// the batch acknowledged. A crash anywhere in between repeats messages that the ledger knows already, and publications
/// from its note.
public final class NotifierService: Service {
    let bus: any NotifierBus
    let ledger: any LedgerRecorder
    let configuration: NotifierConfiguration
    let clock: NotifierClock
    let logger: Logger
    let routes: [DeliveryRoute]
    let deliveries: DeliveryService
    let publisher: OwedPublisher
    let view = Mutex(ControlView())
    /// Snapshots of the control log and publications to it take turns.
    let gate = SerialGate()
    private let isStopping = Mutex(false)

    public init(
        bus: any NotifierBus, ledger: Ledger, delegates: [RegisteredDelegate],
        configuration: NotifierConfiguration = NotifierConfiguration(), clock: NotifierClock = .system, logger: Logger
    ) {
        self.bus = bus
        self.ledger = ledger
        self.configuration = configuration
        self.clock = clock
        self.logger = logger
        self.routes = delegates.map(\.route)
        self.deliveries = DeliveryService(
            outbox: ledger, delegates: delegates, clock: clock, stopGrace: configuration.stopGrace, logger: logger)
        self.publisher = OwedPublisher(bus: bus, ledger: ledger, logger: logger)
    }

    private enum Part { case deliveries, messages, upkeep, grace }

    /// Works until a graceful shutdown, which takes seconds, or cancellation.
    public func run() async throws {
        await withTaskGroup(of: Part.self) { group in
            group.addTask {
                try? await self.deliveries.run()
                return .deliveries
            }
            group.addTask {
                await self.consume()
                self.deliveries.stop()
                return .messages
            }
            group.addTask {
                await self.keepUp()
                return .upkeep
            }
            group.addTask {
                do { try await gracefulShutdown() } catch { return .grace }
                await self.stop()
                return .grace
            }
            var working: Set<Part> = [.deliveries, .messages]
            while !working.isEmpty, let part = await group.next() {
                working.remove(part)
                if part == .grace { group.cancelAll() }
            }
            group.cancelAll()
        }
    }

    /// Takes no more; what is under way gets the grace.
    private func stop() async {
        isStopping.withLock { $0 = true }
        await bus.drain()
        deliveries.stop()
        try? await Task.sleep(for: configuration.stopGrace)
    }

    private func consume() async {
        var failures = 0
        while !Task.isCancelled, !isStopping.withLock({ $0 }) {
            do {
                try await recover()
                try await bus.consume { batch in
                    try await self.handle(batch)
                }
                return
            } catch {
                guard !Task.isCancelled else { return }
                failures = min(failures + 1, 16)
                let delay = min(configuration.retryDelayMaximum.seconds, pow(2, Double(failures)) / 4)
                logger.error(
                    "cannot record or publish; what was not acknowledged comes again",
                    metadata: [LogKey.error: "\(error)", LogKey.attempt: "\(failures)"])
                try? await clock.sleep(for: .seconds(delay))
            }
        }
    }
}
