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
    /// How many deliveries of the shards' queues may be unsettled at once, and so the most in a batch.
    public static let prefetch: UInt16 = 1000
    private static let deadPrefetch: UInt16 = 50
    private static let snapshotInterval = Duration.seconds(3600)
    private static let snapshotRetry = Duration.seconds(5)...Duration.seconds(60)
    /// After a refusal, the broker keeps refusing until an operator changes something there.
    private static let snapshotRefusedRetry = Duration.seconds(60)...Duration.seconds(960)
    private static let retryPause = Duration.seconds(1)

    private let topology: UploadTopology
    private let consuming: Connection
    private let publisher: Publisher
    private let log: ControlLog
    private let logger: Logger
    private let draining = Signal()
    /// The queues that are consumed now, and how many are to be.
    private let taking = Mutex((queues: Set<String>(), wanted: 0))
    private let ask: @Sendable (UploadOrder, Duration) async throws(UploadError) -> OrderAnswer?
    private let logStart = Mutex<Task<UploadError?, Never>?>(nil)
    private let pause: @Sendable (Signal, Duration) async -> Void
    private let topologyPause: @Sendable (Signal) async -> Void

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

    public func consume(
        _ read: Set<Int>, until change: @escaping @Sendable () async -> Void,
        _ handle: @Sendable ([NotifierMessage]) async throws -> BatchEnd
    ) async throws(UploadError) {
        try await startLog()
        // After a failure, `consume` is called again: only a drain is for good.
        let ending = Signal()
        let drained = draining.onFire { ending.fire() }
        defer { draining.remove(drained) }
        let keeper = TopologyKeeper(
            objects: topology.shared, connection: consuming, pause: topologyPause, logger: logger)
        let isFirst = read.contains(0)
        let changing = Task {
            await change()
            if !Task.isCancelled { ending.fire() }
        }
        // What exists once for the namespace belongs to the first shard.
        let keeping =
            [changing] + (isFirst ? [Task { await self.keepSnapshots(until: ending) }] : [])
            + [Task { await keeper.run(until: ending) }]
        let feed = NotifierFeed()
        taking.withLock { $0.wanted = read.count + (isFirst ? 1 : 0) }
        defer { taking.withLock { $0.wanted = 0 } }
        let prefetch = max(Self.prefetch / UInt16(read.count), 1)
        var readers = read.sorted().map { shard in
            Task { [topology] in
                let queue = topology.notifier(shard)
                return await self.read(queue, prefetch, until: ending, into: feed) {
                    NotifierArrival(NotifierMessage($0, from: queue), in: shard, from: $0.exchange, topology)
                }
            }
        }
        if isFirst {
            readers.append(
                Task { [topology] in
                    await self.read(topology.dead, Self.deadPrefetch, until: ending, into: feed) {
                        NotifierArrival(dead: $0, topology, read: read)
                    }
                })
        }
        ending.onFire { feed.finish() }
        var failure = await pass(on: feed, to: handle, until: ending)
        ending.fire()
        for task in keeping { task.cancel() }
        for reader in readers {
            if let problem = await reader.value { failure = failure ?? problem }
        }
        for task in keeping { await task.value }
        if draining.isFired || Task.isCancelled { await log.stop() }
        if let failure { throw failure }
    }

    /// Handles batches until the feed ends or a step fails. Messages that arrive while one batch is being recorded form
    /// the next batch, so that one commit serves many.
    private func pass(
        on feed: NotifierFeed, to handle: @Sendable ([NotifierMessage]) async throws -> BatchEnd, until ending: Signal
    ) async -> UploadError? {
        await withTaskGroup(of: UploadError?.self) { group in
            var failure: UploadError?
            while failure == nil, let batches = await feed.next() {
                if ending.isFired || Task.isCancelled { break }
                do {
                    let end = try await handle(batches.flatMap(\.messages))
                    // Of the batch before.
                    failure = await group.next() ?? nil
                    guard failure == nil else { break }
                    group.addTask {
                        do {
                            try await end()
                        } catch {
                            // Perhaps no more message comes that would make the failure visible.
                            feed.finish()
                            return Self.failure(error)
                        }
                        for batch in batches {
                            for delivery in batch.deliveries { batch.consumer.acknowledge(delivery) }
                        }
                        return nil
                    }
                } catch {
                    failure = Self.failure(error)
                }
            }
            for await late in group { failure = late ?? failure }
            return failure
        }
    }

    private static func failure(_ error: any Error) -> UploadError {
        error as? UploadError
            ?? UploadError(.unknown, "the notifier could not record a batch; see its cause", cause: error)
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
        let parcel = Parcel(
            message: try WireFormat.message(event: outcome), exchange: topology.outcomes,
            routingKey: outcome.routingKey, isMandatory: false)
        do throws(RabbitMQError) {
            try await publisher.publish(parcel)
        } catch {
            throw UploadError(error, doing: "the outcome of \(outcome.job.id) could not be published")
        }
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

    // MARK: Reading

    private func read(
        _ queue: String, _ prefetch: UInt16, until ending: Signal, into feed: NotifierFeed,
        _ translate: @escaping @Sendable (Delivery) -> NotifierArrival
    ) async -> UploadError? {
        var channel: Channel?
        var failure: UploadError?
        while !ending.isFired {
            _ = await ending.cancelling { [consuming] in try? await consuming.waitUntilConnected() }
            if ending.isFired { break }
            do throws(RabbitMQError) {
                let consumer =
                    if let channel {
                        try await channel.consume(queue, prefetch: prefetch)
                    } else {
                        try await consuming.consume(queue, prefetch: prefetch)
                    }
                channel = consumer.channel
                taking.withLock { _ = $0.queues.insert(queue) }
                defer { taking.withLock { _ = $0.queues.remove(queue) } }
                let drain = ending.onFire { Task { await consumer.cancel() } }
                defer { ending.remove(drain) }
                var batches = consumer.makeAsyncIterator()
                while let deliveries = try await batches.next() {
                    var batch = NotifierFeed.Batch(messages: [], deliveries: [], consumer: consumer)
                    for delivery in deliveries {
                        let message: NotifierMessage?
                        switch translate(delivery) {
                        case .record(let own): message = own
                        case .forward(let exchange, let routingKey, let cause):
                            message = try await forward(
                                delivery, from: queue, exchange, routingKey, cause, until: ending)
                        case .drop: message = nil
                        }
                        if let message {
                            batch.messages.append(message)
                            batch.deliveries.append(delivery)
                        } else {
                            consumer.acknowledge(delivery)
                        }
                    }
                    if !batch.messages.isEmpty { feed.add(batch) }
                }
            } catch {
                if ending.isFired { break }
                logger.warning(
                    "notifier's queue interrupted",
                    metadata: ["queue": .string(queue), "error": .string(String(describing: error))])
                if error.code == .closed || error.code == .accessRefused || error.code == .preconditionFailed {
                    failure = UploadError(error, doing: "'\(queue)' cannot be read")
                    feed.finish()
                    break
                }
                _ = try? await consuming.declareAgain(topology.shared)
                await ending.wait(atMost: Self.retryPause)
            }
        }
        await channel?.close()
        return failure
    }

    /// Publishes a message once more, where it belongs. Confirmed when this returns. One that is forwarded twice is one for the ledger, like
    /// one that is delivered twice.
    /// - Returns: the message to record instead, if the broker takes it in no queue.
    private func forward(
        _ delivery: Delivery, from queue: String, _ exchange: String, _ routingKey: String, _ cause: DeathCause?,
        until ending: Signal
    ) async throws(RabbitMQError) -> NotifierMessage? {
        let parcel = Parcel(
            message: WireFormat.forwarded(delivery.message, cause: cause), exchange: exchange, routingKey: routingKey,
            topology: self.topology.shared)
        do throws(RabbitMQError) {
            try await publisher.deliver(parcel, until: ending)
            return nil
        } catch {
            guard error.code == .messageRefused || error.code == .invalidArgument else { throw error }
            return .unreadable(
                delivery.message.body,
                reason: "it belongs to another shard, and cannot be published there: \(error.message)",
                envelope: MessageEnvelope(
                    delivery.message, queue: queue, exchange: delivery.exchange, routingKey: delivery.routingKey))
        }
    }

    // MARK: Control log

    /// - Returns: whether this call started the log.
    @discardableResult
    private func startLog() async throws(UploadError) -> Bool {
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

    private func keepSnapshots(until ending: Signal) async {
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
