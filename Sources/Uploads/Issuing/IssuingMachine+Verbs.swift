extension IssuingMachine {
    /// Rule 5: verbs. Carries out an operator's verb.
    /// - Throws: `rejected`, with the reason, where the job cannot obey in its present state.
    public func order(_ verb: Verb, of known: LedgerJob) throws(UploadError) -> IssuingDecision {
        var job = known
        job.raiseGeneration(to: fence)
        try check(verb, of: job)
        if let decision = orderInLine(verb, of: job) { return decision }
        switch verb {
        case .forget: return forget(job)
        case .pause: return pause(job)
        case .cancel:
            // A second cancel has nothing to add to the first.
            if job.isCancelling { return IssuingDecision(job: job, actions: [.note(.nothingNew)]) }
            if job.wasNeverIssued { return endInLine(job) }
            job.isCancelling = true
            // A job that gave its turn back leaves the line at once; one that was released keeps its place until it has ended.
            if job.line == .waiting { job.line = nil }
        case .resume, .runNow, .runAgain, .discard: break
        }
        // A fresh marker also where a wish is open: this one is read after every end that was confirmed before the
        // verb.
        var wish = IssueWish(marker: marker(for: job), verb: verb)
        if let open = job.openWish {
            wish.isSuspect = open.isSuspect
            wish.isBegun = open.isBegun
        }
        job.wish = wish
        return IssuingDecision(job: job, actions: [.mark(wish.marker)])
    }

    private func pause(_ known: LedgerJob) -> IssuingDecision {
        var job = known
        job.pausedThrough = job.generation
        // The last order holds: a resume that has not been granted yet is dropped.
        if var wish = job.openWish {
            wish.verb = nil
            // A job whose turn has come is issued all the same, and holds the line up.
            job.wish = wish.isSuspect || job.line == .releasing ? wish : nil
        }
        return IssuingDecision(job: job, actions: [.append(.pause([job.id: job.generation]))])
    }

    /// The ledger checks whether an outcome of the job is still to be delivered.
    private func forget(_ job: LedgerJob) -> IssuingDecision {
        guard job.forgottenAt == nil else { return IssuingDecision(job: job, actions: [.note(.nothingNew)]) }
        return IssuingDecision(job: job.forgotten(at: now))
    }

    private func checkForgetting(_ job: LedgerJob) throws(UploadError) {
        func refuse(_ why: String) -> UploadError { UploadError(.rejected, "job \(job.id) \(why)") }
        guard job.end != nil else {
            throw refuse("has not ended; forget it when it has, or cancel it before ('uploadctl cancel')")
        }
        if job.openWish != nil { throw refuse("is about to run again; forget it when it has ended once more") }
        guard job.baton.state == nil else {
            throw refuse(
                "has left an unfinished upload at its destination, which only the ledger can name; 'uploadctl discard "
                    + "\(job.id)' removes it, then forget the job")
        }
    }

    private func check(_ verb: Verb, of job: LedgerJob) throws(UploadError) {
        func refuse(_ why: String) -> UploadError { UploadError(.rejected, "job \(job.id) \(why)") }
        if verb == .forget { return try checkForgetting(job) }
        if job.forgottenAt != nil {
            throw refuse("was forgotten: the ledger no longer knows its source and destination; enqueue it again")
        }
        if verb.beginsRound {
            guard let end = job.end else {
                throw refuse(
                    verb == .discard
                        ? "has not ended; cancel it instead" : "has not ended; it can be run again when it has")
            }
            if verb == .discard, end.kind != .failed {
                throw refuse("has ended as \(end.kind.rawValue); only a failed one has left anything to discard")
            }
            guard job.round < WireLimits.countMaximum else {
                throw refuse("has had as many rounds as a message can count; enqueue it again")
            }
        } else if let end = job.end {
            if job.openWish?.verb == .runAgain { throw refuse("is about to run again; try in a moment") }
            throw refuse(
                "has ended as \(end.kind.rawValue); only running it again is possible (run --again)"
                    + (end.kind == .failed ? ", and 'discard', which gives up what it has left" : ""))
        }
        if job.isCancelling, job.end == nil, verb != .cancel { throw refuse("is being cancelled") }
        if verb == .resume, !job.isPaused, job.status != .paused { throw refuse("is not paused") }
        if verb == .runNow, job.status == .running { throw refuse("is running already") }
        if verb != .pause, verb != .cancel, nextGeneration(of: job) == nil { throw refuse(Self.noGenerationLeft) }
        if job.needsNoBytes {
            throw refuse(
                "has ended as completed, and the ledger keeps no inline bytes of a completed job; enqueue it again")
        }
        if verb != .pause, !job.isWhole {
            throw refuse(
                "is known from events alone, which show no inline bytes and no query of a URL; enqueue it again")
        }
    }
}
