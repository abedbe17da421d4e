extension IssuingMachine {
    func deadLetter(_ baton: Baton, _ cause: DeathCause, for job: LedgerJob?) -> IssuingDecision {
        // The staging area's sweep removes the copy instead.
        if baton.onlyRemovesCopy { return IssuingDecision(job: job, actions: [.note(.roundHasEnded)]) }
        var event = UploadEvent(kind: .suspect, of: baton, at: now)
        event.id += ".dead"
        event.data.reason = cause.reason
        return suspect(event, for: job, cause)
    }

    /// Rule 3: issuing. Takes in a delivery that may be a repeat, or a dead letter, and notes the wish to issue the job
    /// anew. It carries the whole order, so an unknown job is issued from it.
    /// - Parameter cause: why a dead letter died; nil for a suspect.
    func suspect(_ event: UploadEvent, for known: LedgerJob?, _ cause: DeathCause? = nil) -> IssuingDecision {
        let told = event.data.baton
        var redacted = event
        redacted.data.baton = told.redacted
        var job = known ?? LedgerJob(told, isWhole: true, at: event.time)
        job.raiseGeneration(to: fence)
        if !job.isWhole { job.learn(told.job) }
        if known == nil, job.line != nil, !told.mustProbe {
            // Published to a lane instead of the notifier: no worker has begun it.
            var decision = enterLine(job)
            decision.actions = [.record(redacted), .note(.waitsInLine)]
            return decision
        }
        func drop(_ note: IssuingNote) -> IssuingDecision {
            IssuingDecision(job: job, actions: [.record(redacted), .note(note)])
        }
        guard told.round >= job.round else { return drop(.olderRound) }
        if told.round > job.round || told.generation > job.generation { job.adopt(told, at: event.time) }
        guard job.end == nil else { return drop(.roundHasEnded) }
        guard told.generation == job.generation else { return drop(.olderGeneration) }
        guard job.line != .waiting else { return drop(.waitsInLine) }
        // Rule 4: progress or poison. A worker publishes `started` before a slice can do it harm, at the latest after a
        // second.
        let isBegun = job.isSliceStarted && told.slice == job.baton.slice
        if told.slice >= job.baton.slice, !job.isSliceStarted || told.slice > job.baton.slice {
            job.merge(told)
            job.isSliceStarted = false
        }
        job.tell(.queued, at: event.time)
        job.reason = event.data.reason
        if let cause, !isBegun, job.openWish == nil {
            return IssuingDecision(job: hold(job, cause), actions: [.record(redacted)])
        }
        var wish = job.openWish ?? IssueWish(marker: marker(for: job))
        wish.isSuspect = true
        wish.isBegun = wish.isBegun || isBegun
        job.wish = wish
        // An open wish gets its marker sent once more: a crash may have lost the first one. A second copy that comes
        // back is stale.
        return IssuingDecision(job: job, actions: [.record(redacted), .mark(wish.marker)])
    }

    func marker(for job: LedgerJob) -> IssueMarker {
        IssueMarker(id: markerID(), job: job.id, round: job.round, generation: job.generation)
    }
}
