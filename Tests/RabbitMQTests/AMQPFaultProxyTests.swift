import Foundation
import RabbitMQ
import Synchronization
import Testing
import UploadTesting

/// The proxy of the crash tests behaves as documented in front of a real broker.
@Suite(.timeLimit(.minutes(10))) struct AMQPFaultProxyTests {
    private func with(_ body: (AMQPFaultProxy, Connection, Queue) async throws -> Void) async throws {
        let broker = try await BrokerNode.shared()
        let proxy = try AMQPFaultProxy(to: broker.port)
        defer { proxy.stop() }
        let connection = try await Connection.open(
            BrokerTesting.configuration(port: proxy.port, heartbeat: .seconds(2)), logger: BrokerTesting.logger)
        let queue = BrokerTesting.queue()
        try await connection.define(Topology(queues: [queue]))
        try await body(proxy, connection, queue)
        await connection.close()
    }

    @Test func itTellsEachPublishConfirmDeliveryAndAcknowledgementWithTheirMessages() async throws {
        try await with { proxy, connection, queue in
            let channel = try await connection.openChannel()
            // More than a frame.
            let large = String(repeating: "x", count: 300_000)
            for text in ["one", large, ""] {
                try await channel.publish(BrokerTesting.message(text), to: "", routingKey: queue.name)
            }
            let consumer = try await channel.consume(queue.name, prefetch: 10)
            for delivery in try await consumer.take(3) { consumer.acknowledge(delivery) }
            try await eventually("all is acknowledged") {
                proxy.steps.reduce(0) { if case .acknowledge(let messages) = $1 { $0 + messages.count } else { $0 } }
                    == 3
            }
            var published: [Int] = []
            var confirmed: [Int] = []
            var delivered: [Int] = []
            for step in proxy.steps {
                switch step {
                case .publish(let message): published.append(message.body.count)
                case .confirm(let messages): confirmed += messages.map(\.body.count)
                case .deliver(let message): delivered.append(message.body.count)
                case .acknowledge: break
                }
            }
            #expect(published == [3, 300_000, 0] && confirmed == published && delivered == published)
            #expect(proxy.steps.allSatisfy { $0.messages.allSatisfy { $0.routingKey == queue.name } })
        }
    }

    @Test func aPublishCutBeforeItPassesIsNotThereAndOneCutAtItsConfirmIs() async throws {
        for cutsConfirm in [false, true] {
            try await with { proxy, connection, queue in
                let channel = try await connection.openChannel()
                let ran = Mutex(false)
                proxy.setRule { step in
                    switch step {
                    case .publish where !cutsConfirm, .confirm where cutsConfirm: .before { ran.withLock { $0 = true } }
                    default: .forward
                    }
                }
                await #expect(throws: RabbitMQError.self) {
                    try await channel.publish(BrokerTesting.message("lost"), to: "", routingKey: queue.name)
                }
                proxy.setRule { _ in .forward }
                #expect(ran.withLock { $0 })
                _ = try await connection.waitUntilConnected()
                let later = try await connection.openChannel()
                #expect(try await later.messageCount(of: queue.name) == (cutsConfirm ? 1 : 0))
            }
        }
    }

    @Test func anAcknowledgementThatNeverArrivesBringsTheDeliveryBack() async throws {
        try await with { proxy, connection, queue in
            let channel = try await connection.openChannel()
            try await channel.publish(BrokerTesting.message("again"), to: "", routingKey: queue.name)
            proxy.setRule { if case .acknowledge = $0 { .cut } else { .forward } }
            let first = try await channel.consume(queue.name, prefetch: 1)
            let delivery = try #require(try await first.take(1).first)
            #expect(!delivery.redelivered)
            first.acknowledge(delivery)
            try await eventually("the connection is open again") { proxy.connections == 2 }
            proxy.setRule { _ in .forward }
            // The client consumes again by itself.
            let second = try #require(try await first.take(1).first)
            #expect(second.redelivered)
            #expect(proxy.unacknowledged.map(\.routingKey) == [queue.name])
        }
    }

    @Test func aStallIsNoticedByHeartbeatsAloneAndEndsWhenItIsHealed() async throws {
        try await with { proxy, connection, queue in
            let states = connection.states()
            proxy.stall()
            for await state in states {
                if case .disconnected = state { break }
            }
            proxy.heal()
            _ = try await connection.waitUntilConnected()
            let channel = try await connection.openChannel()
            try await channel.publish(BrokerTesting.message("after"), to: "", routingKey: queue.name)
        }
    }
}
