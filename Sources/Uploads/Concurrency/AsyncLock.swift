import Synchronization

/// Admits one caller at a time, or a fixed number of callers, in the order of their arrival. The holder may suspend. An actor would
/// not do: it lets other callers in at every `await`.
package final class AsyncLock: Sendable {
    private struct State {
        var free: Int
        var waiters: [CheckedContinuation<Void, Never>] = []
    }

    private let state: Mutex<State>

    /// - Parameter places: how many callers may hold the lock at once.
    package init(places: Int = 1) { state = Mutex(State(free: places)) }

    /// Runs the body when a place is free. Cancelling the calling task does not end the wait.
    package func withLock<Value, Failure: Error>(
        _ body: () async throws(Failure) -> Value
    ) async throws(Failure) -> Value {
        await acquire()
        defer { release() }
        return try await body()
    }

    private func acquire() async {
        await withCheckedContinuation { waiter in
            let isFree = state.withLock { state in
                if state.free > 0 {
                    state.free -= 1
                    return true
                }
                state.waiters.append(waiter)
                return false
            }
            if isFree { waiter.resume() }
        }
    }

    private func release() {
        let next = state.withLock { state -> CheckedContinuation<Void, Never>? in
            guard !state.waiters.isEmpty else {
                state.free += 1
                return nil
            }
            return state.waiters.removeFirst()
        }
        next?.resume()
    }
}
