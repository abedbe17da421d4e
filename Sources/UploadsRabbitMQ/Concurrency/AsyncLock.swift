import Synchronization

/// One at a time, in the order of asking, across suspensions.
final class AsyncLock: Sendable {
    private struct State {
        var isHeld = false
        var waiters: [CheckedContinuation<Void, Never>] = []
    }

    private let state = Mutex(State())

    func acquire() async {
        await withCheckedContinuation { waiter in
            let isFree = state.withLock { state in
                if !state.isHeld {
                    state.isHeld = true
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
                state.isHeld = false
                return nil
            }
            return state.waiters.removeFirst()
        }
        next?.resume()
    }
}
