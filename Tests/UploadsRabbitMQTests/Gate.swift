import Synchronization

/// Lets only a few tests run at a time: every namespace has thirty quorum queues, and a node that elects the leaders of
/// hundreds at once fails.
final class Gate: Sendable {
    static let shared = Gate(4)

    private struct State {
        var free: Int
        var waiters: [CheckedContinuation<Void, Never>] = []
    }

    private let state: Mutex<State>

    init(_ count: Int) { state = Mutex(State(free: count)) }

    func enter() async {
        await withCheckedContinuation { waiter in
            let isFree = state.withLock { state in
                if state.free == 0 {
                    state.waiters.append(waiter)
                    return false
                }
                state.free -= 1
                return true
            }
            if isFree { waiter.resume() }
        }
    }

    func leave() {
        let next = state.withLock { state -> CheckedContinuation<Void, Never>? in
            if state.waiters.isEmpty {
                state.free += 1
                return nil
            }
            return state.waiters.removeFirst()
        }
        next?.resume()
    }
}
