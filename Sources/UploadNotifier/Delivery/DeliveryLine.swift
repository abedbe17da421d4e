import Foundation
import Logging
import Metrics
import Synchronization
import Uploads

/// The way to one delegate.
final class DeliveryLine: Sendable {
    /// Events that a `BatchDelegate` gets at once.
    static let batchCountMaximum = 256

    private struct State {
        var inFlight: Set<DelegateDelivery.ID> = []
        /// The earliest time for which somebody sleeps.
        var alarm: Date?
    }

    private let registered: RegisteredDelegate
    private let outbox: any DeliveryOutbox
    private let clock: NotifierClock
    private let logger: Logger
    private let state = Mutex(State())
    private let signals: AsyncStream<Void>
    private let signal: AsyncStream<Void>.Continuation

    init(_ registered: RegisteredDelegate, outbox: any DeliveryOutbox, clock: NotifierClock, logger: Logger) {
        self.registered = registered
        self.outbox = outbox
        self.clock = clock
        var logger = logger
        logger[metadataKey: LogKey.delegate] = "\(registered.name)"
        self.logger = logger
        (signals, signal) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
    }

    func wake() { signal.yield() }

    func stop() { signal.finish() }

    func run() async {
        await serveAgain()
        signal.yield()
        await withDiscardingTaskGroup { group in
            // Alarms live in a group of their own: when no more is taken, deliveries are awaited and alarms are not.
            await withDiscardingTaskGroup { alarms in
                for await _ in signals { await take(in: &group, alarms: &alarms) }
                alarms.cancelAll()
            }
        }
    }

    private func serveAgain() async {
        do {
            let standing = try await outbox.standing(of: registered.name)
            guard let reason = standing.reason else { return }
            logger.warning(
                "delegate was paused and is served again",
                metadata: [LogKey.reason: "\(reason)", LogKey.backlog: "\(standing.backlog)"])
            try await outbox.resume(registered.name, at: clock.now())
        } catch {
            logger.error("delegate cannot be looked up in the ledger", metadata: [LogKey.error: "\(error)"])
        }
    }

    private var isBatch: Bool { registered.delegate is any BatchDelegate }

    private func take(in group: inout DiscardingTaskGroup, alarms: inout DiscardingTaskGroup) async {
        let busy = state.withLock { $0.inFlight }
        let free = isBatch ? (busy.isEmpty ? Self.batchCountMaximum : 0) : registered.concurrencyMaximum - busy.count
        do {
            let due =
                free > 0
                ? try await outbox.due(for: registered.name, now: clock.now(), excluding: busy, limit: free) : []
            state.withLock { $0.inFlight.formUnion(due.map(\.id)) }
            if isBatch {
                if !due.isEmpty { group.addTask { await self.attempt(due) } }
            } else {
                for delivery in due { group.addTask { await self.attempt([delivery]) } }
            }
            // Somebody who finishes will signal; otherwise the time must.
            if due.count < free,
                let next = try await outbox.nextDue(for: registered.name, excluding: busy.union(due.map(\.id)))
            {
                setAlarm(next, in: &alarms)
            }
        } catch {
            guard !Task.isCancelled else { return }
            logger.error("outbox cannot be read; trying again", metadata: [LogKey.error: "\(error)"])
            setAlarm(clock.now().addingTimeInterval(5), in: &alarms)
        }
    }

    private func setAlarm(_ time: Date, in alarms: inout DiscardingTaskGroup) {
        let isEarlier = state.withLock { state in
            if let alarm = state.alarm, alarm <= time { return false }
            state.alarm = time
            return true
        }
        guard isEarlier else { return }
        alarms.addTask {
            do { try await self.clock.sleep(time) } catch { return }
            self.state.withLock { if $0.alarm == time { $0.alarm = nil } }
            self.signal.yield()
        }
    }

    private func attempt(_ deliveries: [DelegateDelivery]) async {
        do {
            if let delegate = registered.delegate as? any BatchDelegate {
                try await delegate.deliver(deliveries.map(\.event))
            } else {
                for delivery in deliveries { try await registered.delegate.deliver(delivery.event) }
            }
            await settle(deliveries, error: nil)
        } catch {
            // Cut off by the end of the grace: not an attempt, delivered again at the next start.
            if !Task.isCancelled { await settle(deliveries, error: error) }
        }
        state.withLock { $0.inFlight.subtract(deliveries.map(\.id)) }
        signal.yield()
    }

    private func settle(_ deliveries: [DelegateDelivery], error: UploadError?) async {
        do {
            if let error {
                for delivery in deliveries { try await refused(delivery, error: error) }
            } else {
                try await outbox.delivered(deliveries.map(\.id), at: clock.now())
                count("delivered", by: deliveries.count)
            }
        } catch {
            logger.error("result of a delivery cannot be recorded", metadata: [LogKey.error: "\(error)"])
            // Else the row would be due at once, and again, for as long as the ledger fails.
            try? await clock.sleep(for: .seconds(5))
        }
    }

    private func refused(_ delivery: DelegateDelivery, error: UploadError) async throws(UploadError) {
        let attempt = delivery.attempts + 1
        var generator = SystemRandomNumberGenerator()
        let now = clock.now()
        var delay = registered.schedule.delay(afterAttempt: attempt, using: &generator)
        if case .after(let seconds) = error.retry, let usual = delay {
            delay = max(usual, min(seconds, registered.schedule.delays.max() ?? usual))
        }
        if error.retry == .never { delay = nil }
        let metadata: Logger.Metadata = [
            LogKey.event: "\(delivery.event.id)", LogKey.attempt: "\(attempt)", LogKey.error: "\(error)",
        ]
        try await outbox.failed([delivery.id], error: error, dueAt: now.addingTimeInterval(delay ?? 0))
        guard delay == nil else {
            count("failed")
            logger.warning("delivery failed; it will be tried again", metadata: metadata)
            return
        }
        count("paused")
        try await outbox.pause(registered.name, reason: error.description, at: now)
        logger.error("delegate is paused; its outcomes are kept until it is served again", metadata: metadata)
    }

    private func count(_ outcome: String, by amount: Int = 1) {
        Counter(label: "upload_delegate_deliveries_total", dimensions: [("outcome", outcome)]).increment(by: amount)
    }
}
