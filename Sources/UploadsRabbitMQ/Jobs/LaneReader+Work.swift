import Foundation
import Logging
import RabbitMQ
import Uploads

/// What becomes of one delivery.
extension LaneReader {
    /// How long a drain waits for the broker to stop delivering: a connection that is half dead must not eat the grace.
    static let quietPatience = Duration.seconds(5)

    /// How long what was not begun waits for what was delivered before it and may be running, so that it comes behind it:
    /// when its queue was stopped, and when the worker is on its way out, within its grace.
    private static let stopPatience = Duration.seconds(30)
    private static let drainPatience = Duration.seconds(3)

    /// What has to be done with a delivery; the handler hears of it at once, so that it hears in the order of delivery.
    func work(
        on verdict: DeliveryVerdict, _ delivery: Delivery, _ consumer: Consumer, _ tenure: Tenure
    ) -> @Sendable () async -> Void {
        guard case .work(let baton) = verdict else {
            return { await self.dismiss(verdict, delivery, consumer, tenure) }
        }
        let claimed = ClaimedDelivery(
            baton: baton, lane: lane, trace: WireFormat.traceParent(of: delivery.message), tenure: tenure,
            publisher: publisher)
        let carry = handler.accept(claimed)
        let ticket = handBack.take(in: lane)
        return {
            let end = await self.settle(claimed, ticket, delivery, carry)
            self.handBack.finish(ticket)
            consumer.settle(delivery, end, tenure)
        }
    }

    /// Settles what nobody is to work on.
    private func dismiss(
        _ verdict: DeliveryVerdict, _ delivery: Delivery, _ consumer: Consumer, _ tenure: Tenure
    ) async {
        guard tenure.holds else { return }
        let end: DeliveryEnd
        switch verdict {
        case .work: end = .leave
        case .suspect(let baton, let reason):
            await holdBack()
            logger.notice(
                "suspect passed to the notifier",
                metadata: ["job": .string(baton.job.id.rawValue), "reason": .string(reason)])
            end =
                await publisher.pass(baton, reason: reason, delivery, tenure)
                ? .acknowledge : await setAside(delivery, reason: "it cannot be passed to the notifier", tenure)
        case .superseded(let baton):
            logger.info("superseded delivery dropped", metadata: ["job": .string(baton.job.id.rawValue)])
            end = .acknowledge
        case .unsupported(let type):
            logger.warning("message of a newer version waits", metadata: ["type": .string(type)])
            end =
                await publisher.wait(delivery, queue, lane, tenure)
                ? .acknowledge
                : await setAside(
                    delivery,
                    reason: "a newer version wrote it, and it cannot be published to wait for a worker that "
                        + "knows it", tenure)
        case .dead(let reason):
            logger.warning("message set aside as dead letter", metadata: ["reason": .string(reason)])
            end = await setAside(delivery, reason: reason, tenure)
        }
        consumer.settle(delivery, end, tenure)
    }

    /// What cannot be published is refused for good, so trying again and again would only hold up the lane.
    func setAside(_ delivery: Delivery, reason: String, _ tenure: Tenure) async -> DeliveryEnd {
        guard tenure.holds else { return .leave }
        return await publisher.setAside(delivery, reason: reason, from: queueName, tenure)
    }

    /// While it drains, nothing is settled before every lane has stopped taking: a settlement makes room for another
    /// delivery, or hands a baton over to this very worker, and what is on its way while a consumer is being cancelled comes
    /// back as redelivered, a suspect for nothing.
    func holdBack() async {
        // Rule 2: suspects are not worked on. A worker that shuts down makes none.
        if draining.isFired { await quiet.wait(atMost: Self.quietPatience) }
        // The same when the queue was stopped, for its own lanes.
        if isStopped { await taking.waitForNone(atMost: Self.quietPatience) }
    }

    private func settle(
        _ claimed: ClaimedDelivery, _ ticket: HandBack.Ticket, _ delivery: Delivery,
        _ carry: @escaping @Sendable () async -> SettledSlice
    ) async -> DeliveryEnd {
        let slice = await cancelled.cancelling(carry)
        await holdBack()
        if case .handOver = slice.settlement, slice.report.startedAt == nil, draining.isFired || isStopped {
            await handBack.waitForTurn(
                of: ticket, patience: draining.isFired ? Self.drainPatience : Self.stopPatience)
        }
        let plan = SettlementPlan(slice, of: claimed.baton, from: lane, isQueueStopped: isStopped, now: publisher.now())
        if await publisher.carryOut(plan, of: claimed, handler: handler) { return .acknowledge }
        guard plan.acknowledges else { return .leave }
        // The notifier decides.
        return await setAside(delivery, reason: "its settlement cannot be published", claimed.tenure)
    }

    private var queueName: String { publisher.topology.laneQueue(queue, lane) }
}
