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
    private let connection: Connection
    private let current = Mutex<[ObjectIdentifier: Tenure]>([:])

    init(connection: Connection) { self.connection = connection }

    func begin(epoch: UInt64) -> Tenure {
        let tenure = Tenure(connection: connection, epoch: epoch)
        current.withLock { $0[ObjectIdentifier(tenure)] = tenure }
        return tenure
    }

    func end(_ tenure: Tenure) {
        _ = current.withLock { $0.removeValue(forKey: ObjectIdentifier(tenure)) }
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

    private func end(where isOver: (Tenure) -> Bool) {
        for tenure in current.withLock({ Array($0.values) }) where isOver(tenure) { end(tenure) }
    }
}
