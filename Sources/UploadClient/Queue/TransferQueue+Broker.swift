import Foundation
import Logging
import Uploads

/// Makes the broker's serial line equal to the list, and follows its jobs.
extension TransferQueue {
    /// Hands all pending changes to the broker once.
    /// - Returns: whether no change is left.
    func handToBroker() async -> Bool {
        do throws(UploadError) {
            while let id = list.nextToHandOver, !isClosed { try await handOver(id) }
            if list.isModeToTell { try await tellMode() }
            while let session = list.nextToCancel, !isClosed { try await cancelJobs(of: session) }
            while let session = list.nextToPauseOrResume, !isClosed { try await tellPause(of: session) }
            if list.isStarted, list.isToArrange { try await arrange() }
        } catch {
            logger.debug(
                "the broker cannot take the orders now", metadata: ["queue": "\(name)", "error": "\(error.message)"])
            return false
        }
        return !list.isPending
    }

    private func handOver(_ id: UUID) async throws(UploadError) {
        list.beginHandingOver(id, queue: name, namespace: manager.core.backend.namespace)
        try await save()
        for index in list[id]?.files.indices ?? 0..<0 {
            guard let session = list[id], let job = session.files[index].job, !session.files[index].isAccepted,
                !session.files[index].state.isEnd
            else { continue }
            do throws(UploadError) {
                follow(try await manager.core.start(upload(session, index)))
                list.accepted(job)
            } catch {
                if error.mayPass || error.code == .interrupted { throw error }
                tell(list.hear(job, .failed, failure: error))
            }
        }
        try await save()
    }

    private func upload(_ session: TransferSession, _ index: Int) -> Upload {
        let file = session.files[index]
        let ends = session.ends(of: file, copy: store.path(of: file))
        var upload = Upload(ends.content, to: ends.destination, contentType: file.contentType, info: file.info)
        upload.queue = name
        upload.serial = list.position(of: session.id, index)
        upload.idempotencyKey = SessionList.key(of: session, index)
        return upload
    }

    private func tellMode() async throws(UploadError) {
        let isStarted = list.isStarted
        _ = try await manager.link.order(isStarted ? .startQueues([name]) : .stopQueues([name]), about: [])
        list.isStoppedAtBroker = !isStarted
        try await save()
    }

    private func cancelJobs(of session: TransferSession) async throws(UploadError) {
        try await order(.cancel, session.openJobs)
        try await change { list throws(UploadError) in
            list.note(session.id) { $0.isCancelTold = true }
            return []
        }
    }

    private func tellPause(of session: TransferSession) async throws(UploadError) {
        let isPaused = session.isPaused
        try await order(isPaused ? .pause : .resume, session.openJobs)
        try await change { list throws(UploadError) in
            list.note(session.id) { $0.isPauseTold = isPaused }
            return []
        }
    }

    /// Gives orders about jobs. A refused job has ended or already has the wanted state; its own events say which.
    private func order(_ verb: Verb, _ jobs: [JobID]) async throws(UploadError) {
        for chunk in jobs.chunks(of: UploadOrder.jobsMaximum) {
            _ = try await manager.link.order(.jobs(verb, chunk), about: chunk)
        }
    }

    /// Pauses the sessions that have to give their turn back. When no worker has their jobs any more, moves all jobs
    /// into their order.
    private func arrange() async throws(UploadError) {
        for session in list.sessions where session.isGivingWay {
            guard let job = session.openJobs.first, !pausedToGiveWay.contains(job) else { continue }
            list.note(session.id) { $0.isPauseTold = true }
            try await order(.pause, [job])
            pausedToGiveWay.insert(job)
        }
        let wanted = list.arrangement
        var moved: Set<JobID> = []
        var last: JobID?
        for chunk in wanted.chunks(of: UploadOrder.jobsMaximum) {
            guard
                let answer = try await manager.link.order(
                    .move(chunk, last.map { .after($0) } ?? .index(0)), about: chunk)
            else {
                throw UploadError(.networkFailure, "the notifier has not answered; the sessions are moved when it does")
            }
            moved.formUnion(answer.jobs.filter(\.done).map(\.id))
            last = chunk.last
        }
        try await change { list throws(UploadError) in
            var events: [TransferQueueEvent] = []
            for session in list.sessions where session.isGivingWay {
                if let job = session.openJobs.first, moved.contains(job) { events += list.gaveWay(session.id) }
            }
            // Changes that were made meanwhile are not arranged yet.
            if list.arrangement == wanted, !list.sessions.contains(where: \.isGivingWay) { list.isToArrange = false }
            return events
        }
        if !list.isToArrange { pausedToGiveWay = [] }
    }

    // MARK: Following

    /// Follows the jobs of an earlier run, after the queue was opened.
    func followAgain() async {
        let jobs = list.sessions.flatMap { session in
            session.files.compactMap { $0.isAccepted && !$0.state.isEnd ? $0.job : nil }
        }
        guard !jobs.isEmpty else { return }
        do throws(UploadError) {
            // The program that takes an upload up gets its end.
            var saved = try await manager.core.save()
            let wanted = Set(jobs)
            saved.uploads.removeAll { !wanted.contains($0.id) }
            for handle in try await manager.core.restore(saved) { follow(handle) }
            for job in jobs where following[job] == nil {
                if let handle = try await manager.core.handle(for: job) {
                    follow(handle)
                } else {
                    list.lost(job)
                }
            }
        } catch {
            logger.error(
                "the sessions of a transfer queue cannot be followed",
                metadata: ["queue": "\(name)", "error": "\(error.message)"])
        }
    }

    private func follow(_ handle: UploadHandle) {
        guard following[handle.id] == nil, !isClosed else { return }
        let job = handle.id
        following[job] = Task { [weak self] in
            for await update in handle.updates { await self?.hear(update) }
            await self?.forget(job)
        }
    }

    private func forget(_ job: JobID) { following[job] = nil }

    private func hear(_ update: UploadUpdate) async {
        guard !isClosed else { return }
        let events = list.hear(update)
        guard !events.isEmpty || update.status.isEnd else { return }
        tell(events)
        if events.allSatisfy({ $0.kind == .progress }), !update.status.isEnd { return }
        do throws(UploadError) {
            try await save()
        } catch {
            logger.error(
                "a session's new state could not be saved",
                metadata: ["queue": "\(name)", "error": "\(error.message)"])
        }
        // The copies of completed files and of removed sessions are not needed any more.
        if case .completed = update.status, let file = events.first?.session.files.first(where: { $0.job == update.id })
        {
            await store.discard([file])
        }
        for event in events where event.kind == .removed { await store.discard(event.session.files) }
        wake()
    }
}

extension SessionList {
    /// Changes a session without reporting an event.
    fileprivate mutating func note(_ id: UUID, _ body: (inout TransferSession) -> Void) {
        if let index = sessions.firstIndex(where: { $0.id == id }) { body(&sessions[index]) }
    }
}

extension Array {
    fileprivate func chunks(of count: Int) -> [[Element]] {
        stride(from: 0, to: self.count, by: count).map { Array(self[$0..<Swift.min($0 + count, self.count)]) }
    }
}
