import Foundation
import Logging
import RabbitMQ
import Synchronization
import Uploads

/// Takes the deliveries of one lane, has each handled and settles it.
final class LaneReader: Sendable {
    private static let retryPause = Duration.seconds(1)
    private static let timeoutRemedy: Logger.MetadataValue =
        "a delivery was held for longer than the broker's consumer_timeout: set consumerTimeout to the broker's value, or raise that value"
    /// How many deliveries of a stopped queue's urgent lane are parked at most, to reach the cancellations behind them.
    private static let parkedMaximum: UInt16 = 200
    /// How long they are parked at most: half of the shortest `consumer_timeout` that RabbitMQ supports
    /// (https://www.rabbitmq.com/docs/consumers#acknowledgement-timeout).
    private static let parkedTime = Duration.seconds(30)
    /// The pause between two rounds while more deliveries wait than may be parked.
    private static let parkedPause = Duration.seconds(5)

    /// A delivery that the reader keeps unacknowledged because its queue is stopped.
    private struct Parked: Sendable {
        let delivery: Delivery
        let tenure: Tenure
    }

    /// After a stop, how long new work waits for continued work: 2 s at most.
    private static let precedenceTries = 40
    private static let precedencePause = Duration.milliseconds(50)

    let queue: QueueName
    let lane: Lane
    let channel: Channel
    private let prefetch: Mutex<UInt16>
    /// What takes the deliveries of a lane that is not parked.
    private let intake = Mutex<LaneIntake?>(nil)
    private let tenures: Tenures
    let publisher: SettlementPublisher
    let handler: any JobHandler
    let draining: Signal
    let cancelled: Signal
    /// Fires when no lane takes deliveries any more.
    let quiet: Signal
    /// Shared by the queue's lanes.
    let taking: TakingLanes
    let logger: Logger
    private let isTaking = Mutex(false)
    /// Tasks that settle what was taken.
    private let tasks = Atomic<Int>(0)
    /// Shared by the queue's lanes.
    let handBack: HandBack

    init(
        queue: QueueName, lane: Lane, channel: Channel, prefetch: UInt16, tenures: Tenures,
        publisher: SettlementPublisher,
        handler: any JobHandler, draining: Signal, cancelled: Signal,
        quiet: Signal, taking: TakingLanes, handBack: HandBack
    ) {
        self.queue = queue
        self.lane = lane
        self.channel = channel
        self.prefetch = Mutex(prefetch)
        self.tenures = tenures
        self.publisher = publisher
        self.handler = handler
        self.draining = draining
        self.cancelled = cancelled
        self.quiet = quiet
        self.taking = taking
        self.handBack = handBack
        var logger = publisher.logger
        logger[metadataKey: "queue"] = .string(queue.rawValue)
        logger[metadataKey: "lane"] = .string(lane.rawValue)
        self.logger = logger
    }

    /// Whether the lane is served, or waits because its queue is stopped or the worker drained.
    var isReady: Bool { isTaking.withLock { $0 } || isStopped }

    /// Whether nothing is taken, and all that was taken is settled or put back.
    var isIdle: Bool { !isTaking.withLock { $0 } && taking.isEmpty && tasks.load(ordering: .acquiring) == 0 }

    /// Changes how many deliveries the lane may hold.
    func setPrefetch(_ prefetch: UInt16) {
        self.prefetch.withLock { $0 = prefetch }
        intake.withLock { $0 }?.setPrefetch(prefetch)
    }

    /// The broker notes when it took a message off the ladder (https://www.rabbitmq.com/docs/dlx#effects).
    private func noteTime(of message: Message) {
        let death = message.headers["x-death"]?.array?.first?.table
        if case .timestamp(let time)? = death?["time"] { ClockWitnesses.shared.note(time, by: .broker) }
    }

    private var isQueueStopped: Bool { publisher.log.view.stoppedQueues.contains(queue) }

    /// Whether the queue is stopped or the worker drained: what is under way is handed over.
    var isStopped: Bool { isQueueStopped || publisher.isDrained }

    /// Serves the lane. Returns when it was drained and every delivery is settled.
    /// - Parameter hasStopped: called when it takes no more deliveries.
    /// - Returns: the error that prevents taking for good.
    func run(hasStopped: @escaping @Sendable () -> Void) async -> UploadError? {
        await withDiscardingTaskGroup { group in
            defer { hasStopped() }
            while await isAllowed() {
                _ = await draining.cancelling { [channel] in try? await channel.connection.waitUntilConnected() }
                if draining.isFired { break }
                do throws(RabbitMQError) {
                    let isParking = lane == .urgent && isQueueStopped
                    if !isParking { taking.begin(lane) }
                    defer { taking.end(lane) }
                    let intake = try await LaneIntake(
                        lane: publisher.topology.laneQueue(queue, lane), on: channel,
                        prefetch: isParking ? Self.parkedMaximum : prefetch.withLock { $0 })
                    if !isParking {
                        self.intake.withLock { $0 = intake }
                        // A change that came in the meantime.
                        intake.setPrefetch(prefetch.withLock { $0 })
                    }
                    defer { self.intake.withLock { $0 = nil } }
                    try await take(from: intake, isParking: isParking, &group)
                } catch {
                    if draining.isFired || error.code == .closed { return nil }
                    var facts: Logger.Metadata = ["error": .string(String(describing: error))]
                    // The broker closes a channel that only takes deliveries for no other reason.
                    if error.code == .channelClosed, error.replyCode == 406 { facts["remedy"] = Self.timeoutRemedy }
                    logger.warning("lane interrupted", metadata: facts)
                    if error.code == .accessRefused || error.code == .preconditionFailed {
                        return UploadError(error, doing: "the lane \(queue).\(lane.rawValue) cannot be served")
                    }
                    // The queue may have been deleted, and the other lanes with it. If a queue is declared again before
                    // its consumers learnt of its end, RabbitMQ 3.10 keeps these consumers and delivers to none of
                    // them.
                    await draining.wait(atMost: Self.retryPause)
                    // Deliveries that are still parked are handed over into a lane of the same name.
                    _ = try? await channel.connection.declareAgain(publisher.topology.lanes(of: queue))
                }
            }
            return nil
        }
    }

    /// Waits while the transfer queue is stopped, except for the lane of cancellations: they ignore a stop. A drained worker waits in
    /// this lane too: what it took there and may not begin, it would keep from the workers that serve the lane.
    /// - Returns: false when the queue was drained.
    private func isAllowed() async -> Bool {
        var hasStoodStill = false
        while !draining.isFired {
            let changed = Signal()
            let observer = publisher.log.observe { changed.fire() }
            defer { publisher.log.removeObserver(observer) }
            guard publisher.isDrained || (isQueueStopped && lane != .urgent) else {
                if hasStoodStill { await letContinuedGoFirst() }
                return !draining.isFired
            }
            hasStoodStill = true
            await changed.wait(or: draining)
        }
        return false
    }

    /// After a stop: lets interrupted jobs continue before any new job begins. Otherwise a worker with one slot would
    /// begin another job. The other lane's reader takes deliveries at the same time, so this is over in a moment.
    private func letContinuedGoFirst() async {
        guard lane == .normal || lane == .bulk else { return }
        let first = publisher.topology.laneQueue(queue, .continued)
        for _ in 0..<Self.precedenceTries where !draining.isFired {
            guard let count = try? await channel.messageCount(of: first), count > 0 else { return }
            await draining.wait(atMost: Self.precedencePause)
        }
    }

    /// Whether the queue was stopped or started since the consumer began, or the worker drained.
    private func isToEnd(_ isParking: Bool) -> Bool { publisher.isDrained || isQueueStopped != isParking }

    /// - Parameter isParking: while the queue is stopped, only cancellations are worked on; all other deliveries are
    ///   parked, and put back in their order when the queue is started.
    private func take(
        from intake: LaneIntake, isParking: Bool, _ group: inout DiscardingTaskGroup
    ) async throws(RabbitMQError) {
        isTaking.withLock { $0 = true }
        let drain = draining.onFire { Task { await intake.cancel() } }
        let observer = publisher.log.observe { [self] in
            if isToEnd(isParking) { Task { await intake.cancel() } }
        }
        let timer =
            isParking
            ? Task {
                try await Task.sleep(for: Self.parkedTime)
                await intake.cancel()
            } : nil
        var parked: [Parked] = []
        var tenure: Tenure?
        defer {
            timer?.cancel()
            let rest = parked
            if !rest.isEmpty {
                begin(in: &group) {
                    await self.waitUntilLanesAreQuiet()
                    await self.putBack(rest)
                }
            }
            isTaking.withLock { $0 = false }
            draining.remove(drain)
            publisher.log.removeObserver(observer)
        }
        if isToEnd(isParking) { await intake.cancel() }
        var failure: RabbitMQError?
        for await batch in intake.batches {
            let deliveries: [Delivery]
            do throws(RabbitMQError) {
                deliveries = try batch.get()
            } catch {
                if failure == nil { await intake.cancel() }
                failure = failure ?? error
                continue
            }
            for delivery in deliveries {
                // One consumer may be read later than another, which has gone on in the next epoch already.
                if let tenure, delivery.epoch < tenure.epoch { continue }
                if let old = tenure, old.epoch != delivery.epoch {
                    tenures.end(old)
                    tenure = nil
                }
                let current = tenure ?? tenures.begin(epoch: delivery.epoch)
                tenure = current
                noteTime(of: delivery.message)
                let verdict = DeliveryVerdict(
                    delivery.message, redelivered: delivery.redelivered, queue: queue, view: publisher.log.view)
                // Rule 5: verbs. Cancellations obey no stop; other urgent work is parked.
                if isParking, case .work(let baton) = verdict, !baton.isCancel {
                    parked.append(Parked(delivery: delivery, tenure: current))
                    continue
                }
                begin(in: &group, work(on: verdict, delivery, current))
            }
            if parked.count >= Int(Self.parkedMaximum) {
                await draining.wait(atMost: Self.parkedPause)
                if draining.isFired { continue }
                await putBack(parked)
                parked = []
            }
        }
        guard let failure else { return }
        // A deleted queue takes its messages along, but not the deliveries that are parked. After a channel error the
        // broker gives these to another consumer.
        if let tenure, failure.code != .consumerCancelled { tenures.end(tenure) }
        throw failure
    }

    private func begin(in group: inout DiscardingTaskGroup, _ work: @escaping @Sendable () async -> Void) {
        tasks.add(1, ordering: .relaxed)
        group.addTask {
            await work()
            self.tasks.subtract(1, ordering: .releasing)
        }
    }

    /// Puts back the deliveries that were parked, in the order of their arrival.
    private func putBack(_ parked: [Parked]) async {
        for parked in parked where parked.tenure.holds {
            let end =
                await publisher.putBack(parked.delivery, queue, lane, parked.tenure)
                ? .acknowledge
                : await setAside(parked.delivery, reason: "it cannot be put back into its lane", parked.tenure)
            channel.settle(parked.delivery, end, parked.tenure)
        }
    }
}
