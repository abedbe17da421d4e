import Logging
import RabbitMQ
import Synchronization
public import Uploads

/// Takes outcomes out of the durable queue of a delegate, one at a time.
///
/// It fetches them, so that "all outcomes in the queue now" is well defined: pushed messages may be on their way while
/// the queue looks empty.
public final class DelegateInbox: Sendable {
    /// The result of one pass over the queue.
    public struct Pass: Hashable, Sendable {
        /// How many outcomes were taken.
        public var taken = 0
        /// Whether one was refused; it is in the queue again, and so are all outcomes behind it.
        public var isRefused = false

        public init() {}
    }

    private let name: String
    private let names: UploadTopology
    private let connection: Connection
    private let logger: Logger
    private let open = Mutex<Channel?>(nil)

    init(_ name: String, names: UploadTopology, connection: Connection, logger: Logger) {
        self.name = name
        self.names = names
        self.connection = connection
        self.logger = logger
    }

    /// Takes as many outcomes as the queue holds now. One pass at a time.
    /// - Parameter take: returns true when the outcome is durably recorded, and only then is it acknowledged; false
    ///   puts it back.
    /// - Throws: `networkFailure` and other errors of the broker; outcomes that were not acknowledged come again.
    public func pass(_ take: (UploadEvent) async -> Bool) async throws(UploadError) -> Pass {
        let queue = names.delegateQueue(name)
        var pass = Pass()
        do throws(RabbitMQError) {
            let channel = try await channel()
            for _ in 0..<(try await channel.messageCount(of: queue)) {
                guard !Task.isCancelled, let delivery = try await channel.get(queue) else { break }
                guard case .event(let event) = WireFormat.read(delivery.message) else {
                    logger.error(
                        "a message in the queue is not an outcome, and is dropped", metadata: ["queue": "\(queue)"])
                    channel.acknowledge(delivery)
                    continue
                }
                guard await take(event) else {
                    channel.reject(delivery, requeue: true)
                    pass.isRefused = true
                    break
                }
                channel.acknowledge(delivery)
                pass.taken += 1
            }
            return pass
        } catch {
            await close()
            throw UploadError(error, doing: "outcomes could not be taken from '\(queue)'")
        }
    }

    /// Closes the channel, which sends the acknowledgements.
    public func close() async {
        let channel = open.withLock { channel in
            defer { channel = nil }
            return channel
        }
        await channel?.close()
    }

    private func channel() async throws(RabbitMQError) -> Channel {
        if let channel = open.withLock({ $0 }) { return channel }
        // The earlier channel may have been lost together with the queue.
        do throws(RabbitMQError) {
            try await connection.declareAgain(names.delegate(name))
        } catch {
            // If this user may not declare, an administrator has done it.
            guard error.code == .accessRefused else { throw error }
            try await connection.check(queues: [names.delegateQueue(name)])
        }
        let channel = try await connection.openChannel()
        open.withLock { $0 = channel }
        return channel
    }
}

extension UploadBroker {
    /// Opens the durable queue of a delegate; declares it if it is missing.
    public func inbox(of delegate: String) async throws(UploadError) -> DelegateInbox {
        DelegateInbox(delegate, names: topology, connection: try await consumingConnection(), logger: logger)
    }
}
