import Logging
import Uploads

/// Publishes the actions that the ledger notes as owed: the actions of one job in their order, those of different jobs side by
/// side, so that many outcomes share the broker's round trips.
struct OwedPublisher: Sendable {
    /// Jobs whose actions are published at a time.
    static let concurrencyMaximum = 64

    private struct Result {
        var done: [OwedAction.ID]
        var failure: UploadError?
    }

    let bus: any NotifierBus
    let ledger: any LedgerRecorder
    let clock: NotifierClock
    let logger: Logger

    /// Returns when the broker has confirmed everything. An action that can never be published (its queue is gone) stays
    /// owed, with an error in the log, and holds up no other job; the notifier tries it again at its next start.
    /// - Throws: the first passing failure, after all other actions were tried.
    func publish(_ owed: [OwedAction]) async throws(UploadError) {
        guard !owed.isEmpty else { return }
        var order: [JobID] = []
        var byJob: [JobID: [OwedAction]] = [:]
        for action in owed {
            if byJob[action.job] == nil { order.append(action.job) }
            byJob[action.job, default: []].append(action)
        }
        let jobs = order.map { byJob[$0] ?? [] }
        var done: [OwedAction.ID] = []
        var failure: UploadError?
        await withTaskGroup(of: Result.self) { group in
            var rest = jobs[...]
            for _ in 0..<Self.concurrencyMaximum {
                guard let actions = rest.popFirst() else { break }
                group.addTask { await publishInOrder(actions) }
            }
            while let result = await group.next() {
                done += result.done
                failure = failure ?? result.failure
                if let actions = rest.popFirst() { group.addTask { await publishInOrder(actions) } }
            }
        }
        ledger.settle(done)
        if let failure { throw failure }
    }

    private func publishInOrder(_ actions: [OwedAction]) async -> Result {
        var done: [OwedAction.ID] = []
        for owed in actions {
            do {
                try await publish(owed.action)
                done.append(owed.id)
            } catch {
                guard error.retry == .never else { return Result(done: done, failure: error) }
                logger.error(
                    "an owed action cannot be published; it stays owed and is tried again at the next start",
                    metadata: [LogKey.job: "\(owed.job)", LogKey.error: "\(error)"])
                return Result(done: done, failure: nil)
            }
        }
        return Result(done: done, failure: nil)
    }

    /// Holds a job that no lane has taken: its publication is owed no more, and the job is issued anew later.
    private func hold(_ baton: Baton, _ cause: DeathCause) async throws(UploadError) {
        logger.notice(
            "no lane takes a job; it is held, and issued when its transfer queue exists",
            metadata: [
                LogKey.job: "\(baton.job.id)", LogKey.queue: "\(baton.job.queue)", LogKey.reason: "\(cause.reason)",
            ])
        try await ledger.unclaimed(baton, cause, now: clock.now())
    }

    private func publish(_ action: IssuingAction) async throws(UploadError) {
        switch action {
        case .mark(let marker): try await bus.mark(marker)
        case .issue(let baton, let lane, let maybeRepeated) where baton.onlyRemovesCopy:
            // If no lane takes the baton, the staging area's sweep removes the copy.
            _ = try await bus.issue(baton, on: lane, maybeRepeated: maybeRepeated)
        case .issue(let baton, let lane, let maybeRepeated):
            logger.notice(
                "issuing a job anew",
                metadata: [LogKey.job: "\(baton.job.id)", LogKey.generation: "\(baton.generation)"])
            switch try await bus.issue(baton, on: lane, maybeRepeated: maybeRepeated) {
            case .taken: break
            case .noLane: try await hold(baton, .noLane)
            case .refused: try await hold(baton, .other("its lane takes no more messages for now"))
            }
        case .append(let entry): try await bus.append(entry)
        case .outcome(let event): try await bus.tell(event)
        case .record, .note: break
        }
    }
}
