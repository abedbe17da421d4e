extension IssuingMachine {
    /// Takes in a worker's event that is no suspect.
    func receive(_ news: UploadEvent, for known: LedgerJob?) -> IssuingDecision {
        guard news.kind != .progress else { return IssuingDecision(job: known, actions: [.note(.nothingNew)]) }
        // Workers publish events redacted; another program may forget to, and delegates must not see the secrets.
        var event = news
        event.data.baton = news.data.baton.redacted
        let told = event.data.baton
        var job = known ?? LedgerJob(learnedFrom: told, at: event.time)
        job.raiseGeneration(to: fence)
        guard told.round >= job.round else { return keep(event, of: job, note: .olderRound) }
        if told.round > job.round || told.generation > job.generation { job.adopt(told, at: event.time) }
        guard job.end == nil else { return keep(event, of: job, note: .roundHasEnded) }
        let isCurrent = told.generation == job.generation
        switch event.kind {
        // Rule 6: ends. `completed` counts from any generation, the other ends only from the current one.
        case .completed: return end(job, by: event, isCurrent: isCurrent)
        case .failed, .cancelled: if isCurrent { return end(job, by: event, isCurrent: true) }
        case .started, .waiting, .handedOver, .paused, .enqueued: if isCurrent { return follow(event, by: job) }
        case .suspect, .progress: break
        }
        // Rule 3: issuing. A late state is worth keeping where there is none (a session that can be resumed or
        // aborted), but it never causes an issue: issues and late states could follow each other for ever.
        if job.baton.state == nil, let state = told.state { job.baton.state = state }
        return keep(event, of: job, note: .olderGeneration)
    }

    private func keep(_ event: UploadEvent, of job: LedgerJob, note: IssuingNote) -> IssuingDecision {
        IssuingDecision(job: job, actions: [.record(event), .note(note)])
    }

    private func follow(_ event: UploadEvent, by known: LedgerJob) -> IssuingDecision {
        var job = known
        let told = event.data.baton
        // A worker reports on the job: the broker has not dropped it, and it does not stop a worker that only reads it.
        job.drops = nil
        // Rule 4: progress or poison. Progress sets the count back.
        if event.kind != .started, job.isProgress(told) {
            job.hasProgressed = true
            job.poisonCount = 0
        }
        // A worker has the baton, even if this ledger did not issue it.
        if job.line != nil { job.line = .released }
        let isStarted = event.kind == .started
        // A hand-over's event may be overtaken by the next slice's `started`.
        if (told.slice, isStarted ? 1 : 0) >= (job.baton.slice, job.isSliceStarted ? 1 : 0) {
            job.merge(told)
            job.isSliceStarted = isStarted
            job.tell(event.kind.status, at: event.time)
            job.waitingUntil = event.data.waitingUntil
            job.reason = event.data.reason
            if event.kind == .waiting { job.trouble = event.data.error.map { FailureRecord.cut($0.message) } }
        }
        return IssuingDecision(job: job, actions: [.record(event)])
    }

    private func end(_ known: LedgerJob, by event: UploadEvent, isCurrent: Bool) -> IssuingDecision {
        var job = known
        if isCurrent { job.merge(event.data.baton) }
        if event.kind != .failed { job.baton.state = nil }
        job.end(event)
        var actions: [IssuingAction] = [.record(event), .outcome(event.told)]
        if job.pausedThrough != nil {
            // An ended job cannot be resumed, so that a late baton of it would wait for ever.
            job.pausedThrough = nil
            actions.append(.append(.lift([job.id])))
        }
        return IssuingDecision(job: job, actions: actions)
    }
}

extension EventKind {
    fileprivate var status: LedgerStatus {
        switch self {
        case .enqueued, .handedOver, .suspect: .queued
        case .started, .progress: .running
        case .waiting: .waiting
        case .paused: .paused
        case .completed: .completed
        case .failed: .failed
        case .cancelled: .cancelled
        }
    }
}
