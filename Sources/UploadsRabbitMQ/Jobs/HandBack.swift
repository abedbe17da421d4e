import RabbitMQ
import Synchronization
import Uploads

/// Puts what a transfer queue delivered and nobody began back in the order of its delivery, behind what comes from a lane
/// that goes first. Deliveries are settled side by side; without this, jobs would change places whenever a queue is stopped
/// or a worker leaves.
final class HandBack: Sendable {
    struct Ticket: Hashable, Comparable, Sendable {
        fileprivate let lane: Lane
        fileprivate let number: UInt64

        static func < (left: Self, right: Self) -> Bool { (left.lane, left.number) < (right.lane, right.number) }
    }

    private struct State {
        var last: UInt64 = 0
        /// Not settled yet, and whether it is being handed back.
        var open: [Ticket: Bool] = [:]
        var changed = Signal()
    }

    private let state = Mutex(State())

    /// To be called in the order of delivery; each ticket has to be given back.
    func take(in lane: Lane) -> Ticket {
        state.withLock { state in
            state.last += 1
            let ticket = Ticket(lane: lane, number: state.last)
            state.open[ticket] = false
            return ticket
        }
    }

    /// It is settled.
    func finish(_ ticket: Ticket) { change { $0.open[ticket] = nil } }

    /// Waits until everything that was delivered before, or by a lane that goes first, is settled.
    /// - Parameter patience: how long to wait for what may still be running; what is being handed back itself goes first
    ///   however long that takes.
    func waitForTurn(of ticket: Ticket, patience: Duration) async {
        change { $0.open[ticket] = true }
        let end = ContinuousClock.now + patience
        while true {
            let (isHandingBack, isOpen, changed) = state.withLock { state in
                let earlier = state.open.filter { $0.key < ticket }
                return (earlier.values.contains(true), !earlier.isEmpty, state.changed)
            }
            guard isOpen else { return }
            let rest = end - .now
            if rest > .zero {
                await changed.wait(atMost: rest)
            } else if isHandingBack {
                await changed.wait()
            } else {
                return
            }
        }
    }

    private func change(_ body: (inout State) -> Void) {
        let changed = state.withLock { state in
            body(&state)
            defer { state.changed = Signal() }
            return state.changed
        }
        changed.fire()
    }
}
