import Foundation
import Logging
import RabbitMQ
import Uploads

/// The handling of one delivery.
extension LaneReader {
    /// How long a drain waits for the broker to stop delivering: a half-dead connection must not use up the grace.
    static let quietPatience = Duration.seconds(5)

    /// How long a delivery that was not begun waits for earlier deliveries that may be running, so that it comes behind
    /// them: when its queue was stopped or the worker drained, and when the worker leaves, within its grace.
    private static let stopPatience = Duration.seconds(30)
    private static let drainPatience = Duration.seconds(3)

    /// Returns the work for a delivery; the handler learns of it at once, so that it learns of deliveries in their
    /// order.
    func work(
        on verdict: DeliveryVerdict, _ delivery: Delivery, _ tenure: Tenure
    ) -> @Sendable () async -> Void {
        guard case .work(let baton) = verdict else {
            return { await self.dismiss(verdict, delivery, tenure) }
        }
        let claimed = ClaimedDelivery(
            baton: baton, lane: lane, trace: WireFormat.traceParent(of: delivery.message), tenure: tenure,
            publisher: publisher)
        let carry = handler.accept(claimed)
        let ticket = handBack.take(in: lane)
        return {
            let end = await self.settle(claimed, ticket, delivery, carry)
            self.handBack.finish(ticket)
            self.channel.settle(delivery, end, tenure)
        }
    }

    /// Settles a delivery that no slice is to work on.
    private func dismiss(
        _ verdict: DeliveryVerdict, _ delivery: Delivery, _ tenure: Tenure
    ) async {
        guard tenure.holds else { return }
        let end: DeliveryEnd
        switch verdict {
        case .work: end = .leave
        case .suspect(let baton, let reason):
            await waitUntilLanesAreQuiet()
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
        channel.settle(delivery, end, tenure)
    }

    /// Sets a message aside that cannot be published: the broker has refused it for good, so further tries would only
    /// hold up the lane.
    func setAside(_ delivery: Delivery, reason: String, _ tenure: Tenure) async -> DeliveryEnd {
        guard tenure.holds else { return .leave }
        return await publisher.setAside(delivery, reason: reason, from: queueName, tenure)
    }

    /// During a drain, waits until every lane has stopped taking: a settlement makes room for another delivery, or
    /// hands a baton over to this same worker. A delivery that arrives while its consumer is being cancelled comes back
    /// as redelivered, a suspect without need.
    func waitUntilLanesAreQuiet() async {
        // Rule 2: suspects are not worked on. A worker that shuts down makes none.
        if draining.isFired { await quiet.wait(atMost: Self.quietPatience) }
        // The same for the queue's own lanes, if the queue was stopped or the worker drained.
        if isStopped { await taking.waitForNone(atMost: Self.quietPatience) }
    }

    private func settle(
        _ claimed: ClaimedDelivery, _ ticket: HandBack.Ticket, _ delivery: Delivery,
        _ carry: @escaping @Sendable () async -> SettledSlice
    ) async -> DeliveryEnd {
        let slice = await cancelled.cancelling(carry)
        await waitUntilLanesAreQuiet()
        if case .handOver = slice.settlement, slice.report.startedAt == nil, draining.isFired || isStopped {
            await handBack.waitForTurn(
                of: ticket, patience: draining.isFired ? Self.drainPatience : Self.stopPatience)
        }
        let plan = SettlementPlan(slice, of: claimed.baton, from: lane, isStopped: isStopped, now: publisher.now())
        if await publisher.carryOut(plan, of: claimed, handler: handler) { return .acknowledge }
        guard plan.acknowledges else { return .leave }
        // The notifier decides about it.
        return await setAside(delivery, reason: "its settlement cannot be published", claimed.tenure)
    }

    private var queueName: String { publisher.topology.laneQueue(queue, lane) }
}
