import RabbitMQ
import Testing
import UploadTesting

@Suite(.timeLimit(.minutes(10)))
struct TopologyTests {
    @Test func `Merging keeps one of each, the later one`() {
        let a = Queue(name: "a")
        let b = Queue(name: "b", durable: false)
        let binding = Binding(source: "x", destination: .queue("a"))
        let left = Topology(queues: [a, b], bindings: [binding])
        let right = Topology(
            queues: [Queue(name: "b")], bindings: [binding, Binding(source: "y", destination: .queue("a"))])
        #expect((left + right).queues == [a, Queue(name: "b")])
        #expect((left + right).bindings.count == 2)
        #expect(left + left == left)
    }

    @Test func `Declaring twice is fine; with other arguments it is refused and nothing is harmed`() async throws {
        let broker = try await BrokerNode.shared()
        let connection = try await BrokerTesting.connect(broker)
        let queue = BrokerTesting.queue()
        try await connection.define(Topology(queues: [queue]))
        try await connection.define(Topology(queues: [queue]))
        var other = queue
        other.arguments["x-max-length"] = 5
        let error = await failure { try await connection.define(Topology(queues: [other])) }
        #expect(error?.code == .preconditionFailed)
        #expect(error?.replyCode == 406)
        #expect(error?.message.contains(queue.name) == true)
        try await connection.define(Topology(queues: [queue]))
        await connection.close()
    }

    @Test func `Exchanges are bound to queues and exchanges, and deleted again`() async throws {
        let broker = try await BrokerNode.shared()
        let connection = try await BrokerTesting.connect(broker)
        let (first, second) = (
            Exchange(name: UniqueNames.make("ex"), kind: .topic), Exchange(name: UniqueNames.make("ex"), kind: .fanout)
        )
        let queue = BrokerTesting.queue()
        let topology = Topology(
            exchanges: [first, second], queues: [queue],
            bindings: [
                Binding(source: first.name, destination: .exchange(second.name), routingKey: "a.*"),
                Binding(source: second.name, destination: .queue(queue.name)),
            ])
        try await connection.define(topology)
        let channel = try await connection.openChannel()
        try await channel.publish(BrokerTesting.message("x"), to: first.name, routingKey: "a.b")
        let refused = await failure {
            try await channel.publish(BrokerTesting.message("x"), to: first.name, routingKey: "b.b")
        }
        #expect(refused?.code == .returned)
        #expect(try await channel.messageCount(of: queue.name) == 1)
        try await connection.delete(topology)
        try await connection.delete(topology)
        #expect(await failure { _ = try await channel.messageCount(of: queue.name) }?.code == .notFound)
        await connection.close()
    }

    @Test func `Any number of objects is declared in one round trip, and nothing twice`() async throws {
        let broker = try await BrokerNode.shared()
        let proxy = try FaultProxy(to: broker.port)
        defer { proxy.stop() }
        let connection = try await Connection.open(
            BrokerTesting.configuration(port: proxy.port), logger: BrokerTesting.logger)
        let exchanges = (0..<40).map { _ in
            Exchange(name: UniqueNames.make("ex"), kind: .topic, durable: false)
        }
        let queue = Queue(name: UniqueNames.make(), durable: false, exclusive: true)
        let topology = Topology(
            exchanges: exchanges, queues: [queue],
            bindings: exchanges.map { Binding(source: $0.name, destination: .queue(queue.name), routingKey: "#") })

        // The last binding: queue.bind (class 50, method 20) and a reserved short, then the two names.
        let bind = [0, 50, 0, 20, 0, 0] + shortString(queue.name) + shortString(exchanges[39].name)
        proxy.look(for: bind)
        try await withoutAnswers(from: proxy, until: { proxy.roundTrips(before: bind) != nil }) {
            try await connection.define(topology)
        }
        proxy.holdAnswers()
        try await connection.define(topology)

        // basic.consume (class 60, method 20) and a reserved short.
        let consume = [0, 60, 0, 20, 0, 0] + shortString(queue.name)
        proxy.look(for: consume)
        let consumer = try await withoutAnswers(from: proxy, until: { proxy.roundTrips(before: consume) != nil }) {
            try await connection.consume(queue.name, prefetch: 10)
        }

        // A channel.open is a frame of 13 bytes.
        let threeOpened = proxy.bytes(.toBroker) + 3 * 13
        let channels = try await withoutAnswers(from: proxy, until: { proxy.bytes(.toBroker) >= threeOpened }) {
            try await connection.openChannels(3)
        }
        try await channels[0].publish(BrokerTesting.message("x"), to: exchanges[39].name, routingKey: "a")
        #expect(try await consumer.take(1).first?.message.text == "x")
        try await connection.delete(topology)
        await connection.close()
    }

    /// Withholds the broker's answers from `operation` until the client has sent what `isSent` asks for.
    private func withoutAnswers<R: Sendable>(
        from proxy: FaultProxy, until isSent: () -> Bool, _ operation: @escaping @Sendable () async throws -> R
    ) async throws -> R {
        proxy.holdAnswers()
        async let result = operation()
        try await eventually("the client sends all requests without an answer") { isSent() }
        proxy.holdAnswers(false)
        return try await result
    }

    private func shortString(_ text: String) -> [UInt8] { [UInt8(text.utf8.count)] + Array(text.utf8) }

    @Test func `What is refused is named, and what stands behind it is not declared`() async throws {
        let broker = try await BrokerNode.shared()
        let connection = try await BrokerTesting.connect(broker)
        let names = (0..<5).map { _ in UniqueNames.make() }
        let there = Queue(name: names[2], durable: false, exclusive: true, arguments: ["x-max-length": 7])
        try await connection.define(Topology(queues: [there]))
        let wanted = names.map { Queue(name: $0, durable: false, exclusive: true) }
        let error = await failure { try await connection.define(Topology(queues: wanted)) }
        #expect(error?.code == .preconditionFailed)
        #expect(error?.message.contains("declaring queue '\(names[2])'") == true, "\(error?.message ?? "")")
        try await connection.check(queues: Array(names[...2]))
        let missing = await failure { try await connection.check(queues: names) }
        #expect(missing?.code == .notFound)
        #expect(missing?.message.contains(names[3]) == true, "\(missing?.message ?? "")")
        await connection.close()
    }

    @Test func `What was deleted since is declared again where that is asked for, and after a reconnect`() async throws
    {
        let broker = try await BrokerNode.shared()
        let proxy = try FaultProxy(to: broker.port)
        defer { proxy.stop() }
        let connection = try await Connection.open(
            BrokerTesting.configuration(port: proxy.port), logger: BrokerTesting.logger)
        let other = try await BrokerTesting.connect(broker)
        let first = Topology(queues: [BrokerTesting.queue(type: "classic")])
        let second = Topology(queues: [BrokerTesting.queue(type: "classic")])
        func isThere(_ topology: Topology) async -> Bool {
            await failure { try await other.check(queues: topology.queues.map(\.name)) } == nil
        }

        try await connection.define(first)
        try await other.delete(first)
        try await connection.define(first)
        #expect(await !isThere(first))
        try await connection.declareAgain(first)
        #expect(await isThere(first))

        try await connection.remember(second)
        #expect(await !isThere(second))
        try await other.delete(first)
        let old = connection.epoch
        proxy.cut()
        try await eventually("a new epoch begins") { connection.epoch > old }
        #expect(await isThere(first + second))
        try await other.delete(first + second)
        await connection.close()
        await other.close()
    }
}
