import Foundation

// Decides what follows from a destination's answer to a probe.
extension SliceMachine {
    mutating func probed(_ answer: ProbeAnswer, for purpose: Purpose) -> [SliceAction] {
        let answer = known(answer, for: purpose)
        if case .storedOtherwise(let error) = purpose { return storedOtherwise(error, seeing: answer) }
        if case .complete(let upload) = answer, let flaw = upload.flaw { return probeFailed(flaw, for: purpose) }
        switch answer {
        case .complete(let upload) where baton.job.verify && purpose != .cancel: return verify(upload, for: purpose)
        case .complete(let upload):
            return end(.completed(upload.object, response: upload.response))
        // Rule 7: probe first. A newer job's object is not overwritten.
        case .other(var object, isNewer: true) where purpose != .cancel && !keepsExisting:
            object.isOvertaken = true
            return end(.completed(object, response: nil))
        default: break
        }
        if let end = endExisting(answer, for: purpose) { return end }
        switch purpose {
        case .heldBefore:
            if isReadBackLost { return uploadAgain(after: changedSince(nil), seeing: answer) }
            note(answer)
            return isExpired ? expire() : claim()
        case .sourceGone:
            note(answer)
            return failForGood(sourceGoneError)
        case .doubtfulCompletion(let error): return completeAgain(after: error, seeing: answer)
        case .conditionFailed(let error): return sendAgain(after: error, seeing: answer)
        case .sessionGone(let error): return openAgain(after: error, seeing: answer)
        case .beforeFailing(let error): return settle(.ended(.failed(error, state: state)))
        case .storedOtherwise(let error): return storedOtherwise(error, seeing: answer)
        case .readBackFailed(let error): return uploadAgain(after: error, seeing: answer)
        case .cancel:
            if case .partial(let found, _) = answer { return check(then: .discard(found, .endCancelled)) }
            return endCancelled()
        }
    }

    mutating func probeFailed(_ error: UploadError, for purpose: Purpose) -> [SliceAction] {
        // A cancelled job ends although the destination forbids to look: the sweep, or the destination's own rules,
        // remove what it left.
        if purpose == .cancel, error.code == .accessDenied, error.retry == .never { return endCancelled() }
        return switch purpose {
        case .heldBefore where isExpired && isClockConfirmed: settle(.ended(.failed(expiredError, state: state)))
        // A paused job does nothing, and a failed probe is no attempt of it.
        case .heldBefore where isPaused && error.retry != .never:
            settle(.wait(until: now + rules.pauseDelay, reason: .paused, state: state))
        case .heldBefore, .sourceGone, .cancel: giveUpOrRetry(error, isResolved: true)
        // The probe failed, and the object under the key may be the job's own: the refusal is not final.
        case .doubtfulCompletion(let first) where first.code == .preconditionFailed && error.retry != .never,
            .conditionFailed(let first) where error.retry != .never:
            giveUpOrRetry(
                UploadError(first.code, first.message, retry: error.retry, cause: error, response: first.response),
                isResolved: true)
        // The doubt stays; the first error is the one that is reported.
        case .doubtfulCompletion(let first), .conditionFailed(let first), .sessionGone(let first):
            giveUpOrRetry(first, isResolved: true)
        case .beforeFailing(let first): settle(.ended(.failed(first, state: state)))
        case .storedOtherwise(let first): storedOtherwise(first, seeing: .unknowable)
        case .readBackFailed(let first): breakDown(first)
        }
    }

    /// Rule 7: write conditionally. Remembers what the probe saw as the condition of every later write.
    mutating func note(_ answer: ProbeAnswer) {
        switch answer {
        // The job's own broken object may be replaced, also by a job that replaces nothing else.
        case .other(let object, _) where isBroken(object): condition = WriteCondition(replacing: object)
        case .partial(let found, beside: let object?) where isBroken(object):
            condition = WriteCondition(replacing: object)
            state = found
        case _ where keepsExisting:
            condition = .absent
            if case .partial(let found, _) = answer { state = found }
        case .nothing: condition = .absent
        case .other(let object, _): condition = WriteCondition(replacing: object)
        case .partial(let found, let object):
            condition = WriteCondition(replacing: object)
            state = found
        case .complete, .unknowable: condition = .none
        }
    }

    private mutating func completeAgain(after error: UploadError, seeing answer: ProbeAnswer) -> [SliceAction] {
        if error.code == .sessionExpired { return openAgain(after: error, seeing: answer) }
        guard error.code == .preconditionFailed else { return giveUpOrRetry(error, isResolved: true) }
        // A job that may replace and cannot look drops its condition, as if the first probe had found `unknowable`.
        guard answer != .unknowable || (!keepsExisting && condition == .absent) else {
            return giveUpOrRetry(error, isResolved: true)
        }
        guard completions < rules.completionsMaximum else { return keepsChanging(error, seeing: answer) }
        note(answer)
        return check(then: .complete)
    }

    /// The condition was sent with the one part that is the object, so that part is sent again under a new condition.
    private mutating func sendAgain(after error: UploadError, seeing answer: ProbeAnswer) -> [SliceAction] {
        // If the write had no condition, nothing that the probe saw could change the answer. If the destination cannot
        // be probed, nothing may be overwritten: the write was refused because the key already has an object.
        guard condition != .none, answer != .unknowable else { return giveUpOrRetry(error, isResolved: true) }
        guard openings < rules.openingsMaximum else { return keepsChanging(error, seeing: answer) }
        note(answer)
        return check(then: .open(state))
    }

    private mutating func keepsChanging(_ error: UploadError, seeing answer: ProbeAnswer) -> [SliceAction] {
        if answer == .nothing, condition == .absent {
            return failForGood(
                UploadError(
                    .preconditionFailed,
                    "the server refuses \(baton.job.destination.displayText) because something lies there, but nothing is found there: it "
                        + "takes the name for another one; use another key",
                    retry: .never, response: error.response))
        }
        let again = UploadError(
            .preconditionFailed, "what lies at the destination keeps changing: \(error.message)",
            retry: .afterBackoff, response: error.response)
        return giveUpOrRetry(again, isResolved: true)
    }

    /// Rule 8: sessions. The session is gone. Where an earlier slice handed it over, the upload is back at its
    /// beginning, and that is a failed attempt: a server that forgets each upload would otherwise be asked for another
    /// session at once, again and again.
    private mutating func openAgain(after error: UploadError, seeing answer: ProbeAnswer) -> [SliceAction] {
        let gone = state
        state = nil
        note(answer)
        if state == gone { state = nil }
        let isBackAtBeginning = state == nil && baton.state?.session != nil
        guard !isBackAtBeginning, openings < rules.openingsMaximum else {
            return giveUpOrRetry(error.sayingWhatForgets, isResolved: true)
        }
        return check(then: .open(state))
    }
}

extension UploadError {
    /// The same error with a remedy for a server that forgets uploads again and again.
    fileprivate var sayingWhatForgets: UploadError {
        UploadError(
            code,
            message
                + "; if this recurs, the server does not keep what is unfinished: servers behind one address must share their "
                + "storage, and a proxy before them must leave paths as they are",
            retry: retry, cause: cause, response: response)
    }
}
