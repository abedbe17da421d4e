import Foundation

// How a slice settles.
extension SliceMachine {
    mutating func settle(_ settlement: Settlement) -> [SliceAction] {
        phase = .settled
        return [.settle(stamped(settlement))]
    }

    mutating func lose(_ validity: BatonValidity) -> [SliceAction] {
        switch validity {
        case .holds: return []
        // Rule 1: lineage. A superseded slice touches nothing.
        case .superseded: return settle(.superseded)
        // Rule 9: epoch and lock. A slice without its connection settles nothing.
        case .disconnected: return settle(.abandoned)
        case .paused:
            guard !baton.isCancel else { return [] }
            isPaused = true
            return stopHere()
        case .stopped:
            yieldForStop()
            return stopHere()
        }
    }

    /// Stops the slice if the step under way may stop here.
    mutating func stopHere() -> [SliceAction] {
        switch phase {
        case .sending: sendMore()
        case .readingBack: stopReadingBack()
        default: yieldReason != nil || isPaused ? withdrawTurn() : []
        }
    }

    /// A step under way goes on; a step that waits for its turn is called off.
    func withdrawTurn() -> [SliceAction] {
        switch phase {
        case .probing, .opening, .completing: [.withdrawTurns]
        default: []
        }
    }

    /// A cancel baton obeys no stop. A drain outweighs a stop.
    mutating func yieldForStop() {
        if !baton.isCancel, yieldReason != .drain { yieldReason = .stop }
    }

    /// The grace is used up: the step under way is dropped, and another worker probes what became of it. A write whose
    /// status may have arrived already must not be repeated: the machine cancels it and waits a moment for its last
    /// answer.
    mutating func abandonStep() -> [SliceAction] {
        switch phase {
        case .sending where !isAbandoned && !sending.inFlight.isEmpty, .completing where !isAbandoned,
            // The part that is the object was accepted, and only its end is left to report.
            .validity(then: .complete) where !isAbandoned && state == nil:
            isAbandoned = true
            return [.cancelRequests, .awaitLastAnswers(milliseconds: rules.lastAnswersMilliseconds)]
        case .discarding(.settle(_, let otherwise)): return settle(otherwise)
        default: return settle(.handOver(state))
        }
    }

    /// A write failed after the grace was used up. A refusal by the destination is final; after any other failure the
    /// next worker probes.
    mutating func failedAtLast(_ error: UploadError) -> [SliceAction] {
        if error.saysStoredOtherwise { return storedOtherwise(error, seeing: .unknowable) }
        guard error.response != nil, !error.leavesDoubt else { return settle(.handOver(state)) }
        return giveUpOrRetry(error, isResolved: true)
    }

    mutating func cutLongStep() -> [SliceAction] {
        switch phase {
        case .sending: return failSending(tooLongError)
        case .completing:
            uncutError = tooLongError
            return [.cancelRequests]
        case .discarding(.settle(_, let otherwise)): return settle(otherwise)
        default: return giveUpOrRetry(tooLongError, isResolved: true)
        }
    }

    /// Fails an upload in one piece that would be cut anyway, without waiting for that. An upload with a session is
    /// left alone: the next slice resumes it.
    mutating func cutHopelessStep(_ bytesDone: Int64, _ seconds: TimeInterval) -> [SliceAction] {
        guard phase == .sending, sending.failure == nil, state == nil, sending.missingCount == 1,
            !sending.inFlight.isEmpty
        else { return [] }
        return failSending(tooLongError((bytesDone, seconds)))
    }

    /// Settles after a failure: another attempt later, a wait, or the end.
    /// - Parameter isResolved: whether the destination was just probed, or cannot have changed.
    mutating func giveUpOrRetry(_ error: UploadError, isResolved: Bool = false) -> [SliceAction] {
        if case .notYet(let seconds) = error.retry, !baton.isCancel { return waitUntilDone(seconds, error) }
        let scope = scope(of: error)
        switch scope {
        case .destination: return waitForCircuit(until: now, error)
        // Not an attempt: without the trial, the job would have waited like the others.
        case .shared where (error.isOfSource ? sourceTrial : trial) != nil: return waitForCircuit(until: now, error)
        case .pause where !baton.isCancel: return rest(error)
        case .job, .shared, .pause, .noProgress: break
        }
        let error = scope == .shared && error.retry == .never ? refusedToAll(error) : error
        let next = settlement(after: error)
        // Rule 6: ends. A failure that no later round can go on from removes its session.
        if case .ended = next, error.spoilsSource { return failForGood(error) }
        if case .ended = next, hasSent, error.leavesDoubt, !isResolved {
            return check(then: .probe(.beforeFailing(error)))
        }
        return settle(next)
    }

    /// Whom a failure concerns at the place that failed: the destination, or the one that the source is read from.
    func scope(of error: UploadError) -> FailureScope {
        guard error.isOfSource else { return FailureScope(error, of: baton.job.destination) }
        if case .object(let origin, _) = baton.job.source { return FailureScope(error, of: origin) }
        // The configuration names the destination of a staging area.
        return FailureScope(error, isNamed: true)
    }

    /// A refusal that other jobs may meet as well: tried again a few times, and final once the destination has served another job.
    private func refusedToAll(_ error: UploadError) -> UploadError {
        let isServingOthers =
            if !error.isOfSource, let servedAt = destination?.servedAt, let last = baton.failures.last,
                last.code == error.code
            {
                servedAt > last.at
            } else {
                false
            }
        guard !isServingOthers, baton.attempts + 1 < rules.refusalsMaximum else { return error }
        return UploadError(
            error.code, error.message, retry: .afterBackoff, cause: error.cause, response: error.response)
    }

    mutating func settlement(after error: UploadError) -> Settlement {
        var policy = policy
        var age = isClockConfirmed ? baton.triedSince.map { now.timeIntervalSince($0) } ?? 0 : 0
        if baton.isCancel, baton.attempts < policy.maxAttempts || age < policy.maxAge {
            // A job that is cancelled has often used up its attempts, so cancelling gets attempts of its own.
            policy.maxAttempts = .max
            policy.maxAge = .infinity
            age = 0
        }
        switch policy.decide(attempt: baton.attempts + 1, error: error, age: age, using: &random) {
        case .retry(let delay) where baton.isCancel || !isClockConfirmed || now + delay <= deadline:
            return .wait(until: now + delay, reason: .retry(error), state: state)
        case .retry, .giveUp:
            return .ended(.failed(error, state: state))
        }
    }

    /// Waits for a worker whose configuration names what this one lacks, longer each time, until the job's time or the
    /// patience runs out.
    mutating func waitIdle(_ reason: WaitReason, failing error: UploadError) -> [SliceAction] {
        guard now < waitEnd else { return settle(.ended(.failed(error, state: state))) }
        if isPaused, let paused = earlySettlement { return settle(paused) }
        let until = min(now + rules.idleDelay(after: baton.idleWaits), waitEnd)
        return settle(.wait(until: until, reason: reason, state: state))
    }

    /// Waits until the destination has processed the bytes that it has, longer each time. Nothing failed, so this is no
    /// attempt.
    private mutating func waitUntilDone(_ seconds: TimeInterval, _ error: UploadError) -> [SliceAction] {
        guard !isExpired || !isClockConfirmed else {
            let expired = UploadError(
                .expired, "the job's time ran out before the destination was done: \(error.message)", retry: .never,
                response: error.response)
            return settle(.ended(.failed(expired, state: state)))
        }
        if isPaused, let paused = earlySettlement { return settle(paused) }
        guard now < waitEnd else { return outOfPatience(error) }
        let until = min(now + rules.notYetDelay(seconds, after: baton.idleWaits), waitEnd)
        return settle(.wait(until: until, reason: .notYet(error), state: state))
    }

    /// Waits as the destination asked, or until a lock may be gone, longer each time.
    private mutating func rest(_ error: UploadError) -> [SliceAction] {
        if isPaused, let paused = earlySettlement { return settle(paused) }
        guard now < waitEnd else { return outOfPatience(error) }
        let bound = rules.circuitDelay(after: baton.idleWaits)
        let wished = min(max(error.retry.seconds ?? 0, 0), RetryPolicy.retryAfterMaximum)
        let until = max(now + wished, now + .random(in: bound / 2...bound, using: &random))
        return settle(.wait(until: min(until, waitEnd), reason: .resting(error), state: state))
    }

    private mutating func outOfPatience(_ last: UploadError) -> [SliceAction] {
        let error =
            isExpired
            ? UploadError(
                .expired, "the job's time ran out while it waited: \(last.message)", retry: .never,
                response: last.response)
            : UploadError(
                .destinationUnavailable,
                "\(last.isOfSource ? "the source" : baton.job.destination.displayText) could not be used for \(Int(patience / 3600)) h, so that the job was given up: "
                    + "\(last.message); mend that, then run the job again", retry: .never, response: last.response)
        return settle(.ended(.failed(error, state: state)))
    }

    /// Waits for the destination to work again, longer each time, with jitter so that not all come back at once.
    mutating func waitForCircuit(until: Date, _ error: UploadError) -> [SliceAction] {
        let reason = WaitReason.circuitOpen(error)
        let bound = rules.circuitDelay(after: baton.idleWaits)
        var until = max(until, now + .random(in: bound / 2...bound, using: &random))
        if baton.isCancel {
            // A cancel baton that has waited counts as old enough to act without a lock, so its first wait must be long
            // enough.
            if baton.slice == 0 { until = max(until, now + rules.cancelSettleDelay) }
            return settle(.wait(until: until, reason: reason, state: state))
        }
        if isPaused, let paused = earlySettlement { return settle(paused) }
        guard now < waitEnd else { return outOfPatience(error) }
        return settle(.wait(until: min(until, waitEnd), reason: reason, state: state))
    }

    /// Ends a job whose time is over. If only this worker's clock says so, the job waits for a worker whose clock is
    /// confirmed.
    mutating func expire() -> [SliceAction] {
        guard isClockConfirmed else {
            return settle(.wait(until: now + rules.clockDelay(after: baton.idleWaits), reason: .clock, state: state))
        }
        return failForGood(expiredError)
    }

    /// Fails a job that no later round could resume. First removes its session, which stays named if it cannot be
    /// removed.
    mutating func failForGood(_ error: UploadError) -> [SliceAction] {
        let kept = Settlement.ended(.failed(error, state: state))
        guard let state else { return settle(kept) }
        return check(then: .discard(state, .settle(.ended(.failed(error, state: nil)), otherwise: kept)))
    }

    var isExpired: Bool { now >= deadline }

    /// When the lifetime begins: in the first round when the job was enqueued or due; in a later round, and for a job
    /// of a serial line, when its first slice began, because it was enqueued long before.
    private var lifeOrigin: Date {
        if baton.round > 1 || baton.job.serial != nil { return baton.startedAt ?? now }
        return max(baton.job.enqueuedAt, baton.job.notBefore ?? .distantPast)
    }

    /// The job's own policy, else the destination's once it is found, else the default.
    private var policy: RetryPolicy { baton.job.retry ?? destination?.retry ?? RetryPolicy() }

    /// The end of the job's lifetime, or the producer's `expiresAt` if that is earlier. The retry policy's age is
    /// counted apart, from the first failed attempt.
    private var deadline: Date { min(lifeOrigin + JobLifetime.seconds, baton.job.expiresAt ?? .distantFuture) }

    /// Seconds that the job waits for something it cannot do without, such as its destination.
    private var patience: TimeInterval {
        if let destination { return destination.patience }
        return baton.isCancel ? rules.cancelPatience : JobLifetime.patience
    }

    /// When waiting ends: at the deadline, or earlier when patience runs out. Never while no other clock has confirmed
    /// this worker's.
    private var waitEnd: Date {
        isClockConfirmed ? min(deadline, (baton.waitingSince ?? now) + patience) : .distantFuture
    }

    var expiredError: UploadError {
        UploadError(.expired, "the job's time ran out before the upload was done: \(expiry)", retry: .never)
    }

    /// How old the job is, how long it had, and what to do.
    private var expiry: String {
        let age = "it is \(Self.text(now.timeIntervalSince(lifeOrigin))) old"
        let limit =
            if let end = baton.job.expiresAt, end <= lifeOrigin + JobLifetime.seconds {
                "was to be done by \(WireJSON.timestamp(end)) (expiresAt); enqueue the file again with a later time"
            } else {
                "jobs have \(Self.text(JobLifetime.seconds)); enqueue the file again"
            }
        return "\(age), and \(limit)"
    }

    /// `3 d`, `5 h`, `12 min`, `40 s`: the largest unit of which there are two at least.
    private static func text(_ seconds: TimeInterval) -> String {
        let seconds = max(0, seconds)
        for (unit, name) in [(86_400.0, "d"), (3600, "h"), (60, "min")] where seconds >= 2 * unit {
            return "\(Int(min(seconds / unit, 1e9))) \(name)"
        }
        return "\(Int(seconds)) s"
    }

    var withdrawnError: UploadError {
        UploadError(.interrupted, "the step was called off before its turn came: do it again", retry: .afterBackoff)
    }

    private var tooLongError: UploadError { tooLongError(nil) }

    /// - Parameter rate: the bytes that were sent and the seconds that they took, where the upload was cut because it
    ///   was too slow.
    private func tooLongError(_ rate: (bytesDone: Int64, seconds: TimeInterval)?) -> UploadError {
        let limit = rules.consumerTimeout.map { " (\(Int($0)) s)" } ?? ""
        let said =
            rate.map {
                "the upload would take longer: \($0.bytesDone) of \(baton.job.size) bytes went up in \(Int($0.seconds)) s"
            }
            ?? "a step that cannot be interrupted took longer"
        return UploadError(
            .interrupted,
            "a worker may hold a job for as long as the broker's consumer_timeout says\(limit), and \(said): use a destination that takes "
                + "parts, or raise consumer_timeout at the broker and consumerTimeout in the configuration",
            // An upload with a session resumes there; one that starts over would only take as long again.
            retry: state == nil && readBack == nil ? .never : .afterBackoff)
    }
}
