import Foundation
import Synchronization
import Uploads

/// The running slices, and the way on which facts (preemption, drain, cut) reach them.
///
/// A slice is known by its number from the moment at which its delivery asks for a slot. A fact that arrives before the slice runs is
/// kept until then: the slot policy may grant a slot and ask for it back before the slice's task has begun.
final class RunningSlices: Sendable {
    private struct Slice: Sendable {
        var job: WorkerReport.RunningJob
        var tell: @Sendable (SliceFact) -> Void
    }

    private struct State: Sendable {
        /// The facts for slices that do not run yet.
        var early: [UInt64: [SliceFact]] = [:]
        var slices: [UInt64: Slice] = [:]
        /// The facts for every slice that begins from now on.
        var standingOrders: [SliceFact] = []
    }

    private let state = Mutex(State())

    var count: Int { state.withLock { $0.slices.count } }

    /// To be called before a delivery asks for a slot. Each expected slice has to be removed.
    func expect(_ id: UInt64) { state.withLock { $0.early[id] = [] } }

    /// The jobs of the slices that began first.
    func jobs(atMost count: Int) -> [WorkerReport.RunningJob] {
        let slices = state.withLock { $0.slices }
        return slices.values.map(\.job).sorted { ($0.since, $0.id.rawValue) < ($1.since, $1.id.rawValue) }
            .prefix(count).map(\.self)
    }

    func add(_ id: UInt64, of job: JobID, at now: Date, _ tell: @escaping @Sendable (SliceFact) -> Void) {
        let slice = Slice(job: WorkerReport.RunningJob(id: job, since: now), tell: tell)
        let facts = state.withLock { state in
            state.slices[id] = slice
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
            if let slice = state.slices[id] { return slice.tell }
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
        for slice in slices { slice.tell(fact) }
    }
}
