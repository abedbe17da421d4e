import Logging
import Synchronization
import Uploads

extension NotifierService {
    /// Before anything is taken: reads the control log, and repeats what a crash left owed.
    func recover() async throws(UploadError) {
        await outcomes.end()
        let current = try await viewToBeginWith()
        try checkClaim(current)
        view.withLock { $0 = current }
        let owed = try await ledger.owed()
        guard !owed.isEmpty else { return }
        logger.notice("repeating what was noted and not confirmed", metadata: [LogKey.count: "\(owed.count)"])
        try await publish(owed)
    }

    /// One batch: the transaction, and the publications. Nothing that is decided next depends on whether outcomes are told
    /// already, so these are the end of the batch.
    func handle(_ batch: [NotifierMessage]) async throws(UploadError) -> NotifierBus.BatchEnd {
        try checkClaim()
        for message in batch {
            if case .unreadable(_, let reason, _) = message {
                logger.error(
                    "dead letter that nobody can read; it is kept in the ledger", metadata: [LogKey.reason: "\(reason)"]
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
            try await outcomes.told()
            try await publish(owed)
            return {}
        }
        try await outcomes.told()
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
        serveClients(in: batch)
        noteMarkers(in: batch)
        progress.note(recorded: batch)
        if owed.contains(where: \.isOutcome) { deliveries.wake() }
        return owed
    }

    /// Part by part, each durable and published before the next, so that no order is too large.
    private func carryOut(_ order: UploadOrder, replyTo: String?) async throws(UploadError) {
        if case .ask(let jobs) = order.command { return await answer(order, about: jobs, replyTo: replyTo) }
        guard !order.command.isSweep else {
            // It takes longer than messages can wait, and waits itself for what they tell.
            sweepOrders.add(SweepOrder(order: order, replyTo: replyTo))
            return
        }
        guard !order.command.isForgetting else {
            // It may be about every job there ever was, and changes nothing of what is to happen.
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
            if let replyTo { await bus.answer(answer, to: replyTo) }
            return
        }
    }

    /// Keeps an order that the ledger cannot carry out for people, and answers whoever gave it: unacknowledged it would come again for ever.
    private func setAside(_ order: UploadOrder, replyTo: String?, _ error: UploadError) async throws(UploadError) {
        let reason = "the ledger cannot carry out order \(order.id): \(error.message)"
        let copy = bus.copy(of: .order(order, replyTo: replyTo))
        _ = try await recordForRoutes([.unreadable(copy.body, reason: reason, envelope: copy.envelope)])
        say(SingleRecording.Refusal(job: nil, reason: reason))
        if let replyTo { await bus.answer(OrderAnswer(order: order.id, notRecorded: reason), to: replyTo) }
    }

    func publish(_ owed: [OwedAction]) async throws(UploadError) {
        try await publisher.publish(owed)
        for owed in owed {
            if case .append(let entry) = owed.action { view.withLock { $0.apply(entry) } }
        }
    }
}

extension NotifierMessage {
    /// Whether what follows depends on the fences: nothing on the undisturbed path does.
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
