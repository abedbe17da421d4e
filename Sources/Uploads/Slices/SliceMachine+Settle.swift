import Foundation

// How a slice settles.
extension SliceMachine {
    mutating func settle(_ settlement: Settlement) -> [SliceAction] {
        phase = .settled
        return [.settle(stamped(settlement))]
    }

    mutating func lose(_ standing: Standing) -> [SliceAction] {
        switch standing {
        case .holds: return []
        case .superseded: return settle(.superseded)
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

    /// Stops at once what may stop here.
    mutating func stopHere() -> [SliceAction] {
        switch phase {
        case .sending: sendMore()
        case .readingBack: stopReadingBack()
        default: []
        }
    }

    /// A cancel baton is on its way out anyway: it goes on. A drain outweighs a stop.
    mutating func yieldForStop() {
        if !baton.isCancel, yieldReason != .drain { yieldReason = .stop }
    }

    /// The grace is used up: whatever is under way is dropped, and another worker asks what became of it.
    mutating func abandonStep() -> [SliceAction] {
        if case .discarding(.settle(_, let otherwise)) = phase { return settle(otherwise) }
        return settle(.handOver(state))
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

    /// A failed attempt: again later, or never.
    /// - Parameter isResolved: whether the destination was just asked, or cannot have changed.
    mutating func giveUpOrRetry(_ error: UploadError, isResolved: Bool = false) -> [SliceAction] {
        if case .notYet(let seconds) = error.retry, !baton.isCancel { return waitUntilDone(seconds, error) }
        // Not an attempt: it would have waited like the others, had it not been asked to look.
        if isTrial, case .failing? = CircuitEvidence(error) { return waitForCircuit(until: now, error) }
        let next = settlement(after: error)
        if case .ended = next, error.spoilsSource { return failForGood(error) }
        if case .ended = next, hasSent, error.leavesDoubt, !isResolved {
            return check(then: .probe(.beforeFailing(error)))
        }
        return settle(next)
    }

    mutating func settlement(after error: UploadError) -> Settlement {
        var policy = policy
        var age = age
        if baton.isCancel, baton.attempts < policy.maxAttempts || age < policy.maxAge {
            // What is to be cancelled has often used up its tries; cancelling gets some of its own.
            policy.maxAttempts = .max
            policy.maxAge = .infinity
            age = 0
        }
        switch policy.decide(attempt: baton.attempts + 1, error: error, age: age, using: &random) {
        case .retry(let delay) where baton.isCancel || now + delay <= (baton.job.expiresAt ?? .distantFuture):
            return .wait(until: now + delay, reason: .retry(error), state: state)
        case .retry, .giveUp:
            return .ended(.failed(error, state: state))
        }
    }

    /// Waits for a worker that knows more, longer each time, until the job's time runs out.
    mutating func waitIdle(_ reason: WaitReason, failing error: UploadError) -> [SliceAction] {
        guard now < deadline else { return settle(.ended(.failed(error, state: state))) }
        if isPaused, let paused = earlySettlement { return settle(paused) }
        let until = min(now + rules.idleDelay(after: baton.idleWaits), deadline)
        return settle(.wait(until: until, reason: reason, state: state))
    }

    /// Waits for the destination to be done with what it has, longer each time: it was asked for nothing else, so nothing failed.
    private mutating func waitUntilDone(_ seconds: TimeInterval, _ error: UploadError) -> [SliceAction] {
        guard !isExpired else {
            let expired = UploadError(
                .expired, "the job's time ran out before the destination was done: \(error.message)", retry: .never,
                response: error.response)
            return settle(.ended(.failed(expired, state: state)))
        }
        if isPaused, let paused = earlySettlement { return settle(paused) }
        let until = min(now + rules.notYetDelay(seconds, after: baton.idleWaits), deadline)
        return settle(.wait(until: until, reason: .notYet(error), state: state))
    }

    /// Waits for the destination to work again, longer each time, with jitter so that not all come back at once.
    mutating func waitForCircuit(until: Date, _ error: UploadError) -> [SliceAction] {
        let reason = WaitReason.circuitOpen(error)
        let bound = rules.circuitDelay(after: baton.idleWaits)
        var until = max(until, now + .random(in: bound / 2...bound, using: &random))
        if baton.isCancel {
            // One that has waited counts as old enough to act without a lock.
            if baton.slice == 0 { until = max(until, now + rules.cancelSettleDelay) }
            return settle(.wait(until: until, reason: reason, state: state))
        }
        if isPaused, let paused = earlySettlement { return settle(paused) }
        guard !isExpired else { return settle(.ended(.failed(error, state: state))) }
        return settle(.wait(until: min(until, deadline), reason: reason, state: state))
    }

    mutating func expire() -> [SliceAction] { failForGood(expiredError) }

    /// Fails what no later round could go on from: its session goes first, and stays named if it cannot be removed.
    mutating func failForGood(_ error: UploadError) -> [SliceAction] {
        let kept = Settlement.ended(.failed(error, state: state))
        guard let state else { return settle(kept) }
        return check(then: .discard(state, .settle(.ended(.failed(error, state: nil)), otherwise: kept)))
    }

    var isExpired: Bool { now >= deadline }

    /// Seconds that count towards the policy's age: of the first round since it was enqueued or due, of a later one or of
    /// one that waited for its turn in a serial line since it began, for it was enqueued long ago.
    private var age: TimeInterval { now.timeIntervalSince(ageOrigin) }

    private var ageOrigin: Date {
        if baton.round > 1 || baton.job.serial != nil { return baton.startedAt ?? now }
        return max(baton.job.enqueuedAt, baton.job.notBefore ?? .distantPast)
    }

    /// What the producer said; else the destination's word, once it is found; else what is usual.
    private var policy: RetryPolicy { baton.job.retry ?? destination?.retry ?? RetryPolicy() }

    private var deadline: Date {
        min(ageOrigin + policy.maxAge, baton.job.expiresAt ?? .distantFuture)
    }

    var expiredError: UploadError {
        UploadError(.expired, "the job's time ran out before the upload was done: enqueue the file again with more")
    }

    private var tooLongError: UploadError {
        UploadError(
            .interrupted,
            "a step that cannot be interrupted took longer than a worker allows: use a destination that takes parts, or "
                + "raise the worker's time for uncut steps",
            // What has a session goes on from there; what starts over would only take as long again.
            retry: state == nil && readBack == nil ? .never : .afterBackoff)
    }
}
