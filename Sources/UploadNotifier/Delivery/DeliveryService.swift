import Foundation
public import Logging
public import ServiceLifecycle
import Synchronization
public import Uploads

/// Brings outcomes from the outbox to the delegates, each in a loop of its own, so that a slow or dead one holds up
/// nobody else. At least once, and always under the same id.
///
/// An error that cannot pass (`retry: .never`) and a schedule that is used up while nothing else was taken pause the
/// delegate, loudly, with its backlog kept. A restart of the notifier serves such delegates again, and so does another
/// definition; what an operator has paused waits for an operator. One outcome that is refused while others are taken is given
/// up alone, and kept.
public final class DeliveryService: Service {
    /// A loop, and the one of the same name that was told to stop before it: no delivery is under way in both.
    private struct Opening {
        var loop: DeliveryLoop
        var predecessor: DeliveryLoop?
    }

    let outbox: any DeliveryOutbox
    let clock: NotifierClock
    let logger: Logger
    let stopGrace: Duration
    let loops = Mutex<[String: DeliveryLoop]>([:])
    /// Of delegates that are gone, while something is under way to them.
    private let retired = Mutex<[String: DeliveryLoop]>([:])
    private let openings: AsyncStream<Opening>
    private let opening: AsyncStream<Opening>.Continuation

    public init(
        outbox: any DeliveryOutbox, delegates: [RegisteredDelegate], clock: NotifierClock = .system,
        stopGrace: Duration = .seconds(3), logger: Logger
    ) {
        self.outbox = outbox
        self.clock = clock
        self.logger = logger
        self.stopGrace = stopGrace
        (openings, opening) = AsyncStream.makeStream()
        serve(delegates)
    }

    /// Serves these from now on. The way to those that stay as they are is not touched, nor what is under way to anybody;
    /// another definition of a delegate holds from its next delivery on.
    public func serve(_ delegates: [RegisteredDelegate]) {
        loops.withLock { loops in
            let wanted = Set(delegates.map(\.name))
            for (name, loop) in loops where !wanted.contains(name) {
                loops[name] = nil
                retired.withLock { $0[name] = loop }
                loop.retire()
                DeliveryLoop.showNothing(name)
            }
            for delegate in delegates {
                if let loop = loops[delegate.name] {
                    if !loop.registered.isSame(as: delegate) { loop.redefine(delegate) }
                } else {
                    let loop = DeliveryLoop(delegate, outbox: outbox, clock: clock, logger: logger)
                    loops[delegate.name] = loop
                    opening.yield(Opening(loop: loop, predecessor: retired.withLock { $0[delegate.name] }))
                }
            }
        }
    }

    /// There are new rows in the outbox.
    public func wake() {
        for loop in loops.withLock({ Array($0.values) }) { loop.wake() }
    }

    /// Takes no more deliveries; `run` returns when those under way are done.
    public func stop() {
        opening.finish()
        for loop in loops.withLock({ Array($0.values) }) { loop.stop() }
    }

    /// Delivers until `stop`, a graceful shutdown or cancellation. What is then under way gets the stop grace; what is
    /// cut off is delivered again at the next start.
    public func run() async throws {
        let grace = stopGrace
        await withTaskGroup(of: Void.self) { group in
            group.addTask {
                await withDiscardingTaskGroup { loops in
                    for await opening in self.openings {
                        loops.addTask { await self.run(opening) }
                    }
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

    private func run(_ opening: Opening) async {
        await opening.predecessor?.waitUntilEnded()
        await opening.loop.run()
        retired.withLock { retired in
            if retired[opening.loop.name] === opening.loop { retired[opening.loop.name] = nil }
        }
    }
}
