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
        resting = [:]
        _ = await tell()
    }

    package func handlePendingEvents() async throws(UploadError) -> Int {
        try await backend.catchUp()
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
        Task { await self.tell() }
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
        let before = taken.withLock { $0 }
        guard let untold = try? await store.untold() else { return 0 }
        // Those that the delegate was told first.
        let known = before.subtracting(untold.compactMap { $0.end?.id })
        taken.withLock { $0.subtract(known) }
        var count = 0
        var living: [String: Bool] = [lock.token: true]
        /// Whose earlier outcome has to be told first.
        var held: Set<JobID> = []
        for upload in untold where !isClosed {
            guard let event = upload.end, let outcome = UploadOutcome(event) else { continue }
            let isOwn = upload.startedBy == lock.token
            if isOwn { show(event) }
            if living[upload.startedBy] == nil { living[upload.startedBy] = await store.isAlive(upload.startedBy) }
            let decision = TellingRule.decide(
                isOwn: isOwn, isOwnerAlive: living[upload.startedBy] ?? false,
                isTaken: taken.withLock { $0.contains(outcome.id) },
                hasDelegate: delegate != nil)
            let isResting = resting[outcome.id].map { $0 > .now } ?? false
            guard decision != .wait, !held.contains(upload.id), !isResting else {
                held.insert(upload.id)
                continue
            }
            if await tell(outcome, of: upload, decision) {
                count += decision == .delegate ? 1 : 0
            } else {
                held.insert(upload.id)
            }
        }
        return count
    }

    /// - Returns: whether it is told.
    private func tell(_ outcome: UploadOutcome, of upload: ClientUpload, _ decision: TellingRule.Decision) async -> Bool
    {
        do {
            guard let claim = try await store.claim(upload) else { return false }
            defer { claim.unlock() }
            if decision == .delegate {
                guard let delegate else { return false }
                try await delegate.uploadDidEnd(outcome)
            }
            try await store.finish(upload)
            resting[outcome.id] = nil
            taken.withLock { _ = $0.remove(outcome.id) }
            return true
        } catch {
            resting[outcome.id] = .now + Self.refusalPause
            logger.warning(
                "an outcome was not taken, and is told again",
                metadata: ["job": "\(upload.id)", "error": "\((error as? UploadError)?.message ?? "\(error)")"])
            return false
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
