import RabbitMQ
import Synchronization

/// The time during which deliveries can be settled: one consumer in one epoch of its connection.
final class Tenure: Sendable {
    private let connection: Connection
    let epoch: UInt64
    /// Fires when the connection or the channel that delivered is gone.
    let lost = Signal()

    init(connection: Connection, epoch: UInt64) {
        self.connection = connection
        self.epoch = epoch
    }

    /// Checks the epoch, too: the connection knows of its loss before the signal fires.
    var holds: Bool { !lost.isFired && connection.epoch == epoch }
}

/// The present tenures; the connection's state changes end them.
final class Tenures: Sendable {
    private struct State {
        var current: [ObjectIdentifier: Tenure] = [:]
        var isOver = false
    }

    private let connection: Connection
    private let state = Mutex(State())

    init(connection: Connection) { self.connection = connection }

    func begin(epoch: UInt64) -> Tenure {
        let tenure = Tenure(connection: connection, epoch: epoch)
        let isOver = state.withLock { state in
            state.current[ObjectIdentifier(tenure)] = tenure
            return state.isOver
        }
        if isOver { end(tenure) }
        return tenure
    }

    func end(_ tenure: Tenure) {
        _ = state.withLock { $0.current.removeValue(forKey: ObjectIdentifier(tenure)) }
        tenure.lost.fire()
    }

    /// Ends tenures at each state change, until the connection is closed or the task cancelled.
    func watch() async {
        for await state in connection.states() {
            switch state {
            case .connected(let epoch): end { $0.epoch < epoch }
            case .disconnected, .closed: end { [connection] in $0.epoch != connection.epoch }
            case .blocked, .unblocked: break
            }
        }
    }

    /// Ends all tenures, those that begin later included: the broker delivers again what is not settled by now.
    func endAll() {
        state.withLock { $0.isOver = true }
        end { _ in true }
    }

    private func end(where isOver: (Tenure) -> Bool) {
        for tenure in state.withLock({ Array($0.current.values) }) where isOver(tenure) { end(tenure) }
    }
}
