import Foundation

// The steps of a slice from its beginning to the open session.
extension SliceMachine {
    /// Rule 1: lineage. Asks whether the baton still counts before a step.
    mutating func check(then step: Step) -> [SliceAction] {
        phase = .validity(then: step)
        return [.checkValidity]
    }

    mutating func perform(_ step: Step, validity: BatonValidity) -> [SliceAction] {
        switch validity {
        case .superseded, .disconnected: return lose(validity)
        case .paused: isPaused = !baton.isCancel
        case .stopped: yieldForStop()
        case .holds: isPaused = false
        }
        switch step {
        case .begin: return begin()
        case .probe(let purpose):
            phase = .probing(purpose)
            return [.probe(isUntouched ? state?.untouched : state)]
        case .open(let state):
            if let early = earlySettlement { return settle(early) }
            openings += 1
            phase = .opening
            let held = isUntouched ? state?.untouched : state
            isUntouched = false
            return [.open(resuming: held, condition: condition)]
        case .send:
            phase = .sending
            return sendMore()
        case .complete:
            completions += 1
            phase = .completing
            return [.complete(condition)]
        case .readBack: return beginReadBack()
        case .discard(let state, let next):
            phase = .discarding(next)
            return [.discard(state)]
        case .removeCopy:
            phase = .removingCopy
            return [.removeStagedCopy]
        }
    }

    private mutating func begin() -> [SliceAction] {
        // Rule 7: probe first. A job that was issued or handed over may be done already, so the probe comes even before
        // a pause.
        if let early = earlySettlement, !baton.mustProbe || yieldReason != nil { return settle(early) }
        if baton.onlyRemovesCopy { return claim() }
        guard baton.isIssued else { return find() }
        // Rule 4: progress or poison. An issued job may kill its worker; that counts only if `started` was confirmed
        // before.
        phase = .tellingStarted
        return [.tellStarted(stamped(state))]
    }

    mutating func find() -> [SliceAction] {
        phase = .finding
        return [.findDestination]
    }

    mutating func found(_ facts: DestinationFacts) -> [SliceAction] {
        destination = facts
        if case .trial(let ability) = facts.way { trial = ability }
        if case .trial(let ability) = facts.sourceWay { sourceTrial = ability }
        if let state, state.driver != facts.driver {
            return waitIdle(
                .unsupportedVersion,
                failing: UploadError(
                    .misconfigured,
                    "the upload was begun by the driver '\(state.driver)', but '\(baton.job.destination.label)' is now served "
                        + "by '\(facts.driver)': configure the former driver again, or enqueue the file anew"))
        }
        if baton.isCancel { return beginCancel() }
        if baton.job.verify, let problem = facts.readBackProblem { return failForGood(problem) }
        if let notBefore = baton.job.notBefore, notBefore > now {
            return settle(.wait(until: notBefore, reason: .scheduled, state: state))
        }
        if case .blocked(let until, let error) = facts.way { return waitForCircuit(until: until, error) }
        if !baton.job.isExamined { return examine() }
        if baton.mustProbe || keepsExisting { return check(then: .probe(.heldBefore)) }
        return isExpired ? expire() : claim()
    }

    /// Finds out size, ETag and digests of the source object before anything else: every later slice has them in its
    /// baton.
    private mutating func examine() -> [SliceAction] {
        if let early = earlySettlement { return settle(early) }
        if isExpired { return expire() }
        if case .blocked(let until, let error)? = destination?.sourceWay { return waitForCircuit(until: until, error) }
        phase = .examining
        return [.examineSource]
    }

    mutating func examineAnswered(_ fact: SliceFact) -> [SliceAction] {
        switch fact {
        case .sourceExamined(let job): return settle(.altered(job))
        case .sourceOriginUnknown(let origin): return waitForOrigin(origin)
        case .sourceLimited(let error): return waitForSeat(error)
        case .sourceGone:
            // Perhaps the job is done, and its source object was removed since.
            if baton.mustProbe { return check(then: .probe(.sourceGone)) }
            return failForGood(sourceGoneError)
        case .failed(let error): return giveUpOrRetry(error, isResolved: true)
        default: return []
        }
    }

    /// Longer each time, so that a long line of jobs does not come round every few seconds.
    private mutating func waitForSeat(_ error: UploadError) -> [SliceAction] {
        let bound = rules.circuitDelay(after: baton.idleWaits)
        let delay = max(error.retry.seconds ?? rules.lockedDelay, .random(in: bound / 2...bound, using: &random))
        return settle(.wait(until: now + delay, reason: .limited(error), state: state))
    }

    private mutating func waitForOrigin(_ origin: String) -> [SliceAction] {
        waitIdle(
            .unknownDestination,
            failing: UploadError(
                .misconfigured,
                "no worker that took the job knows '\(origin)', which holds the source object: add it to their configuration, "
                    + "then run the job again"))
    }

    var sourceGoneError: UploadError {
        if case .object(let origin, _) = baton.job.source {
            return UploadError(
                .invalidFile, "there is no object \(origin.displayText): check its name, then run the job again")
        }
        return UploadError(.invalidFile, "the staged copy is gone: enqueue the file again")
    }

    mutating func claim() -> [SliceAction] {
        if let early = earlySettlement { return settle(early) }
        if case .blocked(let until, let error)? = destination?.sourceWay {
            return baton.isCancel ? cancelWithoutLock() : waitForCircuit(until: until, error)
        }
        phase = .claiming
        return [.claimSource]
    }

    mutating func claimAnswered(_ fact: SliceFact) -> [SliceAction] {
        if baton.onlyRemovesCopy { return copyClaimAnswered(fact) }
        switch fact {
        case .sourceClaimed, .sourceUnlocked:
            hasStarted = true
            hasSource = true
            if baton.isCancel { return fact == .sourceClaimed ? cancelLeftovers() : cancelWithoutLock() }
            return check(then: unverified == nil ? .open(state) : .readBack)
        // Rule 9: epoch and lock. A slice that does not get the lock waits, which is no attempt.
        case .sourceBusy:
            return settle(.wait(until: now + rules.lockedDelay, reason: .locked, state: state))
        case .sourceGone:
            isSourceGone = true
            if baton.isCancel { return cancelLeftovers() }
            return check(then: unverified == nil ? .probe(.sourceGone) : .readBack)
        case .sourceAreaUnknown(let area): return waitForStagingArea(area)
        case .sourceOriginUnknown(let origin): return waitForOrigin(origin)
        case .sourceLimited(let error): return baton.isCancel ? cancelWithoutLock() : waitForSeat(error)
        case .failed(let error):
            if baton.isCancel { return cancelWithoutLock() }
            // Without a source, the object is compared with its digests.
            return unverified == nil ? giveUpOrRetry(error) : check(then: .readBack)
        default: return []
        }
    }

    mutating func waitForStagingArea(_ area: String) -> [SliceAction] {
        waitIdle(
            .unknownStagingArea,
            failing: UploadError(
                .misconfigured,
                "no worker that took the job serves the staging area '\(area)': mount it there, then run the job again"
            ))
    }

    mutating func opened(_ session: SessionFacts) -> [SliceAction] {
        let isNew = state == nil
        state = session.state ?? state
        // Rule 8: sessions. Open, then hand over, so that a crash from here on cannot orphan the session.
        if isNew, session.partCount > 1, let state { return settle(.handOver(state.untouched)) }
        if let former = baton.state?.bytesMissing, session.bytesMissing >= former { return giveUpOrRetry(nothingKept) }
        sending = Sending()
        sending.missingCount = session.missingCount
        sending.bytesMissing = session.bytesMissing
        return check(then: .send)
    }

    private var nothingKept: UploadError {
        UploadError(
            .interrupted,
            "\(baton.job.destination.displayText) holds no more bytes after a whole slice than before: the parts are refused, lost or too "
                + "slow; look at the server, or use smaller parts",
            retry: .afterBackoff)
    }

    mutating func openFailed(_ error: UploadError) -> [SliceAction] {
        if error.code == .sessionExpired { return check(then: .probe(.sessionGone(error))) }
        return giveUpOrRetry(error)
    }

    mutating func waitForDestination() -> [SliceAction] {
        let fault = "no worker that took the job knows the destination '\(baton.job.destination.label)'"
        return waitIdle(
            .unknownDestination,
            failing: UploadError(
                .misconfigured,
                baton.isCancel
                    ? "the job runs no more, but \(fault), and what it may have left there stays: if it was ever there, add it to their "
                        + "configuration, then discard the job"
                    : "\(fault): add it to their configuration, then run the job again"))
    }

    /// How a slice settles that is paused, asked to yield or out of grace, and so must not begin a step; nil if it may.
    var earlySettlement: Settlement? {
        if isPaused { return .wait(until: now + rules.pauseDelay, reason: .paused, state: state) }
        return yieldReason == nil && !isAbandoned ? nil : .handOver(state)
    }
}
