import Foundation
public import Logging
public import RabbitMQ
import Synchronization
public import Uploads

/// One process's connections to the broker: one to publish and, if the process reads, a second one to consume. So the
/// broker still gets acknowledgements while it takes no messages.
public final class UploadBroker: Sendable {
    /// The names and arguments of everything on the broker.
    public let topology: UploadTopology

    let configuration: ConnectionConfiguration
    let publisher: Publisher
    let logger: Logger
    private let consuming: Mutex<Connection?>
    private let opening = AsyncLock()
    private let closed = Mutex(false)

    private init(
        _ configuration: ConnectionConfiguration, topology: UploadTopology, publisher: Publisher,
        consuming: Connection?, logger: Logger
    ) {
        self.consuming = Mutex(consuming)
        self.configuration = configuration
        self.topology = topology
        self.publisher = publisher
        self.logger = logger
    }

    /// Connects to publish. Nothing is declared yet: each method declares the objects that it needs.
    ///
    /// - Parameter reads: opens the connection to consume together with the one to publish, and not at its first use.
    /// - Throws: `misconfigured` for a bad namespace, URL or TLS trouble, `wrongCredentials` when the login is refused,
    ///   `networkFailure` when no broker answers.
    public static func connect(
        _ configuration: ConnectionConfiguration, namespace: String, shards: Shards = .one, reads: Bool = false,
        logger: Logger
    ) async throws(UploadError) -> UploadBroker {
        let topology = try UploadTopology(namespace: namespace, shards: shards)
        async let consuming = reads ? open(configuration.toConsume, logger) : nil
        do throws(RabbitMQError) {
            let connection = try await Connection.open(configuration, logger: logger)
            let publisher = try await Publisher(connection: connection, logger: logger)
            return UploadBroker(
                configuration, topology: topology, publisher: publisher, consuming: try await consuming?.get(),
                logger: logger)
        } catch {
            throw UploadError(error, doing: "no connection to the broker")
        }
    }

    private static func open(
        _ configuration: ConnectionConfiguration, _ logger: Logger
    ) async -> Result<Connection, RabbitMQError> {
        do throws(RabbitMQError) {
            return .success(try await Connection.open(configuration, logger: logger))
        } catch {
            return .failure(error)
        }
    }

    /// Checks that a transfer queue exists; if not, declares its lanes and their bindings, so that a mistyped name
    /// cannot swallow a job.
    public func submitter(for queue: QueueName) async throws(UploadError) -> UploadSubmitter {
        let submitter = UploadSubmitter(queue: queue, topology: topology, publisher: publisher)
        do throws(RabbitMQError) {
            // If the first shard's queue exists, the exchanges exist, too.
            try await ensure(
                [topology.notifier(0)] + Lane.allCases.map { topology.laneQueue(queue, $0) }, of: submitter.needed,
                least: submitter.lanes)
        } catch {
            throw UploadError(error, doing: "the lanes of '\(queue)' could not be declared")
        }
        return submitter
    }

    /// Declares objects unless these queues of them exist, which takes one round trip to check. Queues that another
    /// version declared with other arguments count as existing.
    /// - Parameter least: objects that are enough where the others exist, which another program may have declared for another number of
    ///   shards.
    func ensure(
        _ queues: [String], of objects: Topology, least: Topology? = nil
    ) async throws(RabbitMQError) {
        let connection = publisher.connection
        do throws(RabbitMQError) {
            try await connection.check(queues: queues)
            return
        } catch {
            guard error.code == .notFound else { throw error }
        }
        do throws(RabbitMQError) {
            try await connection.declareAgain(objects, least: least)
        } catch {
            guard error.code == .accessRefused else { throw error }
            try await expect(objects, connection)
        }
    }

    /// The source of jobs for a worker. Declares all objects that it needs; consuming begins with `consume`.
    public func jobQueue(_ configuration: JobQueueConfiguration) async throws(UploadError) -> RabbitMQJobQueue {
        let connection = try await declared(
            configuration.queues.reduce(topology.shared) { $0 + topology.lanes(of: $1) })
        return RabbitMQJobQueue(
            configuration, topology: topology, consuming: connection, publisher: publisher, logger: logger)
    }

    /// The notifier's side of the broker. Declares all objects that it needs; consuming begins with `consume`.
    public func notifierBus() async throws(UploadError) -> RabbitMQNotifierBus {
        let connection = try await declared(topology.shared)
        return RabbitMQNotifierBus(
            topology: topology, consuming: connection, publisher: publisher, logger: logger,
            ask: { [self] order, limit throws(UploadError) in try await self.order(order, patience: limit) })
    }

    /// Watches outcomes and progress of a transfer queue's jobs from now on: call it before submitting.
    /// - Parameters:
    ///   - steps: whether to report as well when a job is started, waits, is paused or handed over.
    ///   - pauses: whether to report as well why a job waits or is paused; in a flood the oldest reports are lost.
    public func watch(
        _ queue: QueueName, steps: Bool = false, pauses: Bool = false
    ) async throws(UploadError) -> OutcomeWatch {
        let connection = try await consumingConnection()
        do throws(RabbitMQError) {
            return try await OutcomeWatch(
                topology, queue: queue, steps: steps, pauses: pauses, connection: connection, logger: logger)
        } catch {
            throw UploadError(error, doing: "the outcomes of '\(queue)' cannot be watched")
        }
    }

    /// Yields an element when the connection that reads is up, and another one each time it is up again after a loss.
    /// By then all watches and consumers are restored, and events of the meantime may have been missed. Ends with the
    /// connection.
    public func returns() async throws(UploadError) -> AsyncStream<Void> {
        let states = try await consumingConnection().states()
        let (returns, input) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        let listening = Task {
            var last: UInt64?
            for await state in states {
                guard case .connected(let epoch) = state, epoch != last else { continue }
                last = epoch
                input.yield()
            }
            input.finish()
        }
        input.onTermination = { _ in listening.cancel() }
        return returns
    }

    /// Whether every connection that was opened is up.
    public var isConnected: Bool { lostConnection == nil }

    private var lostConnection: Connection? {
        if let reading = consuming.withLock({ $0 }), reading.epoch == 0 { return reading }
        return publisher.connection.epoch == 0 ? publisher.connection : nil
    }

    /// Why the broker takes no messages now, in a line; nil when it does. Checked with a message that it takes and
    /// drops.
    /// - Parameter patience: the time limit for the check.
    public func obstacle(within patience: Duration) async -> String? {
        if let lost = lostConnection {
            let why = lost.failure.map { ": \($0.message)" } ?? ""
            return "the connection to the broker is lost, reconnecting\(why)"
        }
        do throws(RabbitMQError) {
            try await publisher.probe(within: patience)
            return nil
        } catch {
            if [.accessRefused, .channelClosed].contains(error.code) {
                return "the broker's user may not publish to amq.default: \(error.message)"
            }
            return "the broker takes no messages: \(error.message)"
        }
    }

    /// Closes in order: first the connection that reads, so that its acknowledgements go out, then the one that
    /// publishes. Idempotent.
    /// - Parameter limit: the time after which the connection is cut. nil: as long as a broker that answers may take.
    public func close(within limit: Duration? = nil) async {
        let end = limit.map { ContinuousClock.now + $0 }
        closed.withLock { $0 = true }
        await opening.withLock {
            await consuming.withLock { $0 }?.close(within: limit)
            await publisher.connection.close(within: end.map { max(.zero, $0 - .now) })
        }
    }

    /// Declares the objects over one connection. Both declare them again after a reconnect, so that the first one back
    /// finds what it needs. If this user may not declare, an administrator must have done it.
    private func declared(_ objects: Topology) async throws(UploadError) -> Connection {
        let connection = try await consumingConnection()
        do throws(RabbitMQError) {
            do throws(RabbitMQError) {
                try await connection.define(objects)
            } catch {
                guard error.code == .accessRefused else { throw error }
                try await expect(objects, connection)
                return connection
            }
            try await publisher.connection.remember(objects)
        } catch {
            throw UploadError(error, doing: "the broker's objects could not be declared")
        }
        return connection
    }

    private func expect(_ objects: Topology, _ connection: Connection) async throws(RabbitMQError) {
        do throws(RabbitMQError) {
            try await connection.check(
                exchanges: objects.exchanges.map(\.name), queues: objects.queues.map(\.name))
        } catch {
            guard error.code == .notFound else { throw error }
            throw RabbitMQError(
                .accessRefused,
                "\(error.message), and this user may not declare it: have an administrator run 'uploadctl topology declare'",
                replyCode: error.replyCode, cause: error)
        }
        logger.info("the broker's objects were declared by an administrator: this user may not")
    }

    func consumingConnection() async throws(UploadError) -> Connection {
        try await opening.withLock { () async throws(UploadError) in
            if let connection = consuming.withLock({ $0 }) { return connection }
            guard !closed.withLock({ $0 }) else {
                throw UploadError(.interrupted, "the broker object is closed; connect again")
            }
            do throws(RabbitMQError) {
                let connection = try await Connection.open(configuration.toConsume, logger: logger)
                consuming.withLock { $0 = connection }
                return connection
            } catch {
                throw UploadError(error, doing: "no connection to the broker")
            }
        }
    }
}

extension Connection {
    /// Declares objects, or only the least of them where the others are declared for another number of shards.
    func declareAgain(_ objects: Topology, least: Topology?) async throws(RabbitMQError) {
        do throws(RabbitMQError) {
            try await declareAgain(objects)
        } catch {
            guard error.code == .preconditionFailed, let least else { throw error }
            try await declareAgain(least)
        }
    }
}

extension ConnectionConfiguration {
    /// The same configuration for the second connection.
    fileprivate var toConsume: ConnectionConfiguration {
        var configuration = self
        configuration.name += ".consumer"
        return configuration
    }
}
