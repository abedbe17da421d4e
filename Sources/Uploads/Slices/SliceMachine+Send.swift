import Foundation

// Parts: several at once, each tried a few times.
extension SliceMachine {
    mutating func sendingAnswered(_ fact: SliceFact) -> [SliceAction] {
        switch fact {
        case .partAccepted(let index, let newState):
            guard sending.inFlight.remove(index) != nil else { return [] }
            sending.acceptedCount += 1
            sending.tries[index] = nil
            sending.polls[index] = nil
            state = newState ?? state
            return sendMore()
        case .partNotCopied(let index):
            guard sending.inFlight.remove(index) != nil else { return [] }
            return partNotCopied(index)
        case .partFailed(let index, let error, let newState):
            guard sending.inFlight.remove(index) != nil else { return [] }
            state = newState ?? state
            return partFailed(index, error)
        case .retryDue(let index):
            guard sending.waiting.remove(index) != nil else { return [] }
            guard sending.failure == nil, stop == nil else { return sendMore() }
            return [send(index)]
        default: return []
        }
    }

    mutating func sendMore() -> [SliceAction] {
        if isAbandoned { return takeLastParts() }
        // The last part was accepted although the time for uncut steps had run out: no part is sent again.
        if sending.isComplete, sending.failure != nil, let state {
            return settle(.handOver(state.missing(sending.bytesMissing)))
        }
        if let failure = sending.failure, !sending.isComplete {
            guard sending.inFlight.isEmpty else { return [] }
            switch failure {
            case .attempt(let error): return giveUpOrRetry(error)
            case .conditionFailed(let error): return check(then: .probe(.conditionFailed(error)))
            case .sessionGone(let error): return check(then: .probe(.sessionGone(error)))
            case .storedOtherwise(let error): return check(then: .probe(.storedOtherwise(error)))
            case .notCopied: return settle(copyWait)
            }
        }
        if let stop { return sending.inFlight.isEmpty ? settle(stop) : [.withdrawTurns] }
        if sending.isComplete { return check(then: .complete) }
        var actions: [SliceAction] = []
        let width = max(1, min(rules.parts, destination?.parts ?? rules.parts))
        while sending.next < sending.missingCount, sending.inFlight.count + sending.waiting.count < width {
            actions.append(send(sending.next))
            sending.next += 1
        }
        return actions
    }

    /// Once all parts have answered: an upload with a session is handed over; if the one part is the object, only its
    /// end is left to report.
    private mutating func takeLastParts() -> [SliceAction] {
        guard sending.inFlight.isEmpty else { return [] }
        return sending.isComplete && state == nil ? check(then: .complete) : settle(.handOver(state))
    }

    private mutating func send(_ index: Int) -> SliceAction {
        hasSent = true
        sending.inFlight.insert(index)
        return .sendPart(index)
    }

    /// Looks again a few times, for a producer that copies about as fast as the parts are sent. Then the slice waits without a slot.
    private mutating func partNotCopied(_ index: Int) -> [SliceAction] {
        let polls = sending.polls[index, default: 0] + 1
        sending.polls[index] = polls
        if isAbandoned || sending.failure != nil || stop != nil { return sendMore() }
        guard polls <= rules.copyPollsMaximum else { return failSending(.notCopied, cancelling: false) }
        sending.waiting.insert(index)
        return [.waitToRetry(index, milliseconds: rules.copyPollMilliseconds)]
    }

    private var copyWait: Settlement {
        .wait(until: now + rules.copyDelay(after: baton.idleWaits), reason: .copying, state: state)
    }

    private mutating func partFailed(_ index: Int, _ error: UploadError) -> [SliceAction] {
        if isAbandoned { return sending.inFlight.isEmpty ? failedAtLast(error) : [] }
        if sending.failure != nil || sending.isCut { return sendMore() }
        if error.code == .sessionExpired { return failSending(.sessionGone(error), cancelling: true) }
        if error.code == .preconditionFailed { return failSending(.conditionFailed(error), cancelling: true) }
        if error.saysStoredOtherwise { return failSending(.storedOtherwise(error), cancelling: true) }
        if error.retry == .never { return failSending(.attempt(error), cancelling: true) }
        // A part that failed while the slice stops is simply still missing.
        if stop != nil { return sendMore() }
        let tries = sending.tries[index, default: 0] + 1
        sending.tries[index] = tries
        guard let delay = retryMilliseconds(after: tries, error) else {
            return failSending(.attempt(error), cancelling: false)
        }
        sending.waiting.insert(index)
        return [.waitToRetry(index, milliseconds: delay)]
    }

    /// Gives the slot up at the price of the parts in flight: under the destination's limit, or at a server that is silent, they may take minutes.
    mutating func cutParts() -> [SliceAction] {
        guard phase == .sending, yieldReason == .preempt, stop != nil, !sending.isCut, !sending.inFlight.isEmpty else {
            return []
        }
        sending.isCut = true
        return [.withdrawTurns, .cancelRequests]
    }

    /// Parts in flight may finish, unless they cannot succeed any more.
    private mutating func failSending(_ failure: Sending.Failure, cancelling: Bool) -> [SliceAction] {
        sending.failure = failure
        let cancel: [SliceAction] = cancelling && !sending.inFlight.isEmpty ? [.cancelRequests] : []
        return cancel + sendMore()
    }

    mutating func failSending(_ error: UploadError) -> [SliceAction] {
        failSending(.attempt(error), cancelling: true)
    }

    /// nil if the part was tried often enough, or the destination wants a longer pause than a slice should sit out.
    private mutating func retryMilliseconds(after tries: Int, _ error: UploadError) -> Int? {
        guard tries <= rules.partRetryMilliseconds.count else { return nil }
        switch scope(of: error) {
        case .destination: return nil
        // The driver paces a destination that asks for fewer requests and names no time. A locked object is not sent a
        // whole body again.
        case .pause where error.code != .rateLimited: return nil
        case .pause, .job, .shared, .noProgress: break
        }
        switch error.retry {
        case .pause, .notYet: return nil
        case .after(let seconds): return seconds <= 1 ? Int(max(0, seconds) * 1000) : nil
        case .never, .afterBackoff: break
        }
        let bound = max(0, rules.partRetryMilliseconds[tries - 1])
        return Int.random(in: bound / 2...bound, using: &random)
    }

    /// How the slice settles at the next part boundary; nil to go on.
    var stop: Settlement? {
        // If no part was sent, nothing is left behind, so that the slice may stop with any driver.
        if !sending.hasBegun, !sending.isComplete, let early = earlySettlement { return early }
        guard destination?.canYield == true, let state else { return nil }
        if isPaused { return .wait(until: now + rules.pauseDelay, reason: .paused, state: state) }
        if sending.isComplete { return yieldReason == .drain || yieldReason == nil ? nil : .handOver(state) }
        if yieldReason != nil { return .handOver(state) }
        // However short the slice, it sends at least one part. The next slice checks whether the destination has kept
        // any of it.
        guard isSliceTimeUp, sending.hasBegun else { return nil }
        return sending.polls.isEmpty ? .handOver(state.missing(sending.bytesMissing)) : copyWait
    }
}
