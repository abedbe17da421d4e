import Foundation
import Logging
import RabbitMQ
import Uploads

/// Publishes a worker's messages about a delivery: all are confirmed before the delivery is acknowledged, and none is
/// published once the delivering connection is gone.
struct SettlementPublisher: Sendable {
    /// Seconds that a baton of a newer version waits for a worker that knows it.
    static let unsupportedDelay: TimeInterval = 60

    let topology: UploadTopology
    let publisher: Publisher
    let batcher = EventBatcher()
    let log: ControlLog
    /// The worker's name; nil: operators cannot drain it.
    let worker: String?
    let logger: Logger
    let now: @Sendable () -> Date

    /// Whether an operator has drained the worker and not resumed it, as far as the control log was read.
    var isDrained: Bool { worker.map { log.view.drainedWorkers.contains($0) } ?? false }

    /// Publishes the plan's messages and removes what the plan allows to remove.
    /// - Returns: whether to acknowledge.
    func carryOut(_ plan: SettlementPlan, of claimed: ClaimedDelivery, handler: any JobHandler) async -> Bool {
        // Rule 6: ends. Each stage is confirmed before the next one; the acknowledgement comes last.
        for stage in plan.stages {
            guard await carryOut(stage, of: claimed, handler: handler) else { return false }
        }
        return plan.acknowledges
    }

    /// Concurrently; a single step needs no task of its own.
    private func carryOut(
        _ stage: [SettlementPlan.Step], of claimed: ClaimedDelivery, handler: any JobHandler
    ) async -> Bool {
        if stage.count == 1 { return await carryOut(stage[0], of: claimed, handler: handler) }
        return await withTaskGroup(of: Bool.self) { group in
            for step in stage { group.addTask { await carryOut(step, of: claimed, handler: handler) } }
            return await group.reduce(true) { $0 && $1 }
        }
    }

    private func carryOut(
        _ step: SettlementPlan.Step, of claimed: ClaimedDelivery, handler: any JobHandler
    ) async -> Bool {
        switch step {
        case .handOn(let onward): return await hand(onward, of: claimed)
        case .tell(let event): return await tell(event, of: claimed)
        case .removeStagedCopy: await handler.removeStagedCopy(of: claimed.baton.job)
        // The holder of the delivery does it.
        case .acknowledge: break
        }
        return true
    }

    /// Publishes an event to all its listeners; the notifier is always one.
    func tell(_ event: UploadEvent, of claimed: ClaimedDelivery) async -> Bool {
        guard let message = encoded(event, claimed.eventTrace) else { return false }
        let tenure = claimed.tenure
        let address = EventBatcher.Address(event, topology.events, topology.shards, tenure)
        let result = await batcher.publish(message, to: address) { message in
            await delivered(
                Parcel(
                    message: message, exchange: topology.events, routingKey: event.routingKey,
                    topology: topology.shared), tenure)
        }
        return isDelivered(result, to: topology.events)
    }

    func post(_ event: UploadEvent, of claimed: ClaimedDelivery) {
        guard let message = encoded(event, claimed.eventTrace) else { return }
        publisher.post(Parcel(message: message, exchange: topology.progress, routingKey: event.routingKey))
    }

    /// Passes a suspect directly to the notifier's queue: it carries the whole baton, which no other listener may see.
    func pass(_ baton: Baton, reason: String, _ delivery: Delivery, _ tenure: Tenure) async -> Bool {
        // Rule 2: suspects are not worked on. They are passed to the notifier, confirmed, then acknowledged.
        var event = UploadEvent(kind: .suspect, of: baton, at: now())
        event.data.reason = reason
        guard let message = encoded(event, WireFormat.traceParent(of: delivery.message)) else { return false }
        let parcel = Parcel(
            message: message, exchange: "", routingKey: topology.notifier(of: baton.job.id), topology: topology.shared)
        return await deliver(parcel, tenure)
    }

    /// Lets a newer version's message wait on the ladder, unchanged.
    func wait(_ delivery: Delivery, _ queue: QueueName, _ lane: Lane, _ tenure: Tenure) async -> Bool {
        let isRepeat = delivery.redelivered || WireFormat.isMaybeRepeated(delivery.message)
        let parcel = Parcel(
            message: WireFormat.forwarded(delivery.message, maybeRepeated: isRepeat),
            exchange: topology.ladderEntry(seconds: Self.unsupportedDelay),
            routingKey: topology.delayKey(seconds: Self.unsupportedDelay, queue, lane, digit: Self.digit(of: delivery)),
            flagsRepeats: true,
            topology: topology.shared)
        return await deliver(parcel, tenure)
    }

    /// Puts a message that was held while its queue was stopped back into its lane, unchanged.
    func putBack(_ delivery: Delivery, _ queue: QueueName, _ lane: Lane, _ tenure: Tenure) async -> Bool {
        let isRepeat = delivery.redelivered || WireFormat.isMaybeRepeated(delivery.message)
        let parcel = Parcel(
            message: WireFormat.forwarded(delivery.message, maybeRepeated: isRepeat), exchange: topology.jobs,
            routingKey: topology.laneKey(queue, lane, digit: Self.digit(of: delivery)), flagsRepeats: true,
            topology: objects(of: queue))
        return await deliver(parcel, tenure)
    }

    /// Sets aside a message that no worker can process, with as much of it as can be published. When the broker refuses
    /// every form, the caller rejects the delivery: the broker then sets it aside by itself, and one message never
    /// holds up its lane.
    /// - Parameter queue: the message's origin.
    func setAside(_ delivery: Delivery, reason: String, from queue: String, _ tenure: Tenure) async -> DeliveryEnd {
        for form in DeadLetterForm.allCases {
            let parcel = Parcel(
                message: WireFormat.deadLetter(delivery.message, reason: reason, from: queue, form: form), exchange: "",
                routingKey: topology.dead, topology: topology.shared)
            do throws(RabbitMQError) {
                try await publisher.deliver(parcel, until: tenure.lost, while: { tenure.holds })
                return .acknowledge
            } catch {
                // These errors say nothing about the message.
                guard tenure.holds, error.code != .cancelled, error.code != .closed else { return .leave }
                logger.warning(
                    "dead letter refused, trying with less of the message",
                    metadata: ["form": .string("\(form)"), "error": .string(String(describing: error))])
            }
        }
        logger.error(
            "dead letter refused in every form: the message is rejected, and the broker sets it aside",
            metadata: ["queue": .string(queue), "reason": .string(reason.utf8Prefix(WireFormat.reasonBytesMaximum))])
        return .reject
    }

    private func hand(_ onward: SettlementPlan.Onward, of claimed: ClaimedDelivery) async -> Bool {
        let queue = onward.baton.job.queue
        do throws(UploadError) {
            // Rule 2: suspects are not worked on. A hand-over that has to be repeated is flagged.
            let message = try WireFormat.message(baton: onward.baton, trace: claimed.batonTrace)
            let parcel =
                if let delay = onward.delay {
                    Parcel(
                        message: message, exchange: topology.ladderEntry(seconds: delay),
                        routingKey: topology.delayKey(seconds: delay, queue, onward.lane, onward.baton.job.id),
                        flagsRepeats: true,
                        topology: objects(of: queue))
                } else {
                    Parcel(
                        message: message, exchange: topology.jobs,
                        routingKey: topology.laneKey(queue, onward.lane, onward.baton.job.id), flagsRepeats: true,
                        topology: objects(of: queue))
                }
            return await deliver(parcel, claimed.tenure)
        } catch {
            logger.error("baton cannot be written", metadata: ["error": .string(error.description)])
            return false
        }
    }

    /// The digit of a message that may not be readable: its property names the job.
    private static func digit(of delivery: Delivery) -> String {
        delivery.message.messageID.flatMap { JobID($0) }?.digitText ?? Shards.digits[0]
    }

    private func objects(of queue: QueueName) -> Topology { topology.shared + topology.lanes(of: queue) }

    private func encoded(_ event: UploadEvent, _ trace: TraceParent?) -> Message? {
        var event = event
        event.trace = trace
        do throws(UploadError) {
            return try WireFormat.message(event: event)
        } catch {
            logger.error("event cannot be written", metadata: ["error": .string(error.description)])
            return nil
        }
    }

    private func deliver(_ parcel: Parcel, _ tenure: Tenure) async -> Bool {
        isDelivered(await delivered(parcel, tenure), to: parcel.exchange)
    }

    private func delivered(_ parcel: Parcel, _ tenure: Tenure) async -> Result<Void, RabbitMQError> {
        // Rule 9: epoch and lock. Nothing is published once the connection that delivered the baton is gone.
        do throws(RabbitMQError) {
            return .success(try await publisher.deliver(parcel, until: tenure.lost, while: { tenure.holds }))
        } catch {
            return .failure(error)
        }
    }

    private func isDelivered(_ result: Result<Void, RabbitMQError>, to exchange: String) -> Bool {
        guard case .failure(let error) = result else { return true }
        if error.code != .cancelled {
            logger.error(
                "publish refused for good",
                metadata: ["exchange": .string(exchange), "error": .string(String(describing: error))])
        }
        return false
    }
}
