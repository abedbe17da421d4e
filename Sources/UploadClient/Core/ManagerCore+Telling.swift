import Foundation
import LinuxFiles
import Logging
import Synchronization
package import Uploads

/// From what is known to who is told.
extension ManagerCore {
    /// After a refusal, an outcome rests for so long before the delegate is asked again.
    private static let refusalPause = Duration.seconds(5)

    package func setDelegate(_ delegate: (any UploadDelegate)?) async {
        self.delegate = delegate
        if delegate != nil { given.withLock { $0.delegateWasSet() } }
        resting = [:]
        _ = await tell()
    }

    package func handlePendingEvents() async throws(UploadError) -> Int {
        try await backend.catchUp()
        await lookAtFollowed()
        resting = [:]
        // One that is under way may have looked before.
        let earlier = await telling?.value ?? 0
        return earlier + (await tell())
    }

    /// Takes note of what became known.
    /// - Returns: false when an end could not be noted: it has to come again.
    func take(_ event: UploadEvent) async -> Bool {
        let id = event.job.id
        guard event.kind.isEnd else {
            followed[id]?.change { $0.apply(event) }
            return true
        }
        do throws(UploadError) {
            guard try await store.end(with: event) != nil else {
                // Another program has noted it before, or it is of a round that is over.
                await showEnd(of: id)
                return true
            }
        } catch {
            logger.error("an upload's end could not be noted", metadata: ["job": "\(id)", "error": "\(error.message)"])
            return false
        }
        show(event)
        tellBeside()
        return true
    }

    /// Shows the ends of followed uploads that another program has noted.
    func lookAtFollowed() async {
        let awaited = followed.values.filter { !$0.latest.status.isEnd }
        guard !awaited.isEmpty, let open = try? await store.openIDs() else { return }
        for progress in awaited where !open.contains(progress.id) && followed[progress.id] === progress {
            if let event = try? await store.outcome(of: progress.id)?.end { show(event) }
        }
    }

    /// The same as ``tell()``, not awaited: a delegate that takes its time holds up nothing else.
    func tellBeside() {
        if telling == nil { Task { await self.tell() } } else { isToTellAgain = true }
    }

    /// Tells what can be told now.
    /// - Returns: how many outcomes the delegate took.
    func tell() async -> Int {
        if let telling {
            isToTellAgain = true
            return await telling.value
        }
        let task = Task { () -> Int in
            var count = 0
            repeat {
                isToTellAgain = false
                count += await tellOnce()
            } while isToTellAgain && !isClosed
            // In one step with the look at the wish to do it again.
            telling = nil
            return count
        }
        telling = task
        return await task.value
    }

    private func tellOnce() async -> Int {
        // Without a delegate nothing is told, however much has gathered.
        guard delegate != nil, let untold = try? await store.untold() else { return 0 }
        var count = 0
        var living: [String: Bool] = [lock.token: true]
        /// Whose earlier outcome has to be told first.
        var held: Set<JobID> = []
        for upload in untold where !isClosed {
            guard let event = upload.end, let outcome = UploadOutcome(event) else { continue }
            let isOwn = upload.startedBy == lock.token
            if isOwn { show(event) }
            if living[upload.startedBy] == nil { living[upload.startedBy] = await store.isAlive(upload.startedBy) }
            let isToTell = TellingRule.isToTell(
                isOwn: isOwn, isOwnerAlive: living[upload.startedBy] ?? false, hasDelegate: delegate != nil)
            let isResting = resting[outcome.id].map { $0 > .now } ?? false
            guard isToTell, !held.contains(upload.id), !isResting, await tell(outcome, of: upload) else {
                held.insert(upload.id)
                continue
            }
            count += 1
        }
        return count
    }

    /// - Returns: whether it is told.
    private func tell(_ outcome: UploadOutcome, of upload: ClientUpload) async -> Bool {
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
                "an outcome was not taken, and is told again",
                metadata: ["job": "\(upload.id)", "error": "\((error as? UploadError)?.message ?? "\(error)")"])
            return false
        }
    }

    /// What becomes of outcomes that are not told when the manager closes: see ``TellingRule``.
    func tellBeforeClosing() async {
        let hadDelegate = given.withLock { $0.hadDelegate }
        switch TellingRule.closing(hasDelegate: delegate != nil, hadDelegate: hadDelegate) {
        case .tell:
            // What was refused a moment ago is offered once more.
            resting = [:]
            let (patience, end) = AsyncStream<Never>.makeStream()
            Task {
                _ = await self.tell()
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

    /// Counts what handles have given as told.
    func count(_ outcomes: Set<String>) async {
        do throws(UploadError) {
            try await store.countAsTold(outcomes, startedBy: lock.token)
        } catch {
            // They are told to a delegate of a later run, once more than is needed.
            logger.warning("what was given cannot be noted", metadata: ["error": "\(error.message)"])
        }
    }

    private func showEnd(of id: JobID) async {
        guard followed[id] != nil, case nil = try? await store.upload(id),
            let event = try? await store.outcome(of: id)?.end
        else { return }
        show(event)
    }

    /// Shows an end to whoever follows the upload; only their handles keep it. An earlier round's, which may wait long to be told,
    /// is not the end of the one that is followed now.
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

extension UploadUpdate {
    /// What an event that is no end says.
    fileprivate mutating func apply(_ event: UploadEvent) {
        learnSize(of: event.job)
        if event.data.baton.isCancel {
            // Its worker says `started` and `waiting` of the cancelling.
            status = .cancelling(until: event.data.waitingUntil)
            bytesPerSecond = nil
            return
        }
        // A cancellation sticks: what is heard now was told before it.
        if case .cancelling = status { return }
        switch event.kind {
        case .started: status = .running
        case .progress:
            status = .running
            bytesDone = event.data.bytesDone ?? bytesDone
            bytesPerSecond = event.data.bytesPerSecond
        case .waiting:
            status = .waiting(
                until: event.data.waitingUntil, reason: event.data.reason, event.data.error)
            bytesPerSecond = nil
        case .paused:
            status = .paused
            bytesPerSecond = nil
        case .enqueued, .handedOver:
            status = .queued
            bytesPerSecond = nil
        case .suspect, .completed, .failed, .cancelled: break
        }
    }
}
