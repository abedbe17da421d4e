import Foundation

// What the answers of the destination mean.
extension SliceMachine {
    mutating func probed(_ answer: ProbeAnswer, for purpose: Purpose) -> [SliceAction] {
        switch answer {
        case .complete(let upload):
            return end(.completed(upload.object, response: upload.response))
        case .other(var object, isNewer: true) where purpose != .cancel:
            object.isOvertaken = true
            return end(.completed(object, response: nil))
        default: break
        }
        switch purpose {
        case .heldBefore:
            note(answer)
            return isExpired ? expire() : claim()
        case .sourceGone:
            return settle(
                .ended(
                    .failed(
                        UploadError(.invalidFile, "the staged copy is gone: enqueue the file again"), state: state)))
        case .doubtfulCompletion(let error): return completeAgain(after: error, seeing: answer)
        case .sessionGone(let error): return openAgain(after: error, seeing: answer)
        case .beforeFailing(let error): return settle(.ended(.failed(error, state: state)))
        case .cancel:
            if case .partial(let found) = answer { return check(then: .discard(found, .endCancelled)) }
            return endCancelled()
        }
    }

    mutating func probeFailed(_ error: UploadError, for purpose: Purpose) -> [SliceAction] {
        switch purpose {
        case .heldBefore where isExpired: settle(.ended(.failed(expiredError, state: state)))
        // A paused job does nothing, and failing to look is no attempt of it.
        case .heldBefore where isPaused && error.retry != .never:
            settle(.wait(until: now + rules.pauseDelay, reason: .paused, state: state))
        case .heldBefore, .sourceGone, .cancel: giveUpOrRetry(error, isResolved: true)
        // The doubt stays; what is told is what went wrong first.
        case .doubtfulCompletion(let first), .sessionGone(let first): giveUpOrRetry(first, isResolved: true)
        case .beforeFailing(let first): settle(.ended(.failed(first, state: state)))
        }
    }

    /// Remembers what was seen: what is written later is written on this condition.
    private mutating func note(_ answer: ProbeAnswer) {
        switch answer {
        case .nothing: condition = .absent
        case .other(let object, _): condition = object.etag.map { .unchanged(etag: $0) } ?? .none
        case .partial(let found):
            // An unfinished session says nothing of an object that may lie beside it.
            condition = .none
            state = found
        case .complete, .unknowable: condition = .none
        }
    }

    private mutating func completeAgain(after error: UploadError, seeing answer: ProbeAnswer) -> [SliceAction] {
        if error.code == .sessionExpired { return openAgain(after: error, seeing: answer) }
        guard error.code == .preconditionFailed else { return giveUpOrRetry(error, isResolved: true) }
        guard completions < rules.completionsMaximum else {
            let again = UploadError(
                .preconditionFailed, "what lies at the destination keeps changing: \(error.message)",
                retry: .afterBackoff, response: error.response)
            return giveUpOrRetry(again, isResolved: true)
        }
        note(answer)
        return check(then: .complete)
    }

    private mutating func openAgain(after error: UploadError, seeing answer: ProbeAnswer) -> [SliceAction] {
        let gone = state
        state = nil
        note(answer)
        if state == gone { state = nil }
        guard openings < rules.openingsMaximum else { return giveUpOrRetry(error, isResolved: true) }
        return check(then: .open(state))
    }
}
