import Synchronization
import Uploads

/// The slices that run, for whoever has something to tell them.
///
/// A slice is known by its number from the moment at which its delivery asks for a slot. What is told to it before it runs is kept
/// until then: the slot policy may grant a slot and ask for it back before the slice's task has come so far.
final class RunningSlices: Sendable {
    private struct State: Sendable {
        /// Of those that do not run yet, what was told to them.
        var early: [UInt64: [SliceFact]] = [:]
        var slices: [UInt64: @Sendable (SliceFact) -> Void] = [:]
        /// Told to whoever comes late.
        var standingOrders: [SliceFact] = []
    }

    private let state = Mutex(State())

    var count: Int { state.withLock { $0.slices.count } }

    /// A delivery is about to ask for a slot. Each that is expected has to be removed.
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

    /// Asks all to hand over at their next part boundary.
    func drain() { order(.yieldRequested(.drain)) }

    /// Cuts off whatever still runs.
    func cut() { order(.graceUsedUp) }

    private func order(_ fact: SliceFact) {
        let slices = state.withLock { state in
            state.standingOrders.append(fact)
            return Array(state.slices.values)
        }
        for tell in slices { tell(fact) }
    }
}
