import Logging
import RabbitMQ
import ServiceLifecycle
import Uploads
import UploadsRabbitMQ

/// Waits for the broker: a program that runs for long does not end because the broker is not there yet.
struct BrokerConnector: Sendable {
    /// Between two tries, doubled from the first to the last.
    static let pauses = Duration.seconds(1)...Duration.seconds(15)

    /// Between two warnings of the same trouble.
    private static let warningInterval = Duration.seconds(60)

    let connection: ConnectionConfiguration
    let namespace: String
    let readiness: Readiness
    let logger: Logger

    /// The broker, and what `prepare` makes with it. Tries until it is there.
    /// - Throws: what waiting does not mend (a refused login, a bad URL, missing permissions); `CancellationError` when the
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
                    connection, namespace: namespace, reads: true, logger: logger)
                do {
                    let value = try await prepare(broker)
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
