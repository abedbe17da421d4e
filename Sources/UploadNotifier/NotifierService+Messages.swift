import Logging
import Synchronization
import Uploads

extension NotifierService {
    /// Reads the control log and publishes the actions that a crash left owed, before the notifier takes messages.
    func recover() async throws(UploadError) {
        await outcomes.end()
        let current = try await viewToBeginWith()
        try checkClaim(current)
        view.withLock { $0 = current }
        let owed = try await ledger.owed()
        guard !owed.isEmpty else { return }
        logger.notice("repeating publications that were not confirmed", metadata: [LogKey.count: "\(owed.count)"])
        try await publish(owed)
    }

    /// Records one batch and publishes the owed actions. No later decision depends on whether outcomes are published already, so their
    /// publication is the end of the batch, which the caller awaits beside the next batch.
    func handle(_ batch: [NotifierMessage]) async throws(UploadError) -> NotifierBus.BatchEnd {
        try checkClaim()
        metrics.take(batch, bus.shards)
        for message in batch {
            if case .unreadable(_, let reason, _) = message {
                logger.error(
                    "a dead letter cannot be read; it is kept in the ledger", metadata: [LogKey.reason: "\(reason)"]
                )
            }
        }
        warnOfPolicies(in: batch)
        guard batch.contains(where: \.needsControlView) else {
            let owed = try await record(batch)
            await answerQuestions(in: batch)
            if owed.allSatisfy(\.isOutcome) {
                return outcomes.add { () async throws(UploadError) in try await self.publish(owed) }
            }
            try await outcomes.waitUntilConfirmed()
            try await publish(owed)
            return {}
        }
        try await outcomes.waitUntilConfirmed()
        let current = try await bus.controlView()
        try checkClaim(current)
        view.withLock { $0 = current }
        var rest = batch[...]
        while let first = rest.first {
            if case .order(let order, let replyTo) = first {
                rest.removeFirst()
                try await carryOut(order, replyTo: replyTo)
            } else {
                let part = rest.prefix { !$0.isOrder }
                rest.removeFirst(part.count)
                try await publish(record(Array(part)))
            }
        }
        return {}
    }

    private func record(_ batch: [NotifierMessage]) async throws(UploadError) -> [OwedAction] {
        let owed = try await recordForRoutes(batch)
        metrics.record(batch, bus.shards)
        serveClients(in: batch)
        progress.note(recorded: batch)
        if owed.contains(where: \.isOutcome) { deliveries.wake() }
        return owed
    }

    /// Carries out an order part by part, each part durable and published before the next, so that no order is too large.
    private func carryOut(_ order: UploadOrder, replyTo: String?) async throws(UploadError) {
        if case .ask(let jobs) = order.command { return await answer(order, about: jobs, replyTo: replyTo) }
        if try await spread(order, replyTo: replyTo) { return }
        guard !order.command.isSweep else {
            // A sweep takes longer than messages can wait, and itself waits until the messages before it are recorded.
            sweepOrders.add(SweepOrder(order: order, replyTo: replyTo))
            return
        }
        guard !order.command.isForgetting else {
            // Forgetting may concern every job in the ledger, and does not affect what happens to jobs, so it runs beside the messages.
            do throws(UploadError) {
                try await ledger.accept(order)
            } catch {
                guard LedgerFailure.isOfOne(error) else { throw error }
                return try await setAside(order, replyTo: replyTo, error)
            }
            forgettingOrders.add(SweepOrder(order: order, replyTo: replyTo))
            return
        }
        while true {
            let step: OrderStep
            do throws(UploadError) {
                step = try await carryOutForRoutes(order)
            } catch {
                guard LedgerFailure.isOfOne(error) else { throw error }
                return try await setAside(order, replyTo: replyTo, error)
            }
            if step.owed.contains(where: \.isOutcome) { deliveries.wake() }
            try await publish(step.owed)
            guard let answer = step.answer else { continue }
            logger.notice(
                "an operator's order is carried out",
                metadata: [
                    LogKey.order: "\(order.id)", LogKey.by: "\(order.by)", LogKey.verb: "\(order.command.verb)",
                    LogKey.matched: "\(answer.matched)", LogKey.count: "\(answer.done)",
                ])
            await send(answer, to: order, replyTo)
            return
        }
    }

    /// Keeps an order that the ledger cannot carry out as a dead letter, and answers the operator: unacknowledged it would come again for
    /// ever.
    private func setAside(_ order: UploadOrder, replyTo: String?, _ error: UploadError) async throws(UploadError) {
        let reason = "the ledger cannot carry out order \(order.id): \(error.message)"
        let copy = bus.copy(of: .order(order, replyTo: replyTo))
        _ = try await recordForRoutes([.unreadable(copy.body, reason: reason, envelope: copy.envelope)])
        say(SingleRecording.Refusal(job: nil, reason: reason))
        await send(OrderAnswer(order: order.id, notRecorded: reason), to: order, replyTo)
    }

    /// Gives an order with a filter that concerns several shards to each of them, unless it matches more jobs than it may. The shards carry
    /// it out behind the messages that are in their queues by then, so it finds the jobs that were submitted before the order.
    /// - Returns: whether nothing is left to do here.
    private func spread(_ order: UploadOrder, replyTo: String?) async throws(UploadError) -> Bool {
        guard case .matching(let verb, let filter, let atMost) = order.command, order.part == nil,
            order.shards(of: bus.shards).count > 1
        else { return false }
        if let atMost {
            let count = try await ledger.count(filter, for: verb)
            guard count <= atMost else {
                await send(OrderAnswer(order: order.id, matched: count, problem: .tooMany), to: order, replyTo)
                return true
            }
        }
        try await bus.spread(order, replyTo: replyTo)
        return true
    }

    /// Answers the program that gave an order, if it waits.
    func send(_ answer: OrderAnswer, to order: UploadOrder, _ replyTo: String?) async {
        if let replyTo { await bus.answer(answer.sharing(order.part), to: replyTo) }
    }

    func publish(_ owed: [OwedAction]) async throws(UploadError) {
        try await publisher.publish(owed)
        for owed in owed {
            if case .append(let entry) = owed.action { view.withLock { $0.apply(entry) } }
        }
    }
}

extension NotifierMessage {
    /// Whether the handling of the message depends on the fences of the control log; no message on the undisturbed path does.
    var needsControlView: Bool {
        switch self {
        case .event(let event, _): event.kind == .suspect
        case .order(let order, _): !order.command.isQuestion
        case .marker, .deadBaton: true
        case .job, .unreadable: false
        }
    }
}

extension NotifierMessage {
    fileprivate var isOrder: Bool { if case .order = self { true } else { false } }
}

extension OwedAction {
    var isOutcome: Bool { if case .outcome = action { true } else { false } }
}
