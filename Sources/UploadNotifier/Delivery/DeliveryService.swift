import Foundation
public import Logging
public import ServiceLifecycle
public import Uploads

/// Brings outcomes from the outbox to the delegates, each in a loop of its own, so that a slow or dead one holds up
/// nobody else. At least once, and always under the same id.
///
/// An error that cannot pass (`retry: .never`) and a schedule that is used up pause the delegate, loudly, with its
/// backlog kept. A restart of the notifier serves paused delegates again: it is how an operator says that they were
/// mended.
public final class DeliveryService: Service {
    let outbox: any DeliveryOutbox
    let clock: NotifierClock
    let logger: Logger
    let stopGrace: Duration
    private let lines: [DeliveryLine]

    public init(
        outbox: any DeliveryOutbox, delegates: [RegisteredDelegate], clock: NotifierClock = .system,
        stopGrace: Duration = .seconds(3), logger: Logger
    ) {
        self.outbox = outbox
        self.clock = clock
        self.logger = logger
        self.stopGrace = stopGrace
        self.lines = delegates.map { DeliveryLine($0, outbox: outbox, clock: clock, logger: logger) }
    }

    /// There are new rows in the outbox.
    public func wake() {
        for line in lines { line.wake() }
    }

    /// Takes no more deliveries; `run` returns when those under way are done.
    public func stop() {
        for line in lines { line.stop() }
    }

    /// Delivers until `stop`, a graceful shutdown or cancellation. What is then under way gets the stop grace; what is
    /// cut off is delivered again at the next start.
    public func run() async throws {
        let grace = stopGrace
        await withTaskGroup(of: Void.self) { group in
            group.addTask {
                await withTaskGroup(of: Void.self) { lines in
                    for line in self.lines { lines.addTask { await line.run() } }
                }
            }
            group.addTask {
                do { try await gracefulShutdown() } catch { return self.stop() }
                self.stop()
                try? await Task.sleep(for: grace)
            }
            await group.next()
            group.cancelAll()
        }
    }
}
