// The completing call, and what follows when it fails or its answer is lost.
extension SliceMachine {
    mutating func completingFailed(_ error: UploadError) -> [SliceAction] {
        if isAbandoned { return failedAtLast(error) }
        let error = uncutError ?? error
        if error.retry.isNotYet { return giveUpOrRetry(error, isResolved: true) }
        if error.saysStoredOtherwise { return check(then: .probe(.storedOtherwise(error))) }
        if error.code == .checksumMismatch, let state {
            // The bytes that arrived are broken: the next attempt begins with an empty session.
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
            // A session that can never be removed is left to the sweeper; it must not keep the job from ending.
            if let error, error.retry != .never { return giveUpOrRetry(error, isResolved: true) }
            return next == .endCancelled ? endCancelled() : check(then: .probe(.cancel))
        }
    }

    /// Ends the round without a failure. First removes the session that the baton names, unless it was the one
    /// completed.
    mutating func end(_ outcome: Outcome) -> [SliceAction] {
        let ended = Settlement.ended(outcome)
        guard let state else { return settle(ended) }
        return check(then: .discard(state, .settle(ended, otherwise: ended)))
    }
}

extension UploadError {
    /// Whether the source is unreadable or has changed, so that the bytes that have arrived are of no use.
    var spoilsSource: Bool { [.sourceChanged, .sourceIncomplete, .invalidFile].contains(code) }

    /// Whether the destination may have done the step in spite of the error.
    var leavesDoubt: Bool {
        switch code {
        case .networkFailure, .serverFailure, .invalidResponse, .preconditionFailed, .sessionExpired, .interrupted,
            .unknown, .cancelled:
            true
        default: false
        }
    }
}
