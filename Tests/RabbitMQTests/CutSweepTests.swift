import Foundation
import RabbitMQ
import Synchronization
import Testing
import UploadTesting

/// Cuts the connection after a growing number of bytes of a session's whole life: connect, login, open, declare,
/// publish, return, consume, settle, cancel, close. At any moment, every call must come back, and no confirmed message
/// may be missing.
@Suite(.timeLimit(.minutes(10)))
struct CutSweepTests {
    /// The messages that one session got confirmed.
    private func session(_ proxy: FaultProxy, queue: Queue, run: Int) async -> [String] {
        let confirmed = Collected()
        do {
            var configuration = try BrokerTesting.configuration(port: proxy.port)
            configuration.connectTimeout = .seconds(10)
            let connection = try await Connection.open(configuration, logger: BrokerTesting.logger)
            _ = await failure { try await connection.define(Topology(queues: [queue])) }
            if let channel = try? await connection.openChannel() {
                await withDiscardingTaskGroup { group in
                    for number in 0..<6 {
                        group.addTask {
                            let text = "\(run).\(number)"
                            var message = BrokerTesting.message(text)
                            message.headers = ["run": .int64(Int64(run))]
                            let error = await failure {
                                try await channel.publish(message, to: "", routingKey: queue.name)
                            }
                            if error == nil { confirmed.add([text]) }
                        }
                    }
                    group.addTask {
                        let error = await failure {
                            try await channel.publish(Message(), to: "", routingKey: "nobody-\(queue.name)")
                        }
                        if error == nil { Issue.record("confirmed what no queue got") }
                    }
                    group.addTask {
                        let got = try? await channel.get(queue.name)
                        if let delivery = got ?? nil { channel.reject(delivery, requeue: true) }
                    }
                }
                // A channel error, after which the channel must be usable again.
                _ = await failure { _ = try await channel.get(queue.name + "-none") }
                if let consumer = try? await channel.consume(queue.name, prefetch: 3) {
                    let reader = Task {
                        _ = await failure {
                            for try await batch in consumer {
                                for delivery in batch { consumer.reject(delivery, requeue: true) }
                            }
                        }
                    }
                    _ = await failure { _ = try await channel.messageCount(of: queue.name) }
                    await consumer.cancel()
                    await reader.value
                }
                await channel.close()
            }
            await connection.close()
        } catch {
            #expect(error is RabbitMQError)
        }
        return Array(confirmed.all)
    }

    @Test func `Cut after any number of bytes, every call returns and nothing confirmed is lost`() async throws {
        let broker = try await BrokerNode.shared()
        let queue = Queue(name: UniqueNames.make(), arguments: ["x-queue-type": "classic"])
        let whole = try FaultProxy(to: broker.port)
        let first = await session(whole, queue: queue, run: 0)
        #expect(first.count == 6)
        let total = whole.bytes(.toBroker) + whole.bytes(.toClient)
        whole.stop()

        let confirmed = Collected()
        confirmed.add(first)
        let step = 7
        let cuts = Array(stride(from: 1, through: total + step, by: step).enumerated())
        let next = Counter()
        await withDiscardingTaskGroup { group in
            for _ in 0..<8 {
                group.addTask {
                    while true {
                        let index = next.take()
                        guard index < cuts.count, let proxy = try? FaultProxy(to: broker.port) else { return }
                        proxy.cut(afterBytes: cuts[index].element)
                        let texts = await session(proxy, queue: queue, run: index + 1)
                        confirmed.add(texts)
                        proxy.stop()
                    }
                }
            }
        }

        let connection = try await BrokerTesting.connect(broker)
        let channel = try await connection.openChannel()
        let consumer = try await channel.consume(queue.name, prefetch: 100)
        let expected = confirmed.all
        #expect(expected.count > cuts.count)
        var seen: Set<String> = []
        for try await batch in consumer {
            for delivery in batch {
                seen.insert(delivery.message.text)
                consumer.acknowledge(delivery)
            }
            if seen.isSuperset(of: expected) { break }
        }
        #expect(seen.isSuperset(of: expected))
        try await connection.delete(Topology(queues: [queue]))
        await connection.close()
    }
}

private final class Collected: Sendable {
    private let texts = Mutex<Set<String>>([])
    var all: Set<String> { texts.withLock(\.self) }
    func add(_ more: [String]) { texts.withLock { $0.formUnion(more) } }
}

private final class Counter: Sendable {
    private let value = Atomic<Int>(0)
    func take() -> Int { value.add(1, ordering: .relaxed).oldValue }
}
