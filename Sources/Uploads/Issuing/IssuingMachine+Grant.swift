extension IssuingMachine {
    /// Rule 3: issuing. Grants a wish whose marker was read back, by the next generation: first the baton, then the
    /// fence; of a cancellation first the fence.
    func grant(_ wish: IssueWish, of known: LedgerJob) -> IssuingDecision {
        var job = known
        // Rule 4: progress or poison. Only a slice that a worker had begun and never settled may have stopped the
        // worker.
        if wish.isSuspect, wish.isBegun, !job.hasProgressed { job.poisonCount.advance() }
        if wish.verb == nil, let problem = poisoning(of: job) { return fail(job, .poisoned, problem) }
        guard let generation = nextGeneration(of: job) else { return cannotIssue(job) }
        let carriesPause = wish.verb == nil && job.isPaused && !job.isCancelling
        let wasPaused = job.pausedThrough != nil
        if job.line != nil { job.line = .released }
        job.beginGeneration(generation, roundOf: wish.verb, at: now)
        job.baton.runsAlone = job.poisonCount >= Self.runsAloneAfter
        job.pausedThrough = carriesPause ? job.generation : nil
        var actions: [IssuingAction] = []
        // Before the baton, so that no worker runs with it for a moment.
        if carriesPause { actions.append(.append(.pause([job.id: job.generation]))) }
        let issue = IssuingAction.issue(job.baton, lane: lane(of: wish, for: job), maybeRepeated: false)
        let fence = IssuingAction.append(.fence([job.id: job.generation]))
        // A cancel baton waits until every worker must have read the fence, so the fence is there before the wait can begin.
        actions += job.isCancelling ? [fence, issue] : [issue, fence]
        if wasPaused, !carriesPause { actions.append(.append(.lift([job.id]))) }
        return IssuingDecision(job: job, actions: actions)
    }

    static let noGenerationLeft =
        "was issued as often as a message can count, so it cannot be issued anew; enqueue the file again"

    /// The next generation, above every fence; nil when none is left that a message may carry.
    func nextGeneration(of job: LedgerJob) -> Int? {
        let highest = max(job.generation, fence)
        return highest < WireLimits.countMaximum ? highest + 1 : nil
    }

    private func lane(of wish: IssueWish, for job: LedgerJob) -> Lane {
        if job.isCancelling || wish.verb == .runNow { return .urgent }
        return job.baton.state == nil ? job.baton.job.priority : .continued
    }

    /// Why the job must not be issued any more; nil if it may.
    private func poisoning(of job: LedgerJob) -> String? {
        if job.poisonCount >= Self.poisonedAfter {
            return """
                \(job.poisonCount) workers stopped while they worked on this job, without any progress; look at their logs for the \
                reason, then run the job again
                """
        }
        guard let drops = job.drops, drops.undelivered >= Self.undeliveredMaximum else { return nil }
        return """
            the broker gave this job up \(drops.undelivered) times because it had delivered it too often, and the workers that \
            were given it stopped or lost their connection before they reported anything of it; look at their logs for the reason, \
            then run the job again
            """
    }

    /// Fails the job because no generation is left. A baton that is still under way can no longer end the round, and no
    /// fence could be put above it.
    private func cannotIssue(_ job: LedgerJob) -> IssuingDecision {
        // A round that has ended keeps its outcome.
        guard job.end == nil else { return IssuingDecision(job: job, actions: [.note(.noGenerationLeft)]) }
        return fail(job, .rejected, "the job \(Self.noGenerationLeft)")
    }

    private func fail(_ known: LedgerJob, _ code: UploadError.Code, _ message: String) -> IssuingDecision {
        var job = known
        // Above every baton that may still be under way, so that no worker starts it once more.
        if let generation = nextGeneration(of: job) { job.raiseGeneration(to: generation) }
        var event = UploadEvent(kind: .failed, of: job.baton, at: now)
        event.data.error = UploadError(code, message)
        event.data.endedAt = now
        job.end(event)
        return IssuingDecision(
            job: job,
            actions: [.record(event), .append(.fence([job.id: job.generation])), .outcome(event.told)])
    }
}
