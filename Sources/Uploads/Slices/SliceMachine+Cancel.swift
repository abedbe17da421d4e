import Foundation

// A cancel baton: lock, remove the session, ask what is there.
extension SliceMachine {
    mutating func beginCancel() -> [SliceAction] {
        if case .staged = baton.job.source { return claim() }
        return cancelWithoutLock()
    }

    /// Nothing keeps a worker out that has not heard yet: wait until it must have.
    mutating func cancelWithoutLock() -> [SliceAction] {
        // The first slice of an issued baton always waits, so a later one that has waited is old enough.
        if baton.slice > 0, baton.idleWaits > 0 { return cancelLeftovers() }
        return settle(.wait(until: now + rules.cancelSettleDelay, reason: .cancelling, state: state))
    }

    mutating func cancelLeftovers() -> [SliceAction] {
        if yieldReason != nil { return settle(.handOver(state)) }
        if case .blocked(let until, let error)? = destination?.way { return waitForCircuit(until: until, error) }
        guard let state else { return check(then: .probe(.cancel)) }
        return check(then: .discard(state, .probeCancelled))
    }

    /// Before the copy is removed its lock is taken, as for any job.
    mutating func copyClaimAnswered(_ fact: SliceFact) -> [SliceAction] {
        switch fact {
        case .sourceClaimed: check(then: .removeCopy)
        case .sourceBusy: settle(.wait(until: now + rules.lockedDelay, reason: .locked, state: nil))
        case .sourceAreaUnknown(let area): waitForStagingArea(area)
        case .failed(let error): giveUpOrRetry(error, isResolved: true)
        // It is gone already, or lies in no staging area.
        default: settle(.ended(.cancelled))
        }
    }

    mutating func endCancelled() -> [SliceAction] {
        guard case .staged = baton.job.source, !isSourceGone else { return settle(.ended(.cancelled)) }
        // Before the end is published: whoever comes late finds no copy, and completes nothing.
        return check(then: .removeCopy)
    }
}
