extension IssuingMachine {
    /// The wish's marker has come by and nothing speaks against it: the next generation.
    func grant(_ wish: IssueWish, of known: LedgerJob) -> IssuingDecision {
        var job = known
        if wish.isSuspect, job.isStarted || wish.isDeadLetter, !job.hasProgressed { job.poisonCount += 1 }
        if wish.verb == nil, job.poisonCount >= Self.poisonedAfter { return poisoned(job) }
        let carriesPause = wish.verb == nil && job.isPaused && !job.isCancelling
        let wasPaused = job.pausedThrough != nil
        if job.line != nil { job.line = .released }
        job.beginGeneration(max(job.generation, fence) + 1, isNewRound: wish.verb == .runAgain, at: now)
        job.baton.runsAlone = job.poisonCount >= Self.runsAloneAfter
        job.pausedThrough = carriesPause ? job.generation : nil
        var actions: [IssuingAction] = []
        // Before the baton, so that nobody runs with it for a moment.
        if carriesPause { actions.append(.append(.pause([job.id: job.generation]))) }
        actions.append(.issue(job.baton, lane: lane(of: wish, for: job), maybeRepeated: false))
        actions.append(.append(.fence([job.id: job.generation])))
        if wasPaused, !carriesPause { actions.append(.append(.lift([job.id]))) }
        return IssuingDecision(job: job, actions: actions)
    }

    private func lane(of wish: IssueWish, for job: LedgerJob) -> Lane {
        if job.isCancelling || wish.verb == .runNow { return .urgent }
        return job.baton.state == nil ? job.baton.job.priority : .continued
    }

    private func poisoned(_ known: LedgerJob) -> IssuingDecision {
        var job = known
        let count = job.poisonCount
        // Above whatever may still lie about: nobody starts it once more.
        job.raiseGeneration(to: max(job.generation, fence) + 1)
        let error = UploadError(
            .poisoned,
            """
            \(count) workers stopped while they worked on this job, without any progress; look at their logs for the \
            reason, then run the job again
            """)
        var event = UploadEvent(kind: .failed, of: job.baton, at: now)
        event.data.error = error
        event.data.endedAt = now
        job.end(event)
        return IssuingDecision(
            job: job,
            actions: [.record(event), .append(.fence([job.id: job.generation])), .outcome(event.told)])
    }
}
