import Logging
import RabbitMQ
import ServiceLifecycle
import Uploads
import UploadsRabbitMQ

/// Connects to the broker and waits until it is reachable, so that a long-running program may start before its broker.
struct BrokerConnector: Sendable {
    /// The pause between two tries: the shortest at first, then doubled up to the longest.
    static let pauses = Duration.seconds(1)...Duration.seconds(15)

    /// The least time between two warnings with the same message.
    private static let warningInterval = Duration.seconds(60)

    let connection: ConnectionConfiguration
    let namespace: String
    let shards: Shards
    let readiness: Readiness
    /// Shows the connection from when it is up until its broker is closed.
    let connected: BrokerConnection
    let logger: Logger

    /// Tries until the broker is connected and `prepare` succeeds.
    /// - Returns: the broker, and the value that `prepare` made with it.
    /// - Throws: errors that waiting does not cure (a refused login, a bad URL, missing permissions); `CancellationError` when the
    ///   program stops first.
    func connect<Value: Sendable>(
        _ prepare: @Sendable (UploadBroker) async throws(UploadError) -> Value
    ) async throws -> (UploadBroker, Value) {
        var pause = Self.pauses.lowerBound
        var warned: (message: String, at: ContinuousClock.Instant)?
        while true {
            do {
                readiness.set("connecting to the broker")
                let broker = try await UploadBroker.connect(
                    connection, namespace: namespace, shards: shards, reads: true, logger: logger)
                do {
                    let value = try await prepare(broker)
                    connected.set(broker)
                    logger.info("connected to the broker", metadata: ["broker": "\(connection)"])
                    return (broker, value)
                } catch {
                    await broker.close()
                    throw error
                }
            } catch let error as UploadError where error.retry != .never && error.code != .interrupted {
                readiness.set("no broker: \(error.message)")
                let isDue = warned.map { $0.message != error.message || .now - $0.at >= Self.warningInterval } ?? true
                if isDue { warned = (error.message, .now) }
                logger.log(
                    level: isDue ? .warning : .debug, "no broker yet, trying again",
                    metadata: [
                        "broker": "\(connection)", "error": "\(error.message)",
                        "pauseSeconds": "\(pause.components.seconds)",
                    ])
                try await Task.sleep(for: pause)
                pause = min(pause * 2, Self.pauses.upperBound)
            }
        }
    }
}
