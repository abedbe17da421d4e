import Synchronization
import Uploads

/// The result of one load for all tasks that wait for it. A cancelled task stops waiting; the load continues for the others.
final class SharedLoad<Value: Sendable>: Sendable {
    enum Outcome: Sendable {
        case loaded(Value)
        case failed(UploadError)
        /// The loaded value was rejected in the meantime.
        case outdated
    }

    private struct State: Sendable {
        var outcome: Outcome?
        var nextID: UInt64 = 0
        var waiters: [UInt64: CheckedContinuation<Outcome?, Never>] = [:]
        /// Tasks that were cancelled before they began to wait.
        var cancelled: Set<UInt64> = []
    }

    private let state = Mutex(State())

    /// The number of tasks that wait at this moment.
    var waiterCount: Int { state.withLock { $0.waiters.count } }

    func finish(_ outcome: Outcome) {
        let waiters = state.withLock { state in
            state.outcome = outcome
            defer { state.waiters = [:] }
            return Array(state.waiters.values)
        }
        for waiter in waiters { waiter.resume(returning: outcome) }
    }

    /// - Returns: nil when the waiting task is cancelled.
    func wait() async -> Outcome? {
        let id = state.withLock { state in
            state.nextID += 1
            return state.nextID
        }
        let outcome = await withTaskCancellationHandler {
            await withCheckedContinuation { (continuation: CheckedContinuation<Outcome?, Never>) in
                let decided: Outcome?? = state.withLock { state in
                    if let outcome = state.outcome { return .some(outcome) }
                    if state.cancelled.contains(id) { return .some(nil) }
                    state.waiters[id] = continuation
                    return nil
                }
                if let decided { continuation.resume(returning: decided) }
            }
        } onCancel: {
            let waiter = state.withLock { state in
                state.cancelled.insert(id)
                return state.waiters.removeValue(forKey: id)
            }
            waiter?.resume(returning: nil)
        }
        state.withLock { _ = $0.cancelled.remove(id) }
        return outcome
    }
}
