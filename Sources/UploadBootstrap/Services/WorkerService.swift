import Logging
import ServiceLifecycle
import UploadClient
import UploadWorkers
import Uploads
import UploadsRabbitMQ

/// Runs the upload engine on its broker: connects, works, closes.
struct WorkerService: Service {
    let connector: BrokerConnector
    let queue: JobQueueConfiguration
    let destinations: DestinationRegistry
    let sources: any SourceProvider
    let configuration: WorkerConfiguration
    /// The path of the directory with this host's outbox, whose jobs the worker also publishes.
    let spool: String
    let readiness: Readiness
    let logger: Logger

    /// A broker that takes no messages does not answer a request to close the connection either.
    private static let closingLimit = Duration.seconds(4)

    func run() async throws {
        let connected = try await untilGracefulShutdown {
            try await connector.connect { broker throws(UploadError) in try await broker.jobQueue(queue) }
        }
        guard let (broker, jobs) = connected else { return }
        readiness.set {
            if let obstacle = await broker.obstacle(within: Readiness.patience) { return obstacle }
            return jobs.isReady ? nil : "not consuming yet"
        }
        let worker = UploadWorker(
            queue: jobs, destinations: destinations, sources: sources, configuration: configuration, logger: logger,
            reporter: broker)
        let outbox = OutboxPublisher(spool: spool, broker: broker, logger: logger)
        do {
            try await outbox.publishing { try await worker.run() }
        } catch {
            connector.connected.set(nil)
            await broker.close(within: Self.closingLimit)
            throw error
        }
        connector.connected.set(nil)
        readiness.set("stopped")
        await broker.close(within: Self.closingLimit)
    }
}
