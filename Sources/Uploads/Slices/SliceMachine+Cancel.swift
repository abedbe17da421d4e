import Foundation

// The steps of a cancel baton: lock the staged copy, remove the session, probe the destination.
extension SliceMachine {
    mutating func beginCancel() -> [SliceAction] {
        if case .staged = baton.job.source { return claim() }
        return cancelWithoutLock()
    }

    /// Without a lock nothing keeps out a worker that has not read of the cancel yet: wait until it must have.
    mutating func cancelWithoutLock() -> [SliceAction] {
        // Rule 5: verbs. The first slice of a cancel baton always waits, so a later slice that has waited is old
        // enough.
        if baton.slice > 0, baton.idleWaits > 0 { return cancelLeftovers() }
        return settle(.wait(until: now + rules.cancelSettleDelay, reason: .cancelling, state: state))
    }

    mutating func cancelLeftovers() -> [SliceAction] {
        if yieldReason != nil { return settle(.handOver(state)) }
        if case .blocked(let until, let error)? = destination?.way { return waitForCircuit(until: until, error) }
        guard let state else { return check(then: .probe(.cancel)) }
        return check(then: .discard(state, .probeCancelled))
    }

    /// Takes the copy's lock before it removes the copy, as for any job.
    mutating func copyClaimAnswered(_ fact: SliceFact) -> [SliceAction] {
        switch fact {
        case .sourceClaimed, .sourceUnlocked: check(then: .removeCopy)
        case .sourceBusy: settle(.wait(until: now + rules.lockedDelay, reason: .locked, state: nil))
        case .sourceAreaUnknown(let area): waitForStagingArea(area)
        case .failed(let error): giveUpOrRetry(error, isResolved: true)
        // The copy is gone already, or the source is in no staging area.
        default: settle(.ended(.cancelled))
        }
    }

    mutating func endCancelled() -> [SliceAction] {
        guard case .staged = baton.job.source, !isSourceGone else { return settle(.ended(.cancelled)) }
        // Before the end is published, so that a late worker finds no copy and completes nothing.
        return check(then: .removeCopy)
    }
}
