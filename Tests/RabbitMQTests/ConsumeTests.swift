import Foundation
import RabbitMQ
import Testing
import UploadTesting

@Suite(.timeLimit(.minutes(10)))
struct ConsumeTests {
    @Test func `No more than the prefetch is unsettled at once`() async throws {
        let broker = try await BrokerNode.shared()
        let connection = try await BrokerTesting.connect(broker)
        let queue = BrokerTesting.queue()
        try await connection.define(Topology(queues: [queue]))
        let channel = try await connection.openChannel()
        for number in 0..<20 {
            try await channel.publish(BrokerTesting.message("\(number)"), to: "", routingKey: queue.name)
        }
        let consumer = try await channel.consume(queue.name, prefetch: 5)
        var batch = try await consumer.take(5)
        #expect(batch.count == 5)
        #expect(try await channel.messageCount(of: queue.name) == 15)
        consumer.acknowledge(batch.removeLast())
        consumer.reject(batch.removeLast(), requeue: false)
        #expect(try await consumer.take(2).count == 2)
        #expect(try await channel.messageCount(of: queue.name) == 13)
        await connection.close()
    }

    @Test func `Deleting the queue ends its consumer, and the channel lives on`() async throws {
        let broker = try await BrokerNode.shared()
        let connection = try await BrokerTesting.connect(broker)
        let (queue, other) = (BrokerTesting.queue(), BrokerTesting.queue())
        try await connection.define(Topology(queues: [queue, other]))
        let channel = try await connection.openChannel()
        let consumer = try await channel.consume(queue.name, prefetch: 5)
        let remaining = try await channel.consume(other.name, prefetch: 5)
        try await connection.delete(Topology(queues: [queue]))
        #expect(await failure { for try await _ in consumer {} }?.code == .consumerCancelled)
        try await channel.publish(BrokerTesting.message("x"), to: "", routingKey: other.name)
        #expect(try await remaining.take(1).count == 1)
        await connection.close()
    }

    @Test func `A cancelled consumer ends behind what had come, which can still be settled`() async throws {
        let broker = try await BrokerNode.shared()
        let connection = try await BrokerTesting.connect(broker)
        let queue = BrokerTesting.queue()
        try await connection.define(Topology(queues: [queue]))
        let channel = try await connection.openChannel()
        for number in 0..<10 {
            try await channel.publish(BrokerTesting.message("\(number)"), to: "", routingKey: queue.name)
        }
        let consumer = try await channel.consume(queue.name, prefetch: 4)
        let first = try await consumer.take(1)
        await consumer.cancel()
        var rest: [Delivery] = []
        for try await batch in consumer { rest += batch }
        #expect(first.count + rest.count == 4)
        for delivery in first + rest { consumer.acknowledge(delivery) }
        await channel.close()
        let second = try await connection.openChannel()
        #expect(try await second.messageCount(of: queue.name) == 6)
        await connection.close()
    }

    @Test func `An orderly close loses no acknowledgement`() async throws {
        let broker = try await BrokerNode.shared()
        let queue = BrokerTesting.queue()
        let count = 10_000
        let producer = try await BrokerTesting.connect(broker)
        try await producer.define(Topology(queues: [queue]))
        let publishing = try await producer.openChannel()
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<100 {
                group.addTask {
                    for _ in 0..<(count / 100) {
                        try await publishing.publish(Message(body: Data(count: 64)), to: "", routingKey: queue.name)
                    }
                }
            }
            try await group.waitForAll()
        }

        let connection = try await BrokerTesting.connect(broker)
        let channel = try await connection.openChannel()
        let consumer = try await channel.consume(queue.name, prefetch: 1000)
        var generator = SystemRandomNumberGenerator()
        var taken = 0
        for try await batch in consumer {
            // Out of order, and every seventh by a rejection that drops it.
            for delivery in batch.shuffled(using: &generator) {
                if delivery.tag.isMultiple(of: 7) {
                    consumer.reject(delivery, requeue: false)
                } else {
                    consumer.acknowledge(delivery)
                }
            }
            taken += batch.count
            if taken == count { break }
        }
        await connection.close()
        try await eventually("no message comes back") {
            let isEmpty = try await publishing.messageCount(of: queue.name) == 0
            return isEmpty
        }
        #expect(try await publishing.get(queue.name) == nil)
        await producer.close()
    }

    @Test func `Getting takes one message, or none`() async throws {
        let broker = try await BrokerNode.shared()
        let connection = try await BrokerTesting.connect(broker)
        let queue = BrokerTesting.queue()
        try await connection.define(Topology(queues: [queue]))
        let channel = try await connection.openChannel()
        #expect(try await channel.get(queue.name) == nil)
        for text in ["a", "b"] {
            try await channel.publish(BrokerTesting.message(text), to: "", routingKey: queue.name)
        }
        let first = try #require(try await channel.get(queue.name))
        #expect(first.message.text == "a")
        channel.reject(first, requeue: true)
        #expect(try await channel.get(queue.name)?.message.text != nil)
        #expect(try await channel.purge(queue.name) == 1)
        #expect(await failure { _ = try await channel.get(UniqueNames.make("none")) }?.code == .notFound)
        await connection.close()
    }

    @Test func `A stream is read from the first, from an offset and from a time`() async throws {
        let broker = try await BrokerNode.shared()
        let connection = try await BrokerTesting.connect(broker)
        let stream = Queue(name: UniqueNames.make("stream"), arguments: ["x-queue-type": "stream"])
        try await connection.define(Topology(queues: [stream]))
        let channel = try await connection.openChannel()
        for number in 0..<20 {
            try await channel.publish(BrokerTesting.message("\(number)"), to: "", routingKey: stream.name)
        }
        func read(_ offset: StreamOffset, _ count: Int) async throws -> [String] {
            let channel = try await connection.openChannel()
            let consumer = try await channel.consume(stream.name, prefetch: 100, stream: offset)
            let deliveries = try await consumer.take(count)
            await channel.close()
            return deliveries.map(\.message.text)
        }
        #expect(try await read(.first, 20) == (0..<20).map(String.init))
        #expect(try await read(.offset(15), 5) == (15..<20).map(String.init))
        #expect(try await read(.timestamp(Date(timeIntervalSinceNow: -3600)), 20).count == 20)
        try await connection.delete(Topology(queues: [stream]))
        await connection.close()
    }

    @Test func `What was sent behind a method that is refused is done all the same, with its prefetch`() async throws {
        let broker = try await BrokerNode.shared()
        let connection = try await BrokerTesting.connect(broker)
        let queue = BrokerTesting.queue()
        try await connection.define(Topology(queues: [queue]))
        let producer = try await connection.openChannel()
        for number in 0..<5 {
            try await producer.publish(BrokerTesting.message("\(number)"), to: "", routingKey: queue.name)
        }
        let channel = try await connection.openChannel()
        for _ in 0..<20 {
            async let refused = failure { _ = try await channel.depth(of: queue.name + "-none") }
            async let counted = channel.messageCount(of: queue.name)
            #expect(await refused?.code == .notFound)
            #expect(try await counted == 5)
        }
        for _ in 0..<10 {
            let channel = try await connection.openChannel()
            async let refused = failure { try await channel.check(exchange: queue.name + "-none") }
            // It is not known which of the two is sent first; if the consumer is first, it ends with the channel.
            let consumer = try? await channel.consume(queue.name, prefetch: 2)
            #expect(await refused?.code == .notFound)
            if let consumer, let taken = try? await consumer.take(2) {
                #expect(taken.count == 2)
                // If the channel was closed with the consumer, all five are there again.
                #expect(try await producer.messageCount(of: queue.name) >= 3)
            }
            await channel.close()
            try await eventually("all are back") { try await producer.messageCount(of: queue.name) == 5 }
        }
        try await connection.delete(Topology(queues: [queue]))
        await connection.close()
    }

    @Test func `A consumer whose caller is gone leaves its connection alone`() async throws {
        let broker = try await BrokerNode.shared()
        let connection = try await BrokerTesting.connect(broker)
        let queue = BrokerTesting.queue()
        try await connection.define(Topology(queues: [queue]))
        for round in 0..<100 {
            let consuming = Task { try await connection.consume(queue.name, prefetch: 3) }
            // At any moment of the call.
            try await Task.sleep(for: .microseconds(round * 60))
            consuming.cancel()
            if let consumer = try? await consuming.value { await consumer.channel.close() }
        }
        let channel = try await connection.openChannel()
        try await eventually("none reads any more") { try await channel.depth(of: queue.name).consumers == 0 }
        #expect(connection.epoch == 1)
        try await connection.delete(Topology(queues: [queue]))
        await connection.close()
    }
}
