import Foundation
import RabbitMQ
import Testing
import UploadTesting

/// Alarms and restarts affect all tests on a node: these tests have a node of their own.
@Suite(.serialized, .timeLimit(.minutes(10)))
struct BlockedTests {
    private func waitFor(_ wanted: (ConnectionState) -> Bool, in states: AsyncStream<ConnectionState>) async {
        for await state in states where wanted(state) { return }
    }

    @Test func `A broker short of memory blocks publishes until it is well; they can be cancelled and closed`()
        async throws
    {
        let broker = try await BrokerNode.start()
        let connection = try await BrokerTesting.connect(broker)
        let closing = try await BrokerTesting.connect(broker)
        let queue = BrokerTesting.queue(type: "classic")
        try await connection.define(Topology(queues: [queue]))
        let channel = try await connection.openChannel()
        let other = try await closing.openChannel()
        let consumer = try await channel.consume(queue.name, prefetch: 10)
        let (first, second) = (connection.states(), closing.states())

        try await broker.ctl("set_vm_memory_high_watermark", "absolute", "1MB")
        // The broker reports the block to a connection only when that connection publishes.
        let trigger = Task { try await channel.publish(BrokerTesting.message("1"), to: "", routingKey: queue.name) }
        let otherTrigger = Task { await failure { try await other.publish(Message(), to: "", routingKey: queue.name) } }
        await waitFor({ if case .blocked = $0 { true } else { false } }, in: first)
        await waitFor({ if case .blocked = $0 { true } else { false } }, in: second)

        let waiting = (0..<20).map { number in
            Task {
                try await channel.publish(
                    Message(body: Data(repeating: UInt8(number), count: 200_000)), to: "", routingKey: queue.name)
            }
        }
        let cancelled = Task {
            await failure { try await channel.publish(Message(), to: "", routingKey: queue.name) }
        }
        cancelled.cancel()
        #expect(await cancelled.value?.code == .cancelled)

        let held = Task { await failure { try await other.publish(Message(), to: "", routingKey: queue.name) } }
        await closing.close()
        #expect(await held.value?.code == .closed)
        _ = await otherTrigger.value

        try await broker.ctl("set_vm_memory_high_watermark", "absolute", "1GB")
        await waitFor({ if case .unblocked = $0 { true } else { false } }, in: connection.states())
        try await trigger.value
        for publish in waiting { try await publish.value }
        let deliveries = try await consumer.take(1)
        deliveries.forEach(consumer.acknowledge)
        await connection.close()
        try await broker.stop()
    }

    @Test func `A broker that is stopped, killed and started again loses nothing that was confirmed`() async throws {
        let broker = try await BrokerNode.start()
        let connection = try await BrokerTesting.connect(broker)
        let queue = BrokerTesting.queue()
        try await connection.define(Topology(queues: [queue]))
        let channel = try await connection.openChannel()
        let consumer = try await channel.consume(queue.name, prefetch: 1)
        var confirmed: Set<String> = []
        for step in 0..<3 {
            for number in 0..<20 {
                try await channel.publish(
                    BrokerTesting.message("\(step).\(number)"), to: "", routingKey: queue.name)
                confirmed.insert("\(step).\(number)")
            }
            let old = connection.epoch
            switch step {
            case 0:
                try await broker.stopApp()
                try await eventually("the loss is seen") { connection.epoch == 0 }
                try await broker.startApp()
            case 1:
                try await broker.kill()
                try await broker.restart()
            default:
                try await broker.restart()
            }
            try await eventually("connected again") { connection.epoch > old }
        }
        var seen: Set<String> = []
        for try await batch in consumer {
            for delivery in batch {
                seen.insert(delivery.message.text)
                consumer.acknowledge(delivery)
            }
            if seen.isSuperset(of: confirmed) { break }
        }
        #expect(seen == confirmed)
        await connection.close()
        try await broker.stop()
    }
}
