import Foundation
import Logging
import RabbitMQ
import Synchronization
public import Uploads

/// The notifier's side of the broker.
///
/// It tries to publish until the broker has confirmed; cancelling the calling task ends the tries. While it consumes,
/// it appends a snapshot to the control log every hour, and checks every minute that the broker's objects exist.
public final class RabbitMQNotifierBus: NotifierBus {
    /// How many deliveries of the shards' queues may be unsettled at once.
    public static let prefetch: UInt16 = 1000
    static let deadPrefetch: UInt16 = 50
    private static let snapshotInterval = Duration.seconds(3600)
    private static let snapshotRetry = Duration.seconds(5)...Duration.seconds(60)
    /// After a refusal, the broker keeps refusing until an operator changes something there.
    private static let snapshotRefusedRetry = Duration.seconds(60)...Duration.seconds(960)
    static let retryPause = Duration.seconds(1)

    let topology: UploadTopology
    let consuming: Connection
    let publisher: Publisher
    let batcher = EventBatcher()
    let log: ControlLog
    let logger: Logger
    let draining = Signal()
    /// The queues that are consumed now, and how many are to be.
    let taking = Mutex((queues: Set<String>(), wanted: 0))
    private let ask: @Sendable (UploadOrder, Duration) async throws(UploadError) -> OrderAnswer?
    private let logStart = Mutex<Task<UploadError?, Never>?>(nil)
    private let pause: @Sendable (Signal, Duration) async -> Void
    let topologyPause: @Sendable (Signal) async -> Void

    /// - Parameters:
    ///   - ask: gives an order, and waits for the answer.
    ///   - pause: waits for the time between two snapshots to pass, or for the signal.
    ///   - topologyPause: the same for the time between two checks of the broker's objects.
    init(
        topology: UploadTopology, consuming: Connection, publisher: Publisher, logger: Logger,
        ask: @escaping @Sendable (UploadOrder, Duration) async throws(UploadError) -> OrderAnswer? = { _, _ in nil },
        pause: @escaping @Sendable (Signal, Duration) async -> Void = { signal, time in
            await signal.wait(atMost: time)
        },
        topologyPause: @escaping @Sendable (Signal) async -> Void = { signal in
            await signal.wait(atMost: TopologyKeeper.interval)
        }
    ) {
        self.ask = ask
        self.pause = pause
        self.topologyPause = topologyPause
        self.topology = topology
        self.consuming = consuming
        self.publisher = publisher
        self.logger = logger
        self.log = ControlLog(topology: topology, consuming: consuming, publisher: publisher, logger: logger)
    }

    public var shards: Shards { topology.shards }

    public var isConnected: Bool { consuming.epoch != 0 }

    /// Whether all queues that are to be consumed are consumed now.
    public var isTaking: Bool { taking.withLock { $0.wanted > 0 && $0.queues.count == $0.wanted } }

    public func untilRecorded(within limit: Duration) async -> Bool {
        // A notifier answers a question when it has recorded what was in its queue before. No job has these ids.
        let jobs = shards.all.map { JobID().ending(in: Shards.digits[$0]) }
        return (try? await ask(UploadOrder(.ask(jobs), by: "upload-notifier"), limit)) != nil
    }

    public func drain() async { draining.fire() }

    public func mark(_ marker: IssueMarker) async throws(UploadError) {
        let parcel = Parcel(
            message: try WireFormat.message(marker: marker), exchange: "",
            routingKey: topology.notifier(of: marker.job),
            topology: self.topology.shared)
        try await deliver(parcel, "the marker could not be published")
    }

    public func issue(_ baton: Baton, on lane: Lane, maybeRepeated: Bool) async throws(UploadError) -> IssueAnswer {
        // Directly to the lane's queue: if there is none, the exchange would turn it into a dead letter, which would be
        // issued anew at once.
        let parcel = Parcel(
            message: try WireFormat.message(baton: baton, maybeRepeated: maybeRepeated), exchange: "",
            routingKey: topology.laneQueue(baton.job.queue, lane), flagsRepeats: true)
        return try await deliver(parcel, "the baton of \(baton.job.id) could not be issued", mayBeRefused: true)
    }

    public func depths(of queues: [QueueName]) async throws(UploadError) -> [QueueName: [Lane: LaneDepth]] {
        try await consuming.depths(of: queues, in: topology)
    }

    public func append(_ entry: ControlEntry) async throws(UploadError) {
        try await appending { [log] lost throws(UploadError) in try await log.append(entry, unless: lost) }
    }

    public func appendSnapshot() async throws(UploadError) {
        try await startLog()
        try await appending { [log] lost throws(UploadError) in try await log.appendSnapshot(unless: lost) }
    }

    public func controlView() async throws(UploadError) -> ControlView {
        // The start itself reads up to now.
        if try await startLog() { return log.view }
        return try await upToDate()
    }

    public func controlView(
        withLedgerOtherThan claim: LedgerClaim?
    ) async throws(UploadError) -> ControlView {
        try await startLog()
        let changed = Signal()
        let observer = log.observe { [log] in if log.view.ledger != claim { changed.fire() } }
        defer { log.removeObserver(observer) }
        // The observer comes before the check, so that no entry falls between.
        if log.view.ledger == claim { await changed.wait(atMost: nil) }
        return log.view
    }

    public func tell(_ outcome: UploadEvent) async throws(UploadError) {
        let message = try WireFormat.message(event: outcome)
        let address = EventBatcher.Address(outcome, topology.outcomes, shards)
        let result = await batcher.publish(message, to: address) { message in
            let parcel = Parcel(
                message: message, exchange: topology.outcomes, routingKey: outcome.routingKey, isMandatory: false)
            do throws(RabbitMQError) {
                return .success(try await publisher.publish(parcel))
            } catch {
                return .failure(error)
            }
        }
        guard case .failure(let error) = result else { return }
        throw UploadError(error, doing: "the outcome of \(outcome.job.id) could not be published")
    }

    public func copy(of message: NotifierMessage) -> MessageCopy { MessageCopy(message, topology) }

    public func spread(_ order: UploadOrder, replyTo: String?) async throws(UploadError) {
        let parcel = Parcel(
            message: try WireFormat.message(order: order, replyTo: replyTo), exchange: topology.orders, routingKey: "",
            topology: self.topology.shared)
        try await deliver(parcel, "order \(order.id) could not be given to all shards")
    }

    public func answer(_ answer: OrderAnswer, to address: String) async {
        // The order's sender chooses the address: it must not reach into a queue that other programs work on.
        guard address.hasPrefix(topology.answerPrefix), let message = try? WireFormat.message(answer: answer) else {
            return logger.warning("an order is not answered", metadata: ["replyTo": .string(address)])
        }
        publisher.post(Parcel(message: message, exchange: "", routingKey: address))
    }

    // MARK: Control log

    /// - Returns: whether this call started the log.
    @discardableResult
    func startLog() async throws(UploadError) -> Bool {
        let (start, isFirst) = logStart.withLock { start in
            let isFirst = start == nil
            let task =
                start
                ?? Task { [log] () -> UploadError? in
                    do throws(UploadError) {
                        try await log.start()
                        return nil
                    } catch {
                        return error
                    }
                }
            start = task
            return (task, isFirst)
        }
        if let failure = await start.value { throw failure }
        return isFirst
    }

    private func upToDate() async throws(UploadError) -> ControlView {
        let lost = Signal()
        let isRead = await withTaskCancellationHandler {
            await log.readUpToNow(unless: lost)
        } onCancel: {
            lost.fire()
        }
        guard isRead else { throw UploadError(.interrupted, "the control log was not read to its end: cancelled") }
        return log.view
    }

    /// Cancelling the calling task ends the tries.
    private func appending(
        _ append: (Signal) async throws(UploadError) -> Void
    ) async throws(UploadError) {
        let lost = Signal()
        let result = await withTaskCancellationHandler {
            do throws(UploadError) {
                try await append(lost)
                return Result<Void, UploadError>.success(())
            } catch {
                return .failure(error)
            }
        } onCancel: {
            lost.fire()
        }
        try result.get()
    }

    func keepSnapshots(until ending: Signal) async {
        var repeats = RepeatPause(passing: Self.snapshotRetry, refused: Self.snapshotRefusedRetry)
        while !ending.isFired, !Task.isCancelled {
            let age = log.snapshotAt.map { ContinuousClock.now - $0 } ?? Self.snapshotInterval
            guard age >= Self.snapshotInterval else {
                await pause(ending, Self.snapshotInterval - age)
                continue
            }
            do throws(UploadError) {
                try await appendSnapshot()
                repeats.succeeded()
                // Wait until this program has read the snapshot's last piece.
                await pause(ending, Self.snapshotRetry.lowerBound)
            } catch {
                let isRefused = error.retry == .never
                let next = repeats.failed(isRefused: isRefused)
                let facts: Logger.Metadata = ["error": .string(error.description)]
                if next.isNews {
                    logger.error(
                        "no snapshot can be appended to the control log; workers that start read it from its beginning",
                        metadata: facts)
                } else if !isRefused {
                    logger.warning("snapshot failed", metadata: facts)
                }
                await pause(ending, next.pause)
            }
        }
    }

    /// - Returns: other than `taken` only for a message that may be refused.
    @discardableResult
    private func deliver(
        _ parcel: Parcel, _ what: String, mayBeRefused: Bool = false
    ) async throws(UploadError) -> IssueAnswer {
        let lost = Signal()
        let result = await withTaskCancellationHandler {
            do throws(RabbitMQError) {
                try await publisher.deliver(parcel, until: lost, mayBeRefused: mayBeRefused)
                return Result<Void, RabbitMQError>.success(())
            } catch {
                return .failure(error)
            }
        } onCancel: {
            lost.fire()
        }
        do throws(RabbitMQError) {
            try result.get()
            return .taken
        } catch {
            if mayBeRefused, error.code == .returned { return .noLane }
            if mayBeRefused, error.code == .nacked { return .refused }
            throw UploadError(error, doing: what)
        }
    }
}
