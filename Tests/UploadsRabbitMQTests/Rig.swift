import Foundation
import Logging
import RabbitMQ
import Testing
import UploadTesting
import Uploads

@testable import UploadsRabbitMQ

/// A namespace for one test on the shared broker, a connection to inspect it, and the closing of everything at the end.
struct Rig: Sendable {
    /// Lets only a few tests run at a time: every namespace has thirty quorum queues, and a node that elects the leaders of
    /// hundreds at once fails.
    private static let places = AsyncLock(places: 4)

    let node: BrokerNode
    let topology: UploadTopology
    let connection: Connection
    let channel: Channel
    let logger: Logger
    private let endings = Box<[@Sendable () async -> Void]>([])

    /// Runs a test, closes all that it opened, the latest first, and deletes its objects.
    /// - Parameter node: nil for the shared broker.
    static func run(on node: BrokerNode? = nil, shards: Shards = .one, _ test: (Rig) async throws -> Void) async throws
    {
        try await places.withLock {
            let rig = try await Rig(node, shards)
            do {
                try await test(rig)
                await rig.end()
            } catch {
                await rig.end()
                throw error
            }
        }
    }

    private init(_ own: BrokerNode?, _ shards: Shards) async throws {
        node = if let own { own } else { try await BrokerNode.shared() }
        topology = try UploadTopology(namespace: UniqueNames.make("ns"), shards: shards)
        logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
        connection = try await Connection.open(try ConnectionConfiguration(urls: [node.url]), logger: logger)
        channel = try await connection.openChannel()
        try await connection.define(topology.shared + topology.lanes(of: .standard))
    }

    private func end() async {
        for ending in endings.value.reversed() { await ending() }
        try? await connection.delete(topology.shared + topology.lanes(of: .standard))
        await connection.close()
    }

    func atEnd(_ ending: @escaping @Sendable () async -> Void) { endings.change { $0.append(ending) } }

    func broker() async throws -> UploadBroker {
        let broker = try await UploadBroker.connect(
            try ConnectionConfiguration(urls: [node.url]), namespace: topology.namespace, shards: topology.shards,
            logger: logger)
        atEnd { await broker.close() }
        return broker
    }

    /// Opens another connection, optionally through a proxy.
    func open(_ proxy: (any BrokerProxy)? = nil) async throws -> Connection {
        var configuration = try ConnectionConfiguration(
            urls: [proxy.map { "amqp://guest:guest@127.0.0.1:\($0.port)/" } ?? node.url])
        configuration.reconnectDelay = ReconnectDelay(base: .milliseconds(20), cap: .milliseconds(200))
        let connection = try await Connection.open(configuration, logger: logger)
        // The proxy must live until the connection is closed: it closes with its last use, and unconfirmed messages
        // would be tried without end.
        atEnd {
            await connection.close()
            withExtendedLifetime(proxy) {}
        }
        return connection
    }

    /// A worker whose two connections can be disturbed separately.
    func worker(
        publishing: (any BrokerProxy)? = nil, consuming: (any BrokerProxy)? = nil, prefetchPerLane: UInt16 = 4,
        named name: String? = nil,
        clock: @escaping @Sendable () -> ContinuousClock.Instant = { .now },
        topologyPause: @escaping @Sendable (Signal) async -> Void = { await $0.wait() }
    ) async throws -> RabbitMQJobQueue {
        let publisher = try await Publisher(connection: try await open(publishing), logger: logger)
        return RabbitMQJobQueue(
            JobQueueConfiguration(prefetchPerLane: prefetchPerLane, worker: name), topology: topology,
            consuming: try await open(consuming), publisher: publisher, logger: logger, clock: clock,
            topologyPause: topologyPause)
    }

    func controlLog(clock: @escaping @Sendable () -> ContinuousClock.Instant = { .now }) async throws -> ControlLog {
        let log = ControlLog(
            topology: topology, consuming: try await open(),
            publisher: try await Publisher(connection: try await open(), logger: logger), logger: logger, now: clock)
        atEnd { await log.stop() }
        return log
    }

    /// Publishes a baton directly to a lane.
    func put(_ message: Message, lane: Lane = .normal) async throws {
        try await channel.publish(message, to: topology.jobs, routingKey: topology.laneKey(.standard, lane, JobID()))
    }

    func isMissing(_ queue: String) async -> Bool {
        do {
            try await connection.check(queues: [queue])
            return false
        } catch {
            return true
        }
    }

    /// How many consumers the lane has at the broker.
    func consumers(_ lane: Lane) async throws -> Int? {
        try await node.ctl("list_queues", "name", "consumers").split(separator: "\n")
            .first { $0.hasPrefix(topology.laneQueue(.standard, lane) + "\t") }
            .flatMap { $0.split(separator: "\t").last.flatMap { Int($0) } }
    }

    func waiting(_ lane: Lane) async throws -> UInt32 {
        try await channel.messageCount(of: topology.laneQueue(.standard, lane))
    }

    /// The next message of a queue, acknowledged.
    func next(_ queue: String) async throws -> Delivery {
        let taken = Box<Delivery?>(nil)
        try await eventually("a message in \(queue)") {
            guard let delivery = try await channel.get(queue) else { return false }
            channel.acknowledge(delivery)
            taken.change { $0 = delivery }
            return true
        }
        return try #require(taken.value)
    }

    /// Begins to take deliveries, and waits until every lane is served.
    @discardableResult
    func serve(_ queue: RabbitMQJobQueue, _ handler: TestHandler) async throws -> Task<Void, any Error> {
        let task = Task { try await queue.consume(handler) }
        atEnd {
            await queue.drain()
            handler.stop.fire()
            _ = await task.result
        }
        try await eventually("the lanes are served") { queue.isReady }
        return task
    }

    /// Collects the messages that come to the notifier.
    func notifier() async throws -> NotifierProbe {
        let bus = try await broker().notifierBus()
        let probe = NotifierProbe(bus: bus)
        let task = Task { try await bus.consume { batch in probe.messages.note(batch) } }
        atEnd {
            await bus.drain()
            _ = await task.result
        }
        return probe
    }
}

extension Box<[NotifierMessage]> {
    /// They need no further work.
    func note(_ batch: [NotifierMessage]) -> NotifierBus.BatchEnd {
        change { $0 += batch.map(\.withoutOrdersText) }
        return {}
    }
}

extension NotifierMessage {
    /// The same message, comparable with the sent one.
    var withoutOrdersText: NotifierMessage {
        if case .job(let job, let maybeRepeated, _) = self { .job(job, maybeRepeated: maybeRepeated) } else { self }
    }
}

/// The messages that have come to the notifier so far.
struct NotifierProbe: Sendable {
    let bus: RabbitMQNotifierBus
    let messages = Box<[NotifierMessage]>([])

    var events: [UploadEvent] {
        messages.value.compactMap { if case .event(let event, _) = $0 { event } else { nil } }
    }

    func event(_ kind: EventKind) async throws -> UploadEvent {
        try await eventually("an event \(kind)") { events.contains { $0.kind == kind } }
        return try #require(events.first { $0.kind == kind })
    }
}

/// A handler that does what the test says, and remembers its batons.
final class TestHandler: JobHandler {
    let handled = Box<[Baton]>([])
    let removed = Box<[JobID]>([])
    /// For handlers that wait: fired at the end of the test.
    let stop = Signal()
    private let work: @Sendable (any ClaimedBaton) async -> Settlement

    init(_ work: @escaping @Sendable (any ClaimedBaton) async -> Settlement) { self.work = work }

    static let completing = { @Sendable (_: any ClaimedBaton) async -> Settlement in
        .ended(.completed(StoredObject(location: "/there", size: 3), response: nil))
    }

    func handle(_ claimed: any ClaimedBaton) async -> SettledSlice {
        handled.change { $0.append(claimed.baton) }
        return SettledSlice(await work(claimed))
    }

    func removeStagedCopy(of job: UploadJob) async { removed.change { $0.append(job.id) } }
}

/// A proxy between a worker and its broker.
protocol BrokerProxy: AnyObject, Sendable {
    var port: Int { get }
}

extension FaultProxy: BrokerProxy {}
extension AMQPFaultProxy: BrokerProxy {}
