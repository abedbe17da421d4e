import Synchronization
import Uploads

/// Passes facts (preemption, drain, cut) to the running slices.
///
/// A slice is known by its number from the moment at which its delivery asks for a slot. A fact that arrives before the slice runs is
/// kept until then: the slot policy may grant a slot and ask for it back before the slice's task has begun.
final class RunningSlices: Sendable {
    private struct State: Sendable {
        /// The facts for slices that do not run yet.
        var early: [UInt64: [SliceFact]] = [:]
        var slices: [UInt64: @Sendable (SliceFact) -> Void] = [:]
        /// The facts for every slice that begins from now on.
        var standingOrders: [SliceFact] = []
    }

    private let state = Mutex(State())

    var count: Int { state.withLock { $0.slices.count } }

    /// To be called before a delivery asks for a slot. Each expected slice has to be removed.
    func expect(_ id: UInt64) { state.withLock { $0.early[id] = [] } }

    func add(_ id: UInt64, _ tell: @escaping @Sendable (SliceFact) -> Void) {
        let facts = state.withLock { state in
            state.slices[id] = tell
            return state.standingOrders + (state.early.removeValue(forKey: id) ?? [])
        }
        for fact in facts { tell(fact) }
    }

    func remove(_ id: UInt64) {
        state.withLock { state in
            state.slices[id] = nil
            state.early[id] = nil
        }
    }

    func preempt(_ id: UInt64) {
        let fact = SliceFact.yieldRequested(.preempt)
        let tell = state.withLock { state -> (@Sendable (SliceFact) -> Void)? in
            if let tell = state.slices[id] { return tell }
            // nil for a slice that has ended.
            state.early[id]?.append(fact)
            return nil
        }
        tell?(fact)
    }

    /// Asks all slices to hand over at their next part boundary.
    func drain() { order(.yieldRequested(.drain)) }

    /// Cuts off all slices that still run.
    func cut() { order(.graceUsedUp) }

    private func order(_ fact: SliceFact) {
        let slices = state.withLock { state in
            state.standingOrders.append(fact)
            return Array(state.slices.values)
        }
        for tell in slices { tell(fact) }
    }
}
