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
}
