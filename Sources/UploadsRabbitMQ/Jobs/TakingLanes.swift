import RabbitMQ
import Synchronization
import Uploads

/// The lanes of a transfer queue whose consumers take every delivery.
final class TakingLanes: Sendable {
    private struct State {
        var lanes: Set<Lane> = []
        var changed = Signal()
    }

    private let state = Mutex(State())

    var isEmpty: Bool { state.withLock { $0.lanes.isEmpty } }

    func begin(_ lane: Lane) { state.withLock { _ = $0.lanes.insert(lane) } }

    func end(_ lane: Lane) {
        let changed = state.withLock { state in
            state.lanes.remove(lane)
            defer { state.changed = Signal() }
            return state.changed
        }
        changed.fire()
    }

    /// Waits until no lane takes deliveries any more, or for the time to pass.
    func waitForNone(atMost patience: Duration) async {
        let end = ContinuousClock.now + patience
        while true {
            let (isAny, changed) = state.withLock { (!$0.lanes.isEmpty, $0.changed) }
            let rest = end - .now
            guard isAny, rest > .zero else { return }
            await changed.wait(atMost: rest)
        }
    }
}
