import Metrics
import Synchronization
import UploadsRabbitMQ

/// The broker that a program is connected to at the moment, for its metric.
final class BrokerConnection: Sendable {
    private let current = Mutex<UploadBroker?>(nil)

    /// - Parameter broker: nil when the program closes its connection.
    func set(_ broker: UploadBroker?) { current.withLock { $0 = broker } }

    var isUp: Bool { current.withLock { $0 }?.isConnected ?? false }

    /// Updates the gauge. Call it before the metrics are read.
    func show() { Meter(label: "upload_broker_connected").set(isUp ? 1 : 0) }
}
