import Foundation
import LinuxFiles
import Logging
import Synchronization
package import Uploads

/// Forwards each recorded outcome to its handles and to the delegate.
extension ManagerCore {
    /// How long the manager waits after a refusal before it offers the outcome to the delegate again.
    private static let refusalPause = Duration.seconds(5)

    package func setDelegate(_ delegate: (any UploadDelegate)?) async {
        self.delegate = delegate
        if delegate != nil { given.withLock { $0.delegateWasSet() } }
        resting = [:]
        _ = await deliver()
    }

    package func handlePendingEvents() async throws(UploadError) -> Int {
        try await backend.catchUp()
        await lookAtFollowed()
        resting = [:]
        // A delivery that is under way may have read the store before this call.
        let earlier = await delivering?.value ?? 0
        return earlier + (await deliver())
    }

    /// Records an event of the backend.
    /// - Returns: false when an end could not be recorded: the backend has to report it again.
    func take(_ event: UploadEvent) async -> Bool {
        let id = event.job.id
        guard event.kind.isEnd else {
            followed[id]?.hear(event)
            return true
        }
        do throws(UploadError) {
            guard try await store.end(with: event) != nil else {
                // Another program has recorded this end before, or it belongs to an earlier round.
                await showEnd(of: id)
                return true
            }
        } catch {
            logger.error(
                "an upload's end could not be recorded", metadata: ["job": "\(id)", "error": "\(error.message)"])
            return false
        }
        show(event)
        deliverBeside()
        return true
    }

    /// Shows the ends of followed uploads that another program has recorded.
    func lookAtFollowed() async {
        let awaited = followed.values.filter { !$0.latest.status.isEnd }
        guard !awaited.isEmpty, let open = try? await store.openIDs() else { return }
        for progress in awaited where !open.contains(progress.id) && followed[progress.id] === progress {
            if let event = try? await store.outcome(of: progress.id)?.end { show(event) }
        }
    }

    /// The same as ``deliver()``, not awaited, so that a slow delegate delays nothing else.
    func deliverBeside() {
        if delivering == nil { Task { await self.deliver() } } else { isToDeliverAgain = true }
    }

    /// Delivers all outcomes that can be delivered now.
    /// - Returns: how many outcomes the delegate took.
    func deliver() async -> Int {
        if let delivering {
            isToDeliverAgain = true
            return await delivering.value
        }
        let task = Task { () -> Int in
            var count = 0
            repeat {
                isToDeliverAgain = false
                count += await deliverOnce()
            } while isToDeliverAgain && !isClosed
            // In one step with the check of `isToDeliverAgain`.
            delivering = nil
            return count
        }
        delivering = task
        return await task.value
    }

    private func deliverOnce() async -> Int {
        // Without a delegate no outcome is delivered, however many are pending.
        guard delegate != nil, let untold = try? await store.untold() else { return 0 }
        var count = 0
        var living: [String: Bool] = [lock.token: true]
        /// Uploads with an earlier outcome that has to be delivered first.
        var held: Set<JobID> = []
        for upload in untold where !isClosed {
            guard let event = upload.end, let outcome = UploadOutcome(event) else { continue }
            let isOwn = upload.startedBy == lock.token
            if isOwn { show(event) }
            if living[upload.startedBy] == nil { living[upload.startedBy] = await store.isAlive(upload.startedBy) }
            let isToDeliver = DeliveryRule.isToDeliver(
                isOwn: isOwn, isOwnerAlive: living[upload.startedBy] ?? false, hasDelegate: delegate != nil)
            let isResting = resting[outcome.id].map { $0 > .now } ?? false
            guard isToDeliver, !held.contains(upload.id), !isResting, await deliver(outcome, of: upload) else {
                held.insert(upload.id)
                continue
            }
            count += 1
        }
        return count
    }

    /// - Returns: whether the delegate took the outcome.
    private func deliver(_ outcome: UploadOutcome, of upload: ClientUpload) async -> Bool {
        do {
            guard let claim = try await store.claim(upload) else { return false }
            defer { claim.unlock() }
            guard let delegate else { return false }
            try await delegate.uploadDidEnd(outcome)
            try await store.finish(upload)
            resting[outcome.id] = nil
            return true
        } catch {
            resting[outcome.id] = .now + Self.refusalPause
            logger.warning(
                "the delegate did not take an outcome; it is delivered again",
                metadata: ["job": "\(upload.id)", "error": "\((error as? UploadError)?.message ?? "\(error)")"])
            return false
        }
    }

    /// Decides about the outcomes that are not delivered when the manager closes: see ``DeliveryRule``.
    func deliverBeforeClosing() async {
        let hadDelegate = given.withLock { $0.hadDelegate }
        switch DeliveryRule.closing(hasDelegate: delegate != nil, hadDelegate: hadDelegate) {
        case .deliver:
            // Outcomes that the delegate refused a moment ago are offered once more.
            resting = [:]
            let (patience, end) = AsyncStream<Never>.makeStream()
            Task {
                _ = await self.deliver()
                end.finish()
            }
            let waiting = Task { [closingPatience] in
                try? await Task.sleep(for: closingPatience)
                end.finish()
            }
            for await _ in patience {}
            waiting.cancel()
        case .countGiven: await count(given.withLock { $0.takeAll() })
        case .leave: break
        }
    }

    /// Records outcomes that handles have returned as delivered.
    func count(_ outcomes: Set<String>) async {
        do throws(UploadError) {
            try await store.countAsTold(outcomes, startedBy: lock.token)
        } catch {
            // A delegate of a later run gets them once more than needed.
            logger.warning(
                "the outcomes that handles have returned cannot be recorded",
                metadata: ["error": "\(error.message)"])
        }
    }

    private func showEnd(of id: JobID) async {
        guard followed[id] != nil, case nil = try? await store.upload(id),
            let event = try? await store.outcome(of: id)?.end
        else { return }
        show(event)
    }

    /// Shows an end to the followers of the upload; only their handles keep it. The end of an earlier round, which may
    /// wait long for its delivery, does not end the round that is followed now.
    func show(_ event: UploadEvent) {
        guard let outcome = UploadOutcome(event), let progress = followed[outcome.job.id],
            progress.round <= outcome.round
        else { return }
        followed[outcome.job.id] = nil
        progress.change(outcome: outcome.id) { update in
            update.status = outcome.status
            update.bytesPerSecond = nil
            update.learnSize(of: outcome.job)
            if outcome.isCompleted {
                update.isSizeKnown = true
                update.bytesDone = update.bytesTotal
            }
        }
    }
}
