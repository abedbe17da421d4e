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
        return settle(.wait(until: now + rules.cancelSettleDelay, reason: .locked, state: state))
    }

    mutating func cancelLeftovers() -> [SliceAction] {
        if yieldReason != nil { return settle(.handOver(state)) }
        if case .blocked(let until, let error)? = destination?.way { return waitForCircuit(until: until, error) }
        guard let state else { return check(then: .probe(.cancel)) }
        return check(then: .discard(state, .probeCancelled))
    }

    mutating func endCancelled() -> [SliceAction] {
        guard case .staged = baton.job.source, !isSourceGone else { return settle(.ended(.cancelled)) }
        // Before the end is published: whoever comes late finds no copy, and completes nothing.
        return check(then: .removeCopy)
    }
}
