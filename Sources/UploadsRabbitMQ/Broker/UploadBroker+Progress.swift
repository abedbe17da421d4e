import Foundation
import Logging
import RabbitMQ
public import Uploads

/// Uses a connection of its own, so that neither a flood of progress nor trouble with its queue disturbs the recording
/// of events.
extension UploadBroker: ProgressFeed {
    private static let progressPrefetch: UInt16 = 250
    /// The pause between two batches: at more than 2,500 messages a second, the oldest drop out of the queue.
    private static let progressPause = Duration.milliseconds(100)
    private static let progressRetryPause = Duration.seconds(5)

    public func follow(_ take: @escaping @Sendable (WorkerNews) -> Void) async {
        while !Task.isCancelled {
            do throws(RabbitMQError) {
                try await followOnce(take)
            } catch {
                logger.debug("progress is not heard", metadata: ["error": .string(error.message)])
            }
            try? await Task.sleep(for: Self.progressRetryPause)
        }
    }

    /// Follows until its connection is lost, its queue is gone or the task is cancelled.
    private func followOnce(_ take: @Sendable (WorkerNews) -> Void) async throws(RabbitMQError) {
        var configuration = configuration
        configuration.name += ".progress"
        let connection = try await Connection.open(configuration, logger: logger)
        let result: Result<Void, RabbitMQError>
        do throws(RabbitMQError) {
            // A new name for each connection: the broker may keep the queue of a connection that it does not know to be
            // dead, and RabbitMQ may lose a binding of a queue that is declared again while the old one is deleted.
            let id = UUID()
            try await connection.define(topology.progressFeed(id))
            let consumer = try await connection.consume(
                topology.progressFeedQueue(id), prefetch: Self.progressPrefetch, exclusive: true)
            let closesAtLoss = Task {
                for await state in connection.states() {
                    if case .disconnected = state { await connection.close() }
                }
            }
            defer { closesAtLoss.cancel() }
            try await read(consumer, take)
            result = .success(())
        } catch {
            result = .failure(error)
        }
        await connection.close()
        try result.get()
    }

    private func read(
        _ consumer: Consumer, _ take: @Sendable (WorkerNews) -> Void
    ) async throws(RabbitMQError) {
        var batches = consumer.makeAsyncIterator()
        while let batch = try await batches.next() {
            // A message id is the id of the job, or names the worker and the destination: only the latest message of each is decoded.
            var latest: [String: Message] = [:]
            for delivery in batch {
                if let id = delivery.message.messageID { latest[id] = delivery.message }
                consumer.acknowledge(delivery)
            }
            var news = WorkerNews()
            for message in latest.values {
                switch WireFormat.read(message) {
                case .event(let event) where event.kind == .progress: news.progress.append(event)
                case .destination(let report): news.destinations.append(report)
                case .worker(let report): news.workers.append(report)
                // Other messages, or messages of a later version.
                default: break
                }
            }
            take(news)
            guard (try? await Task.sleep(for: Self.progressPause)) != nil else { return }
        }
    }
}
