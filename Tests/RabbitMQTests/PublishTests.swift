import Foundation
import RabbitMQ
import Testing
import UploadTesting

@Suite(.timeLimit(.minutes(10)))
struct PublishTests {
    @Test func `Many tasks publish at once, and all that was confirmed is there`() async throws {
        let broker = try await BrokerNode.shared()
        let connection = try await BrokerTesting.connect(broker)
        let queue = BrokerTesting.queue()
        try await connection.define(Topology(queues: [queue]))
        let channel = try await connection.openChannel()
        try await withThrowingTaskGroup(of: Void.self) { group in
            for task in 0..<100 {
                group.addTask {
                    for number in 0..<20 {
                        try await channel.publish(
                            BrokerTesting.message("\(task).\(number)"), to: "", routingKey: queue.name)
                    }
                }
            }
            try await group.waitForAll()
        }
        let consumer = try await channel.consume(queue.name, prefetch: 500)
        var texts: Set<String> = []
        for try await batch in consumer {
            for delivery in batch {
                texts.insert(delivery.message.text)
                consumer.acknowledge(delivery)
            }
            if texts.count == 2000 { break }
        }
        await connection.close()
        #expect(texts.count == 2000)
    }

    @Test func `All properties and kinds of header arrive as they were sent`() async throws {
        let broker = try await BrokerNode.shared()
        let connection = try await BrokerTesting.connect(broker)
        let queue = BrokerTesting.queue(type: "classic")
        try await connection.define(Topology(queues: [queue]))
        let channel = try await connection.openChannel()
        let date = Date(timeIntervalSince1970: 1_700_000_000)
        var message = Message(
            body: Data((0..<1000).map { UInt8($0 & 255) }), contentType: "application/json", isPersistent: false,
            messageID: "id", type: "type", timestamp: date)
        message.contentEncoding = "gzip"
        message.priority = 3
        message.correlationID = "correlation"
        message.replyTo = "reply"
        message.expiration = "60000"
        message.userID = "guest"
        message.appID = "app"
        message.headers = [
            "string": "text, ünïcode", "empty": "", "true": true, "i8": .int8(-8), "u8": .uint8(200),
            "i16": .int16(-300), "u16": .uint16(60000), "i32": .int32(-70000), "u32": .uint32(4_000_000_000),
            "i64": .int64(.min), "float": .float(1.5), "double": 2.25, "decimal": .decimal(scale: 2, value: 314),
            "bytes": .bytes(Data([0, 255, 1])), "date": .timestamp(date), "null": nil,
            "table": ["nested": ["deep": 1]], "array": ["a", 2, [true, nil]], "nothing": [],
        ]
        try await channel.publish(message, to: "", routingKey: queue.name)
        let delivery = try #require(try await channel.get(queue.name))
        channel.acknowledge(delivery)
        #expect(delivery.message == message)
        #expect(delivery.routingKey == queue.name)
        #expect(try await channel.get(queue.name) == nil)
        await connection.close()
    }

    @Test(arguments: [0, 1, 131_064, 131_065, 3_000_000]) func `A body of any size arrives whole`(size: Int)
        async throws
    {
        let broker = try await BrokerNode.shared()
        let connection = try await BrokerTesting.connect(broker)
        let queue = BrokerTesting.queue()
        try await connection.define(Topology(queues: [queue]))
        let channel = try await connection.openChannel()
        let body = Data((0..<size).map { UInt8(truncatingIfNeeded: $0 &* 31 >> 3) })
        try await channel.publish(Message(body: body), to: "", routingKey: queue.name)
        let consumer = try await channel.consume(queue.name, prefetch: 1)
        let delivery = try #require(try await consumer.take(1).first)
        #expect(delivery.message.body == body)
        consumer.acknowledge(delivery)
        await connection.close()
    }

    @Test func `A message that is not mandatory is confirmed though no queue gets it`() async throws {
        let connection = try await BrokerTesting.connect(try await BrokerNode.shared())
        let channel = try await connection.openChannel()
        let nowhere = BrokerTesting.queue().name
        try await channel.publish(Message(body: Data()), to: "", routingKey: nowhere, isMandatory: false)
        await #expect(throws: RabbitMQError.self) {
            try await channel.publish(Message(body: Data()), to: "", routingKey: nowhere)
        }
        await connection.close()
    }

    @Test func `What no queue gets is returned, and only that`() async throws {
        let broker = try await BrokerNode.shared()
        let connection = try await BrokerTesting.connect(broker)
        let queue = BrokerTesting.queue()
        try await connection.define(Topology(queues: [queue]))
        let channel = try await connection.openChannel()
        let outcomes = await withTaskGroup(of: (Int, RabbitMQError?).self) { group in
            for number in 0..<200 {
                group.addTask {
                    let key = number.isMultiple(of: 3) ? "nobody-\(queue.name)" : queue.name
                    return (
                        number,
                        await failure {
                            try await channel.publish(BrokerTesting.message("same"), to: "", routingKey: key)
                        }
                    )
                }
            }
            return await group.reduce(into: [:]) { $0[$1.0] = $1.1 }
        }
        #expect(Set(outcomes.keys) == Set((0..<200).filter { $0.isMultiple(of: 3) }))
        #expect(outcomes.values.allSatisfy { $0.code == .returned && $0.replyCode == 312 && !$0.isRetryable })
        #expect(try await channel.messageCount(of: queue.name) == 133)
        await connection.close()
    }

    @Test func `A full queue that rejects makes the publish fail as nacked`() async throws {
        let broker = try await BrokerNode.shared()
        let connection = try await BrokerTesting.connect(broker)
        var queue = BrokerTesting.queue(type: "classic")
        queue.arguments["x-max-length"] = 1
        queue.arguments["x-overflow"] = "reject-publish"
        try await connection.define(Topology(queues: [queue]))
        let channel = try await connection.openChannel()
        try await channel.publish(BrokerTesting.message("1"), to: "", routingKey: queue.name)
        let error = await failure {
            try await channel.publish(BrokerTesting.message("2"), to: "", routingKey: queue.name)
        }
        #expect(error?.code == .nacked)
        #expect(error?.isRetryable == true)
        await connection.close()
    }

    @Test func `After a channel error the same channel goes on`() async throws {
        let broker = try await BrokerNode.shared()
        let connection = try await BrokerTesting.connect(broker)
        let queue = BrokerTesting.queue()
        try await connection.define(Topology(queues: [queue]))
        let channel = try await connection.openChannel()
        let consumer = try await channel.consume(queue.name, prefetch: 10)
        for _ in 0..<3 {
            let error = await failure {
                try await channel.publish(BrokerTesting.message("x"), to: UniqueNames.make("none"), routingKey: "")
            }
            #expect(error?.code == .notFound)
            #expect(error?.replyCode == 404)
            try await channel.publish(BrokerTesting.message("after"), to: "", routingKey: queue.name)
        }
        let ended = await failure { for try await _ in consumer {} }
        #expect(ended?.code == .channelClosed)
        let again = try await channel.consume(queue.name, prefetch: 10)
        #expect(try await again.take(3).count == 3)
        await connection.close()
    }

    @Test func `Names and headers that cannot be sent are refused, and the channel is not harmed`() async throws {
        let broker = try await BrokerNode.shared()
        let connection = try await BrokerTesting.connect(broker)
        let queue = BrokerTesting.queue()
        try await connection.define(Topology(queues: [queue]))
        let channel = try await connection.openChannel()
        let long = String(repeating: "x", count: 256)
        var big = BrokerTesting.message("big")
        big.headers["x"] = .string(String(repeating: "x", count: 140_000))
        #expect(
            await failure { try await channel.publish(Message(), to: long, routingKey: "") }?.code == .invalidArgument)
        #expect(
            await failure { try await channel.publish(Message(), to: "", routingKey: long) }?.code == .invalidArgument)
        #expect(
            await failure { try await channel.publish(big, to: "", routingKey: queue.name) }?.code == .invalidArgument)
        let arguments: Table = ["x": .string(String(repeating: "x", count: 140_000))]
        #expect(
            await failure {
                try await connection.define(Topology(queues: [Queue(name: UniqueNames.make(), arguments: arguments)]))
            }?.code == .invalidArgument)
        try await channel.publish(BrokerTesting.message("fine"), to: "", routingKey: queue.name)
        #expect(try await channel.messageCount(of: queue.name) == 1)
        await connection.close()
    }

    @Test func `A post is sent without a confirm, and one without a queue does no harm`() async throws {
        let broker = try await BrokerNode.shared()
        let connection = try await BrokerTesting.connect(broker)
        let queue = BrokerTesting.queue()
        try await connection.define(Topology(queues: [queue]))
        let channel = try await connection.openChannel()
        for number in 0..<100 {
            channel.post(BrokerTesting.message("\(number)"), to: "", routingKey: queue.name)
            channel.post(BrokerTesting.message("lost"), to: "", routingKey: "nobody-\(queue.name)")
        }
        let consumer = try await channel.consume(queue.name, prefetch: 200)
        #expect(try await consumer.take(100).map(\.message.text) == (0..<100).map(String.init))
        await connection.close()
        channel.post(BrokerTesting.message("after"), to: "", routingKey: queue.name)
        #expect(await failure { try await channel.publish(Message(), to: "", routingKey: queue.name) }?.code == .closed)
    }
}
