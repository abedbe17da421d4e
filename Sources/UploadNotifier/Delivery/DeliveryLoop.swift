import Foundation
import Logging
import Metrics
import Synchronization
import Tracing
import Uploads

/// Delivers outcomes to one delegate. The delegate's definition may change meanwhile: deliveries under way end with the old one.
final class DeliveryLoop: Sendable {
    /// Events that a `BatchDelegate` gets at once.
    static let batchCountMaximum = 256
    /// Deliveries that succeeded and are not recorded yet: a crash makes the notifier repeat them.
    private static let unrecordedMaximum = 256

    private struct State {
        /// Deliveries from their attempt on until its result is recorded.
        var inFlight: Set<DelegateDelivery.ID> = []
        /// Places of the delegate that are taken. The place of a delivery that succeeded is free while its result is recorded, so that the results
        /// of several are recorded together.
        var placesTaken = 0
        /// Results that the ledger failed to record, while the loop pauses for that.
        var failedRecords = 0
        var ahead = DeliveriesAhead()
        /// The earliest time for which an alarm is set.
        var alarm: Date?
        var registered: RegisteredDelegate
        /// Whether the loop has to look the delegate up in the ledger, and to serve it again if only its failures paused it.
        var isNew = true
        /// Whether the delegate is gone: the loop records no pause for it in the ledger any more.
        var isRetired = false

        /// Places for further deliveries.
        var free: Int {
            let unrecorded = inFlight.count - placesTaken
            guard failedRecords == 0, unrecorded < DeliveryLoop.unrecordedMaximum else { return 0 }
            if registered.isBatch { return inFlight.isEmpty ? DeliveryLoop.batchCountMaximum : 0 }
            return registered.concurrencyMaximum - placesTaken
        }
    }

    let name: String
    private let outbox: any DeliveryOutbox
    private let clock: NotifierClock
    private let logger: Logger
    private let latency: Metrics.Timer
    private let state: Mutex<State>
    private let signals: AsyncStream<Void>
    private let signal: AsyncStream<Void>.Continuation
    private let ended: AsyncStream<Void>
    private let end: AsyncStream<Void>.Continuation

    init(_ registered: RegisteredDelegate, outbox: any DeliveryOutbox, clock: NotifierClock, logger: Logger) {
        name = registered.name
        latency = DelegateLabels.latency(of: name)
        state = Mutex(State(registered: registered))
        self.outbox = outbox
        self.clock = clock
        var logger = logger
        logger[metadataKey: LogKey.delegate] = "\(registered.name)"
        self.logger = logger
        (signals, signal) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
        (ended, end) = AsyncStream.makeStream()
    }

    var registered: RegisteredDelegate { state.withLock { $0.registered } }

    /// Serves the delegate by another definition from the next delivery on.
    func redefine(_ registered: RegisteredDelegate) {
        state.withLock { state in
            state.registered = registered
            state.isNew = true
            state.ahead.clear(at: .now)
        }
        wake()
    }

    /// To be called when the delegate was paused.
    func pause() {
        state.withLock { $0.ahead.clear(at: .now) }
        Self.show(isPaused: true, name)
    }

    /// Takes no more deliveries, since the delegate is gone.
    func retire() {
        state.withLock { $0.isRetired = true }
        stop()
    }

    /// Returns when no delivery is under way any more, after `stop()` or `retire()`.
    func waitUntilEnded() async { for await _ in ended {} }

    func wake() { signal.yield() }

    func stop() { signal.finish() }

    func run() async {
        defer { end.finish() }
        signal.yield()
        await withDiscardingTaskGroup { group in
            // Alarms have a group of their own: after a stop, the loop awaits its deliveries but not its alarms.
            await withDiscardingTaskGroup { alarms in
                for await _ in signals { await take(in: &group, alarms: &alarms) }
                alarms.cancelAll()
            }
        }
    }

    private func serveAgain() async {
        do {
            let status = try await outbox.status(of: name)
            Self.show(isPaused: status.isHeld, name)
            guard let reason = status.reason else { return }
            guard !status.isHeld else {
                logger.warning(
                    "delegate stays paused until an operator lets it go on",
                    metadata: [LogKey.reason: "\(reason)", LogKey.backlog: "\(status.backlog)"])
                return
            }
            logger.warning(
                "delegate was paused and is served again",
                metadata: [LogKey.reason: "\(reason)", LogKey.backlog: "\(status.backlog)"])
            try await outbox.resume(name, at: clock.now())
        } catch {
            logger.error("delegate cannot be looked up in the ledger", metadata: [LogKey.error: "\(error)"])
        }
    }

    private func take(in group: inout DiscardingTaskGroup, alarms: inout DiscardingTaskGroup) async {
        let (busy, free, registered, isNew, isRetired) = state.withLock { state in
            defer { state.isNew = false }
            return (state.inFlight, state.free, state.registered, state.isNew, state.isRetired)
        }
        guard !isRetired else { return }
        if isNew { await serveAgain() }
        do {
            let due = free > 0 ? try await due(for: free, of: registered, excluding: busy) : []
            state.withLock { state in
                state.inFlight.formUnion(due.map(\.id))
                state.placesTaken += due.count
            }
            if registered.isBatch {
                if !due.isEmpty { group.addTask { await self.attempt(due, by: registered) } }
            } else {
                for delivery in due { group.addTask { await self.attempt([delivery], by: registered) } }
            }
            // A delivery that ends wakes the loop; for deliveries that are due later an alarm has to.
            if due.count < free,
                let next = try await outbox.nextDue(
                    for: name, ordered: registered.isOrdered, excluding: busy.union(due.map(\.id)))
            {
                setAlarm(next, in: &alarms)
            }
        } catch {
            guard !Task.isCancelled else { return }
            logger.error("outbox cannot be read; trying again", metadata: [LogKey.error: "\(error)"])
            setAlarm(clock.now().addingTimeInterval(5), in: &alarms)
        }
    }

    /// Deliveries for the free places.
    private func due(
        for free: Int, of registered: RegisteredDelegate, excluding busy: Set<DelegateDelivery.ID>
    ) async throws(UploadError) -> [DelegateDelivery] {
        let asked = ContinuousClock.now
        let (known, ahead) = state.withLock { state in (state.ahead.take(free, at: asked), state.ahead.count) }
        if let known { return known }
        let read = try await outbox.due(
            for: name, ordered: registered.isOrdered, now: clock.now(), excluding: busy,
            limit: registered.isBatch ? free : free + ahead)
        return state.withLock { $0.ahead.keep(read, free: free, asked: asked) }
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

    private func attempt(_ deliveries: [DelegateDelivery], by registered: RegisteredDelegate) async {
        let span = DeliverySpan(deliveries, to: name)
        await ServiceContext.withValue(span.context) { await attempt(deliveries, by: registered, span) }
    }

    private func attempt(
        _ deliveries: [DelegateDelivery], by registered: RegisteredDelegate, _ span: DeliverySpan
    ) async {
        let start = clock.now()
        var answer: ServerResponse?
        do {
            answer = try await span.ends { () async throws(UploadError) in
                if let delegate = registered.delegate as? any BatchDelegate {
                    try await delegate.deliver(deliveries.map(\.event))
                    return nil
                }
                var answer: ServerResponse?
                for delivery in deliveries { answer = try await registered.delegate.deliver(delivery.event) }
                return answer
            }
            state.withLock { $0.placesTaken -= deliveries.count }
            signal.yield()
            await settle(deliveries, by: registered, start, answer, error: nil)
        } catch {
            // A delivery that the end of the grace cuts off is not an attempt; the notifier delivers it again at the next start.
            if !Task.isCancelled { await settle(deliveries, by: registered, start, nil, error: error) }
            state.withLock { $0.placesTaken -= deliveries.count }
        }
        state.withLock { $0.inFlight.subtract(deliveries.map(\.id)) }
        signal.yield()
    }

    private func settle(
        _ deliveries: [DelegateDelivery], by registered: RegisteredDelegate, _ start: Date, _ answer: ServerResponse?,
        error: UploadError?
    ) async {
        let now = clock.now()
        let attempt = DeliveryAttempt(
            at: start, seconds: max(0, now.timeIntervalSince(start)), answer: answer, error: error)
        do {
            if let error {
                state.withLock { $0.ahead.clear(at: .now) }
                for delivery in deliveries {
                    try await refused(delivery, by: registered, attempt, error: error)
                }
            } else {
                // The log of attempts would hold only the time for a batch that went into a file.
                try await outbox.delivered(deliveries.map(\.id), at: now, attempt: registered.isBatch ? nil : attempt)
                count("delivered", by: deliveries.count)
                for delivery in deliveries {
                    latency.recordSeconds(max(0, now.timeIntervalSince(delivery.event.time)))
                }
            }
        } catch {
            logger.error("result of a delivery cannot be recorded", metadata: [LogKey.error: "\(error)"])
            // Without this pause the row would be due again at once, for as long as the ledger fails.
            state.withLock { $0.failedRecords += 1 }
            try? await clock.sleep(for: .seconds(5))
            state.withLock { $0.failedRecords -= 1 }
        }
    }

    private func refused(
        _ delivery: DelegateDelivery, by registered: RegisteredDelegate, _ attempt: DeliveryAttempt, error: UploadError
    ) async throws(UploadError) {
        let number = delivery.attempts.addingSaturating(1)
        let metadata: Logger.Metadata = [
            LogKey.event: "\(delivery.event.id)", LogKey.attempt: "\(number)", LogKey.error: "\(error)",
        ]
        let now = clock.now()
        var generator = SystemRandomNumberGenerator()
        if state.withLock({ $0.isRetired }) {
            // The delivery is kept for a later delegate of this name, unless it was removed with the delegate.
            try await outbox.failed([delivery.id], attempt: attempt, dueAt: now)
        } else if error.retry == .never {
            try await outbox.failed([delivery.id], attempt: attempt, dueAt: now)
            try await outbox.pause(name, reason: error.description, at: now, held: false)
            shout(metadata)
        } else if let usual = registered.schedule.delay(afterAttempt: number, using: &generator) {
            var delay = usual
            if case .after(let seconds) = error.retry {
                delay = max(usual, min(seconds, registered.schedule.delayMaximum))
            }
            try await outbox.failed([delivery.id], attempt: attempt, dueAt: now.addingTimeInterval(delay))
            count("failed")
            logger.warning("delivery failed; it will be tried again", metadata: metadata)
        } else if try await outbox.exhausted(delivery, attempt: attempt) {
            shout(metadata)
        } else {
            count("givenUp")
            logger.error("delivery is given up; it is kept until it is replayed", metadata: metadata)
        }
    }

    private func shout(_ metadata: Logger.Metadata) {
        count("paused")
        pause()
        logger.error("delegate is paused; its outcomes are kept until it is served again", metadata: metadata)
    }

    private func count(_ outcome: String, by amount: Int = 1) {
        Counter(label: "upload_delegate_deliveries_total", dimensions: [("outcome", outcome)]).increment(by: amount)
    }

    /// Sets the metric of a paused delegate. Its labels are bounded: ``DelegateManager/registeredMaximum`` and the configured delegates.
    static func show(isPaused: Bool, _ delegate: String) {
        Gauge(label: "upload_delegate_paused", dimensions: [("delegate", delegate)]).record(isPaused ? 1 : 0)
    }

    /// Removes the metric of a delegate that is gone.
    static func showNothing(_ delegate: String) {
        Gauge(label: "upload_delegate_paused", dimensions: [("delegate", delegate)]).destroy()
    }
}
