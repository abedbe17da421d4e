import Foundation
public import Logging
public import ServiceLifecycle
import Synchronization
public import Uploads

/// Delivers outcomes from the outbox to the delegates, each in a loop of its own, so that a slow or dead delegate does not
/// hold up others. Each outcome is delivered at least once, and always under the same id.
///
/// An error that cannot pass (`retry: .never`) pauses the delegate, and so does a schedule that is used up while the delegate took
/// nothing else: the log has an error, and the backlog is kept. A restart of the notifier serves such a delegate again, and so does
/// another definition; a delegate that an operator has paused waits for an operator. If a delegate refuses one outcome and takes
/// others, only that outcome is given up, and kept.
public final class DeliveryService: Service {
    /// A new loop, and the retired loop of the same name, which has to end first: no delivery is under way in both.
    private struct Opening {
        var loop: DeliveryLoop
        var predecessor: DeliveryLoop?
    }

    let outbox: any DeliveryOutbox
    let clock: NotifierClock
    let logger: Logger
    let stopGrace: Duration
    /// All delegates, also those that other notifiers serve.
    let known = Mutex<[String: RegisteredDelegate]>([:])
    let loops = Mutex<[String: DeliveryLoop]>([:])
    /// The loops of removed delegates, while deliveries to them are under way.
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

    /// Serves these delegates from now on. The loops of unchanged delegates go on, and so do all deliveries under way;
    /// another definition of a delegate holds from its next delivery on.
    /// - Parameter isOwn: whether this notifier delivers to the delegate; the others may be operated on all the same.
    public func serve(
        _ delegates: [RegisteredDelegate], where isOwn: (RegisteredDelegate) -> Bool = { _ in true }
    ) {
        known.withLock { $0 = Dictionary(delegates.map { ($0.name, $0) }, uniquingKeysWith: { $1 }) }
        let delegates = delegates.filter(isOwn)
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

    /// Waits until no delivery to a removed delegate is under way.
    func waitForRetired(atMost limit: Duration) async {
        let ending = retired.withLock { Array($0.values) }
        guard !ending.isEmpty else { return }
        await withTaskGroup(of: Void.self) { group in
            group.addTask { for loop in ending { await loop.waitUntilEnded() } }
            group.addTask { [clock] in try? await clock.sleep(for: limit) }
            await group.next()
            group.cancelAll()
        }
    }

    /// To be called when there are new rows in the outbox.
    public func wake() {
        for loop in loops.withLock({ Array($0.values) }) { loop.wake() }
    }

    /// Takes no more deliveries; `run` returns when those under way are done.
    public func stop() {
        opening.finish()
        for loop in loops.withLock({ Array($0.values) }) { loop.stop() }
    }

    /// Delivers until `stop`, a graceful shutdown or cancellation. Deliveries that are then under way get the stop grace; the
    /// notifier makes those that it cuts off again at the next start.
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
