import Synchronization
import Uploads

/// The slices that run, for whoever has something to tell them.
final class RunningSlices: Sendable {
    private struct State: Sendable {
        var slices: [UInt64: @Sendable (SliceFact) -> Void] = [:]
        /// Told to whoever comes late.
        var standingOrders: [SliceFact] = []
    }

    private let state = Mutex(State())

    var count: Int { state.withLock { $0.slices.count } }

    func add(_ id: UInt64, _ tell: @escaping @Sendable (SliceFact) -> Void) {
        let orders = state.withLock { state in
            state.slices[id] = tell
            return state.standingOrders
        }
        for order in orders { tell(order) }
    }

    func remove(_ id: UInt64) { state.withLock { _ = $0.slices.removeValue(forKey: id) } }

    func preempt(_ id: UInt64) {
        let tell = state.withLock { $0.slices[id] }
        tell?(.yieldRequested(.preempt))
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
