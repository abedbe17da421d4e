import Synchronization

/// One at a time, or so many, in the order of asking, across suspensions.
final class AsyncLock: Sendable {
    private struct State {
        var free: Int
        var waiters: [CheckedContinuation<Void, Never>] = []
    }

    private let state: Mutex<State>

    /// - Parameter places: how many may hold it at once.
    init(places: Int = 1) { state = Mutex(State(free: places)) }

    func acquire() async {
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

    func release() {
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
