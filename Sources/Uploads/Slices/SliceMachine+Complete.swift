// The completing call and what may come between it and its answer.
extension SliceMachine {
    mutating func completingFailed(_ error: UploadError) -> [SliceAction] {
        if isAbandoned { return failedAtLast(error) }
        let error = uncutError ?? error
        if error.retry.isNotYet { return giveUpOrRetry(error, isResolved: true) }
        if error.saysStoredOtherwise { return check(then: .probe(.storedOtherwise(error))) }
        if error.code == .checksumMismatch, let state {
            // What arrived is broken: the next attempt begins with an empty session.
            self.state = nil
            let next = settlement(after: error)
            self.state = state
            return check(then: .discard(state, .settle(next, otherwise: next)))
        }
        if error.leavesDoubt { return check(then: .probe(.doubtfulCompletion(error))) }
        return giveUpOrRetry(error)
    }

    mutating func discarded(_ next: AfterDiscard, error: UploadError?) -> [SliceAction] {
        switch next {
        case .settle(let settlement, let otherwise): return settle(error == nil ? settlement : otherwise)
        case .probeCancelled, .endCancelled:
            // One that cannot be removed at all is left to the sweeper; it must not keep the job from ending.
            if let error, error.retry != .never { return giveUpOrRetry(error, isResolved: true) }
            return next == .endCancelled ? endCancelled() : check(then: .probe(.cancel))
        }
    }

    /// Ends well; the session that the baton names goes first, if it was not the one completed.
    mutating func end(_ outcome: Outcome) -> [SliceAction] {
        let ended = Settlement.ended(outcome)
        guard let state else { return settle(ended) }
        return check(then: .discard(state, .settle(ended, otherwise: ended)))
    }
}

extension UploadError {
    /// Whether the source is not, or not any more, what was enqueued: what has arrived of it is of no use.
    var spoilsSource: Bool { code == .sourceChanged || code == .invalidFile }

    /// Whether the destination may have done what it was asked all the same.
    var leavesDoubt: Bool {
        switch code {
        case .networkFailure, .serverFailure, .invalidResponse, .preconditionFailed, .sessionExpired, .interrupted,
            .unknown, .cancelled:
            true
        default: false
        }
    }
}
