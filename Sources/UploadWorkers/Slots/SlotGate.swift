import Synchronization
import Uploads

/// Lets deliveries into the worker's slots as ``SlotPolicy`` decides.
final class SlotGate: Sendable {
    enum Admission: Hashable, Sendable {
        case granted
        /// Held up too long: back to the ladder.
        case limited
        /// The worker is on its way out.
        case draining
    }

    private struct State: Sendable {
        var policy: SlotPolicy
        var waiters: [UInt64: CheckedContinuation<Admission, Never>] = [:]
        /// Decided before the waiter had arrived.
        var early: [UInt64: Admission] = [:]
    }

    private let state: Mutex<State>
    private let clock: any Clock<Duration>
    private let limitPatience: Duration
    private let slotPatience: Duration
    /// Of a job that runs alone: it empties the worker, and must not leave before the slowest step has ended.
    private let lonePatience: Duration
    private let preempt: @Sendable (UInt64) -> Void

    init(
        concurrency: Int, limitPatience: Duration, slotPatience: Duration, lonePatience: Duration,
        clock: any Clock<Duration>,
        preempt: @escaping @Sendable (UInt64) -> Void
    ) {
        self.state = Mutex(State(policy: SlotPolicy(concurrency: concurrency)))
        self.limitPatience = limitPatience
        self.slotPatience = slotPatience
        self.lonePatience = lonePatience
        self.clock = clock
        self.preempt = preempt
    }

    /// Gets in line for a slot; whoever does must come for the answer.
    func request(_ request: SlotRequest) { apply { $0.policy.request(request) } }

    /// Waits for the slot that was requested, but not for long. What was granted must be released.
    func admission(for request: SlotRequest) async -> Admission {
        let id = request.id
        if let decided = state.withLock({ $0.early.removeValue(forKey: id) }) { return decided }
        return await withTaskGroup(of: Void.self, returning: Admission.self) { group in
            group.addTask { await self.losePatience(with: request) }
            let admission = await withTaskCancellationHandler {
                await withCheckedContinuation { continuation in
                    let decided = state.withLock { state -> Admission? in
                        if let decided = state.early.removeValue(forKey: id) { return decided }
                        state.waiters[id] = continuation
                        return nil
                    }
                    if let decided { continuation.resume(returning: decided) }
                }
            } onCancel: {
                withdraw(id, as: .draining)
            }
            group.cancelAll()
            return admission
        }
    }

    func release(_ id: UInt64) { apply { $0.policy.release(id) } }

    /// Refuses whoever waits, and whoever comes.
    func drain() { apply { $0.policy.drain() } }

    private func losePatience(with request: SlotRequest) async {
        let patience = request.runsAlone ? lonePatience : slotPatience
        var waited = Duration.zero
        while waited < patience {
            let nap = min(limitPatience, patience - waited)
            guard (try? await clock.sleep(for: nap)) != nil else { return }
            waited += nap
            if state.withLock({ $0.policy.isHeldByLimit(request.id) }) { break }
        }
        withdraw(request.id, as: .limited)
    }

    private func withdraw(_ id: UInt64, as admission: Admission) {
        let (continuation, decisions) = state.withLock { state in
            let (wasWaiting, decisions) = state.policy.withdraw(id)
            guard wasWaiting else { return (CheckedContinuation<Admission, Never>?.none, decisions) }
            if let waiter = state.waiters.removeValue(forKey: id) { return (waiter, decisions) }
            state.early[id] = admission
            return (nil, decisions)
        }
        continuation?.resume(returning: admission)
        apply { _ in decisions }
    }

    private func apply(_ decide: (inout State) -> [SlotPolicy.Decision]) {
        var admitted: [(CheckedContinuation<Admission, Never>, Admission)] = []
        var preempted: [UInt64] = []
        state.withLock { state in
            for decision in decide(&state) {
                switch decision {
                case .granted(let id): admit(id, .granted, &state, &admitted)
                case .refused(let id): admit(id, .draining, &state, &admitted)
                case .preempt(let id): preempted.append(id)
                }
            }
        }
        for (continuation, admission) in admitted { continuation.resume(returning: admission) }
        for id in preempted { preempt(id) }
    }

    private func admit(
        _ id: UInt64, _ admission: Admission, _ state: inout State,
        _ admitted: inout [(CheckedContinuation<Admission, Never>, Admission)]
    ) {
        if let waiter = state.waiters.removeValue(forKey: id) {
            admitted.append((waiter, admission))
        } else {
            state.early[id] = admission
        }
    }
}
