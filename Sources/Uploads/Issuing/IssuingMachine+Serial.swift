/// Serial lines: jobs of one queue that run one after the other, in strict order. No worker has a baton of a job that
/// waits in line, so orders about it are decided here, without a baton. From its release on it is a job like any other,
/// and its end, of any kind, releases the next one.
extension IssuingMachine {
    /// Begins to issue the job whose turn has come. The baton follows when the marker is read back.
    /// - Parameter known: the first job that waits in its line, while no job of the line is released.
    public func release(_ known: LedgerJob) -> IssuingDecision {
        var job = known
        job.raiseGeneration(to: fence)
        let wish = IssueWish(marker: marker(for: job))
        job.wish = wish
        job.line = .releasing
        return IssuingDecision(job: job, actions: [.mark(wish.marker)])
    }

    /// Gives a job that waits in line another place. A job whose turn has come gives it back if it is paused and no
    /// worker works on it: it waits again, no longer paused, and goes on from its state when its turn comes once more.
    /// - Throws: `rejected` for a job that does not wait in a line (any more).
    public func move(_ known: LedgerJob, to place: SerialPosition) throws(UploadError) -> IssuingDecision {
        if known.isHeldInLine {
            guard let generation = nextGeneration(of: known) else {
                throw UploadError(.rejected, "job \(known.id) \(Self.noGenerationLeft)")
            }
            return giveBack(known, to: place, generation)
        }
        guard known.line == .waiting else {
            let why =
                if let end = known.end {
                    "has ended as \(end.kind.rawValue)"
                } else if known.baton.job.serial == nil {
                    "does not belong to a serial line"
                } else if known.isCancelling {
                    "is being cancelled"
                } else {
                    "has been released already: its turn has come; pause it, and move it when no worker works on it"
                }
            throw UploadError(.rejected, "job \(known.id) \(why), so it has no place to be moved from")
        }
        return IssuingDecision(job: known, place: place)
    }

    /// Fences off the baton that may still be under way. The job gets no other baton until its release: it waits in
    /// line, and the ledger notes that together with the fence.
    private func giveBack(_ known: LedgerJob, to place: SerialPosition, _ generation: Int) -> IssuingDecision {
        var job = known
        job.beginGeneration(generation, roundOf: nil, at: now)
        job.wish = nil
        job.pausedThrough = nil
        job.line = .waiting
        return IssuingDecision(
            job: job, actions: [.append(.fence([job.id: job.generation])), .append(.lift([job.id]))], place: place)
    }

    /// Ends a job that waits in line as cancelled. No worker ever had it, so nothing of it runs or is at its
    /// destination. After the end, a worker gets a baton that only removes the staged copy.
    func endInLine(_ known: LedgerJob) -> IssuingDecision {
        var job = known
        let wasPaused = job.pausedThrough != nil
        // Above every baton that may still be under way, and below those of the next round, so that this one removes no
        // copy that the next round needs.
        if let generation = nextGeneration(of: job) { job.raiseGeneration(to: generation) }
        job.isCancelling = true
        job.baton.isCancel = true
        job.pausedThrough = nil
        var event = UploadEvent(kind: .cancelled, of: job.baton, at: now)
        event.data.endedAt = now
        job.end(event)
        var actions: [IssuingAction] = [.record(event), .outcome(event.told)]
        if case .staged = job.baton.job.source {
            var baton = job.baton
            baton.onlyRemovesCopy = true
            actions.append(.issue(baton, lane: .urgent, maybeRepeated: false))
        }
        actions.append(.append(.fence([job.id: job.generation])))
        if wasPaused { actions.append(.append(.lift([job.id]))) }
        return IssuingDecision(job: job, actions: actions)
    }

    /// Puts a job that the ledger has just learned of into its line, if it belongs to one.
    func enterLine(_ known: LedgerJob) -> IssuingDecision {
        guard let place = known.baton.job.serial else { return IssuingDecision(job: known) }
        var job = known
        job.line = .waiting
        return IssuingDecision(job: job, place: place)
    }

    /// Carries out an operator's verb for a job that waits in line, or that enters it anew.
    /// - Returns: nil where the verb does the same as for any job.
    func orderInLine(_ verb: Verb, of known: LedgerJob) -> IssuingDecision? {
        var job = known
        if verb == .runAgain {
            guard job.baton.job.serial != nil, let generation = nextGeneration(of: job) else { return nil }
            // The new round begins with the place in line, or the job would be cleaned up as ended while it waits.
            job.beginGeneration(generation, roundOf: verb, at: now)
            job.wish = nil
            job.line = .waiting
            return IssuingDecision(job: job, actions: [.append(.fence([job.id: job.generation]))], place: .end)
        }
        guard job.line == .waiting else { return nil }
        switch verb {
        case .cancel, .runAgain, .discard, .forget: return nil
        case .pause:
            // No worker has the job and could report the pause. Once released, the job holds up the line until it is
            // resumed.
            job.pausedThrough = job.generation
            job.tell(.paused, at: now)
            return IssuingDecision(job: job)
        case .resume, .runNow:
            if job.isPaused || job.status == .paused { job.tell(.queued, at: now) }
            job.pausedThrough = nil
            return IssuingDecision(job: job, place: verb == .runNow ? .next : nil)
        }
    }
}
