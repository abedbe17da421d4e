import RabbitMQ
import Synchronization
import Uploads

/// Puts deliveries that no slice began back in the order of delivery, behind deliveries of lanes that go first.
/// Deliveries are settled concurrently; without this, jobs would change places whenever a queue is stopped or a worker
/// leaves.
final class HandBack: Sendable {
    struct Ticket: Hashable, Comparable, Sendable {
        fileprivate let lane: Lane
        fileprivate let number: UInt64

        static func < (left: Self, right: Self) -> Bool { (left.lane, left.number) < (right.lane, right.number) }
    }

    private struct State {
        var last: UInt64 = 0
        /// Tickets that are not settled yet, and whether each is being handed back.
        var open: [Ticket: Bool] = [:]
        var changed = Signal()
    }

    private let state = Mutex(State())

    /// Call it in the order of delivery; finish each ticket.
    func take(in lane: Lane) -> Ticket {
        state.withLock { state in
            state.last += 1
            let ticket = Ticket(lane: lane, number: state.last)
            state.open[ticket] = false
            return ticket
        }
    }

    /// Notes that the delivery is settled.
    func finish(_ ticket: Ticket) { change { $0.open[ticket] = nil } }

    /// Waits until all deliveries that came before, or by a lane that goes first, are settled.
    /// - Parameter patience: how long to wait for deliveries that may still be running; a delivery that is being handed
    ///   back is awaited without a limit.
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
