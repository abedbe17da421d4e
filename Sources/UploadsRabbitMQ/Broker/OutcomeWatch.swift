import Foundation
import Logging
import RabbitMQ
import Synchronization
public import Uploads

/// Outcomes and progress of a transfer queue's jobs, as they come: a worker's `completed`, the notifier's outcomes, and
/// `progress`. One outcome may come more than once; recognize a repeat by the job's id.
///
/// Begin to watch before submitting, or an outcome may be published before the watch exists. Iterate once, from one
/// task. Goes on across reconnects; ends after ``close()``.
public final class OutcomeWatch: AsyncSequence, Sendable {
    public typealias Element = UploadEvent
    public typealias Failure = UploadError

    private static let prefetch: UInt16 = 100

    private let connection: Connection
    private let topology: Topology
    private let channel: Channel
    private let feed = WatchFeed()
    private let tasks = Mutex<[Task<Void, Never>]>([])

    init(
        _ names: UploadTopology, queue: QueueName, steps: Bool = false, pauses: Bool = false,
        connection: Connection, logger: Logger
    ) async throws(RabbitMQError) {
        let id = UUID()
        self.connection = connection
        self.topology = names.watch(id, of: queue, steps: steps, pauses: pauses)
        let consumers: [Consumer]
        do throws(RabbitMQError) {
            do throws(RabbitMQError) {
                try await connection.define(topology)
            } catch {
                // No program has worked in this namespace yet.
                guard error.code == .notFound else { throw error }
                try await connection.define(names.telling + topology)
            }
            // After a broker has lost everything, the exchanges must exist before the bindings to them.
            try await connection.remember(names.telling)
            let outcomes = try await connection.consume(names.watchQueue(id), prefetch: Self.prefetch)
            let progress = try await outcomes.channel.consume(names.watchProgressQueue(id), prefetch: Self.prefetch)
            consumers = [outcomes, progress]
        } catch {
            // The bindings go with the queues.
            _ = try? await connection.delete(Topology(queues: topology.queues))
            throw error
        }
        channel = consumers[0].channel
        tasks.withLock { tasks in
            tasks = consumers.map { consumer in Task { [feed] in await feed.read(consumer) } }
            tasks.append(Task { [feed] in await feed.measureAbsence(of: connection) })
        }
    }

    deinit { for task in tasks.withLock({ $0 }) { task.cancel() } }

    public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(watch: self, feed: feed) }

    /// Stops listening and deletes the watch's queues.
    public func close() async {
        feed.finish()
        for task in tasks.withLock({ $0 }) { task.cancel() }
        await channel.close()
        // If this fails, the broker deletes the queues after an hour without a consumer.
        _ = try? await connection.delete(topology)
    }

    /// The same with a time limit: a request that a lost broker does not answer ends only with the connection.
    public func close(within limit: Duration) async {
        let closed = Signal()
        Task {
            await close()
            closed.fire()
        }
        await closed.wait(atMost: limit)
    }

    public struct AsyncIterator: AsyncIteratorProtocol {
        /// Kept alive, because its end stops the reading.
        private let watch: OutcomeWatch
        private let feed: WatchFeed
        private var items: AsyncStream<WatchFeed.Item>.AsyncIterator

        init(watch: OutcomeWatch, feed: WatchFeed) {
            self.watch = watch
            self.feed = feed
            self.items = feed.items.makeAsyncIterator()
        }

        /// - Throws: `networkFailure` when outcomes may have been missed: the watch's queue was deleted, or the broker
        ///   was away for longer than it keeps the queue.
        public mutating func next(
            isolation actor: isolated (any Actor)? = #isolation
        ) async throws(UploadError) -> UploadEvent? {
            guard let item = await items.next(isolation: actor) else {
                if let failure = feed.failure { throw failure }
                return nil
            }
            if let delivery = item.delivery { item.consumer.acknowledge(delivery) }
            return item.event
        }
    }
}
