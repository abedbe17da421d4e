import Foundation
import Logging
import RabbitMQ
import Synchronization
import Uploads

/// Takes the deliveries of one lane, has each handled and settles it.
final class LaneReader: Sendable {
    private static let retryPause = Duration.seconds(1)
    /// How long a drain waits for the broker to stop delivering: a connection that is half dead must not eat the grace.
    static let quietPatience = Duration.seconds(5)

    private let queue: QueueName
    private let lane: Lane
    private let channel: Channel
    private let prefetch: UInt16
    private let tenures: Tenures
    private let line: SettlementLine
    private let handler: any JobHandler
    private let draining: Signal
    private let cancelled: Signal
    /// Fires when no lane takes any more.
    private let quiet: Signal
    private let logger: Logger
    private let isTaking = Mutex(false)

    init(
        queue: QueueName, lane: Lane, channel: Channel, prefetch: UInt16, tenures: Tenures, line: SettlementLine,
        handler: any JobHandler, draining: Signal, cancelled: Signal,
        quiet: Signal
    ) {
        self.queue = queue
        self.lane = lane
        self.channel = channel
        self.prefetch = prefetch
        self.tenures = tenures
        self.line = line
        self.handler = handler
        self.draining = draining
        self.cancelled = cancelled
        self.quiet = quiet
        var logger = line.logger
        logger[metadataKey: "queue"] = .string(queue.rawValue)
        logger[metadataKey: "lane"] = .string(lane.rawValue)
        self.logger = logger
    }

    /// Whether the lane is served or stands still because its queue is stopped.
    var isReady: Bool { isTaking.withLock { $0 } || line.log.view.stoppedQueues.contains(queue) }

    /// Returns when it was drained and every delivery is settled.
    /// - Parameter hasStopped: called when it takes no more.
    /// - Returns: what keeps it from taking for good.
    func run(hasStopped: @escaping @Sendable () -> Void) async -> UploadError? {
        await withDiscardingTaskGroup { group in
            defer { hasStopped() }
            while await isAllowed() {
                _ = await draining.cancelling { [channel] in try? await channel.connection.waitUntilConnected() }
                if draining.isFired { break }
                do throws(RabbitMQError) {
                    let consumer = try await channel.consume(line.topology.laneQueue(queue, lane), prefetch: prefetch)
                    try await take(from: consumer, &group)
                } catch {
                    if draining.isFired || error.code == .closed { return nil }
                    logger.warning("lane interrupted", metadata: ["error": .string(String(describing: error))])
                    if error.code == .accessRefused || error.code == .preconditionFailed {
                        return UploadError(error, doing: "the lane \(queue).\(lane.rawValue) cannot be served")
                    }
                    // Deleted, perhaps: what is still held goes on into a lane of the same name.
                    _ = try? await channel.connection.define(line.topology.lanes(of: queue))
                    await draining.wait(atMost: Self.retryPause)
                }
            }
            return nil
        }
    }

    /// Waits while the transfer queue is stopped. - Returns: false when drained.
    private func isAllowed() async -> Bool {
        while !draining.isFired {
            let changed = Signal()
            let observer = line.log.observe { changed.fire() }
            defer { line.log.removeObserver(observer) }
            guard line.log.view.stoppedQueues.contains(queue) else { return true }
            await changed.wait(or: draining)
        }
        return false
    }

    private func take(from consumer: Consumer, _ group: inout DiscardingTaskGroup) async throws(RabbitMQError) {
        isTaking.withLock { $0 = true }
        let drain = draining.onFire { Task { await consumer.cancel() } }
        let observer = line.log.observe { [self] in
            if line.log.view.stoppedQueues.contains(queue) { Task { await consumer.cancel() } }
        }
        var tenure: Tenure?
        defer {
            isTaking.withLock { $0 = false }
            draining.remove(drain)
            line.log.removeObserver(observer)
        }
        if line.log.view.stoppedQueues.contains(queue) { await consumer.cancel() }
        do throws(RabbitMQError) {
            var batches = consumer.makeAsyncIterator()
            while let batch = try await batches.next() {
                for delivery in batch {
                    if let old = tenure, old.epoch != delivery.epoch {
                        tenures.end(old)
                        tenure = nil
                    }
                    let current = tenure ?? tenures.begin(epoch: delivery.epoch)
                    tenure = current
                    group.addTask { await self.process(delivery, consumer, current) }
                }
            }
        } catch {
            // A queue that was deleted took its messages along, but not what is held of them. After a channel error
            // the broker gives them to somebody else.
            if let tenure, error.code != .consumerCancelled { tenures.end(tenure) }
            throw error
        }
    }

    private func process(_ delivery: Delivery, _ consumer: Consumer, _ tenure: Tenure) async {
        guard tenure.holds else { return }
        let verdict = DeliveryVerdict(
            delivery.message, redelivered: delivery.redelivered, queue: queue, view: line.log.view)
        let isSettled: Bool
        switch verdict {
        case .work(let baton): isSettled = await work(on: baton, delivery, tenure)
        case .suspect(let baton, let reason):
            await holdBack()
            logger.notice(
                "suspect passed to the notifier",
                metadata: ["job": .string(baton.job.id.rawValue), "reason": .string(reason)])
            isSettled = await line.pass(baton, reason: reason, delivery, tenure)
        case .superseded(let baton):
            logger.info("superseded delivery dropped", metadata: ["job": .string(baton.job.id.rawValue)])
            isSettled = true
        case .unsupported(let type):
            logger.warning("message of a newer version waits", metadata: ["type": .string(type)])
            isSettled = await line.wait(delivery, queue, lane, tenure)
        case .dead(let reason):
            logger.warning("message set aside as dead letter", metadata: ["reason": .string(reason)])
            isSettled = await line.setAside(delivery, reason: reason, tenure)
        }
        if isSettled, tenure.holds { consumer.acknowledge(delivery) }
    }

    /// While it drains, nothing is settled before every lane has stopped taking: a settlement makes room for another
    /// delivery, or hands a baton over to this very worker, and what is on its way while a consumer is being cancelled comes
    /// back as redelivered, a suspect for nothing.
    private func holdBack() async {
        if draining.isFired { await quiet.wait(atMost: Self.quietPatience) }
    }

    private func work(on baton: Baton, _ delivery: Delivery, _ tenure: Tenure) async -> Bool {
        let claimed = ClaimedDelivery(
            baton: baton, lane: lane, trace: WireFormat.traceParent(of: delivery.message), tenure: tenure, line: line)
        let slice = await cancelled.cancelling { [handler] in await handler.handle(claimed) }
        await holdBack()
        let plan = SettlementPlan(slice, of: baton, now: line.now())
        if await line.carryOut(plan, of: claimed, handler: handler) { return true }
        guard plan.acknowledges, tenure.holds else { return false }
        // Refused for good, so trying again and again would only hold up the lane; the notifier decides.
        return await line.setAside(delivery, reason: "its settlement cannot be published", tenure)
    }
}
