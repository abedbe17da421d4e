import Foundation
import Logging
import RabbitMQ
import Synchronization
import Testing
import UploadTesting

@Suite(.timeLimit(.minutes(10)))
struct ReconnectTests {
    private func connect(_ proxy: FaultProxy, heartbeat: Duration = .seconds(20)) async throws -> Connection {
        try await Connection.open(
            BrokerTesting.configuration(port: proxy.port, heartbeat: heartbeat), logger: BrokerTesting.logger)
    }

    private func waitForEpoch(after old: UInt64, _ connection: Connection) async throws {
        try await eventually("a new epoch begins") { connection.epoch > old }
    }

    @Test func `A cut fails what is pending; topology, channels and consumers come back`() async throws {
        let broker = try await BrokerNode.shared()
        let proxy = try FaultProxy(to: broker.port)
        let connection = try await connect(proxy)
        let exchange = Exchange(name: UniqueNames.make("ex"), kind: .topic, durable: false)
        let queue = BrokerTesting.queue()
        try await connection.define(
            Topology(
                exchanges: [exchange], queues: [queue],
                bindings: [Binding(source: exchange.name, destination: .queue(queue.name), routingKey: "#")]))
        let channel = try await connection.openChannel()
        let consumer = try await channel.consume(queue.name, prefetch: 10)
        try await channel.publish(BrokerTesting.message("before"), to: exchange.name, routingKey: "k")
        let before = try #require(try await consumer.take(1).first)
        #expect(before.epoch == connection.epoch)

        proxy.stall()
        let pending = Task {
            await failure {
                try await channel.publish(BrokerTesting.message("pending"), to: exchange.name, routingKey: "k")
            }
        }
        let old = connection.epoch
        proxy.cut()
        let error = await pending.value
        #expect(error?.code == .connectionLost || error?.code == .notConnected)
        try await eventually("the loss is seen") { connection.epoch == 0 }
        let other = try await BrokerTesting.connect(broker)
        try await other.delete(Topology(exchanges: [exchange], queues: [queue]))
        await other.close()
        proxy.stall(false)
        try await waitForEpoch(after: old, connection)

        consumer.acknowledge(before)
        try await channel.publish(BrokerTesting.message("after"), to: exchange.name, routingKey: "k")
        let after = try #require(try await consumer.take(1).first)
        #expect(after.message.text == "after")
        #expect(after.epoch > old)
        consumer.acknowledge(after)
        try await connection.delete(Topology(exchanges: [exchange], queues: [queue]))
        await connection.close()
        proxy.stop()
    }

    @Test func `A queue that is still locked after a reconnect is declared until it is free`() async throws {
        let broker = try await BrokerNode.shared()
        let proxy = try FaultProxy(to: broker.port)
        let sawLock = Signal()
        let logger = Logger(label: "test") { _ in
            LineHandler { if $0.contains("an exclusive queue is still locked") { sawLock.fire() } }
        }
        let connection = try await Connection.open(BrokerTesting.configuration(port: proxy.port), logger: logger)
        let queue = Queue(name: UniqueNames.make(), durable: false, exclusive: true)
        try await connection.define(Topology(queues: [queue]))
        let channel = try await connection.openChannel()
        let consumer = try await channel.consume(queue.name, prefetch: 10)

        // A second connection takes the queue's name before the first is back.
        let old = connection.epoch
        proxy.refuse()
        proxy.cut()
        let other = try await BrokerTesting.connect(broker)
        try await eventually("the broker has deleted the lost connection's queue") {
            (try? await other.define(Topology(queues: [queue]))) != nil
        }
        proxy.refuse(false)
        await sawLock.wait()
        await other.close()

        try await waitForEpoch(after: old, connection)
        try await channel.publish(BrokerTesting.message("after"), to: "", routingKey: queue.name)
        #expect(try await consumer.take(1).first?.message.text == "after")
        await connection.close()
        proxy.stop()
    }

    @Test func `A late acknowledgement after a reconnect is dropped and the message comes again`() async throws {
        let broker = try await BrokerNode.shared()
        let proxy = try FaultProxy(to: broker.port)
        let connection = try await connect(proxy)
        let queue = BrokerTesting.queue()
        try await connection.define(Topology(queues: [queue]))
        let channel = try await connection.openChannel()
        for text in ["a", "b"] {
            try await channel.publish(BrokerTesting.message(text), to: "", routingKey: queue.name)
        }
        let consumer = try await channel.consume(queue.name, prefetch: 1)
        let first = try #require(try await consumer.take(1).first)
        let old = connection.epoch
        proxy.cut()
        try await waitForEpoch(after: old, connection)
        let again = try #require(try await consumer.take(1).first)
        #expect(again.message == first.message || again.message.text == first.message.text)
        // The same tag, in another epoch: in the new epoch it would settle the wrong delivery.
        #expect(again.tag == first.tag)
        consumer.acknowledge(first)
        #expect(try await channel.messageCount(of: queue.name) == 1)
        consumer.acknowledge(again)
        #expect(try await consumer.take(1).first?.message.text == "b")
        await connection.close()
        proxy.stop()
    }

    @Test func `A stream goes on behind the last delivery that was read`() async throws {
        let broker = try await BrokerNode.shared()
        let proxy = try FaultProxy(to: broker.port)
        let connection = try await connect(proxy)
        let stream = Queue(name: UniqueNames.make("stream"), arguments: ["x-queue-type": "stream"])
        try await connection.define(Topology(queues: [stream]))
        let channel = try await connection.openChannel()
        for number in 0..<30 {
            try await channel.publish(BrokerTesting.message("\(number)"), to: "", routingKey: stream.name)
        }
        let consumer = try await channel.consume(stream.name, prefetch: 10, stream: .first)
        var texts: [String] = []
        var cuts = 0
        for try await batch in consumer {
            texts += batch.map(\.message.text)
            batch.forEach(consumer.acknowledge)
            if texts.count >= 30 { break }
            if cuts < 2 {
                cuts += 1
                let old = connection.epoch
                proxy.cut()
                try await waitForEpoch(after: old, connection)
            }
        }
        #expect(cuts > 0)
        #expect(texts == (0..<30).map(String.init))
        try await connection.delete(Topology(queues: [stream]))
        await connection.close()
        proxy.stop()
    }

    @Test func `A stalled connection is noticed by its heartbeats`() async throws {
        let broker = try await BrokerNode.shared()
        let proxy = try FaultProxy(to: broker.port)
        let connection = try await connect(proxy, heartbeat: .seconds(1))
        let channel = try await connection.openChannel()
        let old = connection.epoch
        proxy.stall()
        let error = await failure { _ = try await channel.messageCount(of: "amq.nothing") }
        #expect(error?.code == .connectionLost)
        proxy.cut()
        proxy.stall(false)
        try await waitForEpoch(after: old, connection)
        await connection.close()
        proxy.stop()
    }

    @Test func `Hosts are tried in turn`() async throws {
        let broker = try await BrokerNode.shared()
        let proxy = try FaultProxy(to: broker.port)
        var configuration = try BrokerTesting.configuration(port: proxy.port)
        configuration.addresses = [
            BrokerAddress(host: "127.0.0.1", port: try Ports.free()),
            BrokerAddress(host: "127.0.0.1", port: proxy.port),
            BrokerAddress(host: "127.0.0.1", port: broker.port),
        ]
        let connection = try await Connection.open(configuration, logger: BrokerTesting.logger)
        #expect(proxy.connections == 1)
        let old = connection.epoch
        proxy.refuse()
        proxy.cut()
        try await waitForEpoch(after: old, connection)
        #expect(proxy.connections == 1)
        await connection.close()
        proxy.stop()
    }

    @Test func `The states tell of loss, reconnect and close`() async throws {
        let broker = try await BrokerNode.shared()
        let proxy = try FaultProxy(to: broker.port)
        let connection = try await connect(proxy)
        let states = connection.states()
        let told = Task {
            var names: [String] = []
            for await state in states {
                switch state {
                case .connected: names.append("connected")
                case .disconnected: if names.last != "disconnected" { names.append("disconnected") }
                case .blocked, .unblocked: break
                case .closed: names.append("closed")
                }
            }
            return names
        }
        try await eventually("connected") { connection.epoch == 1 }
        var first = connection.states().makeAsyncIterator()
        guard case .connected(1)? = await first.next() else {
            Issue.record("the current state does not come first")
            return
        }
        proxy.cut()
        try await waitForEpoch(after: 1, connection)
        #expect(try await connection.waitUntilConnected() == 2)
        await connection.close()
        let names = await told.value
        #expect(names == ["connected", "disconnected", "connected", "closed"])
        #expect(await failure { _ = try await connection.openChannel() }?.code == .closed)
        #expect(connection.epoch == 0)
        proxy.stop()
    }

    @Test func `Closing works at any time: while reconnecting, while stalled, twice`() async throws {
        let broker = try await BrokerNode.shared()
        let proxy = try FaultProxy(to: broker.port)
        let lost = try await connect(proxy)
        proxy.refuse()
        proxy.cut()
        try await eventually("the loss is seen") { lost.epoch == 0 }
        await lost.close()
        await lost.close()
        proxy.refuse(false)

        var configuration = try BrokerTesting.configuration(port: proxy.port)
        configuration.connectTimeout = .seconds(1)
        let stalled = try await Connection.open(configuration, logger: BrokerTesting.logger)
        let channel = try await stalled.openChannel()
        proxy.stall()
        let pending = Task { await failure { try await channel.publish(Message(), to: "", routingKey: "x") } }
        await stalled.close()
        #expect(await pending.value != nil)
        proxy.stop()
    }

    @Test func `Closing takes no longer than it may`() async throws {
        let broker = try await BrokerNode.shared()
        let proxy = try FaultProxy(to: broker.port)
        let (slow, fast) = (try await connect(proxy), try await connect(proxy))
        proxy.stall()
        // The usual limit is many seconds.
        let hasEnded = Mutex(false)
        let closing = Task {
            await slow.close()
            hasEnded.withLock { $0 = true }
        }
        await fast.close(within: .milliseconds(50))
        #expect(hasEnded.withLock { !$0 })
        proxy.stop()
        await closing.value
    }

    @Test func `Cut while everything is being made as it was, it is made so the next time`() async throws {
        let broker = try await BrokerNode.shared()
        let proxy = try FaultProxy(to: broker.port)
        defer { proxy.stop() }
        let lines = Lines()
        let connection = try await Connection.open(
            BrokerTesting.configuration(port: proxy.port),
            logger: Logger(label: "test") { _ in LineHandler { lines.add($0) } })
        let exchange = Exchange(name: UniqueNames.make("ex"), kind: .topic, durable: false)
        let queues = (0..<30).map { _ in Queue(name: UniqueNames.make(), durable: false) }
        let topology = Topology(
            exchanges: [exchange], queues: queues,
            bindings: queues.map {
                Binding(source: exchange.name, destination: .queue($0.name), routingKey: $0.name)
            })
        try await connection.define(topology)
        let consumers = [
            try await connection.consume(queues[0].name, prefetch: 10),
            try await connection.consume(queues[29].name, prefetch: 10),
        ]
        let channel = try await connection.openChannel()
        var cuts = 0
        for bytes in stride(from: 400, to: 9000, by: 350) {
            let old = connection.epoch
            let count = proxy.connections
            proxy.cut(afterBytes: bytes, .toBroker)
            proxy.cut()
            try await eventually("it is back") { connection.epoch > old }
            if proxy.connections > count + 1 { cuts += 1 }
            // The session may have ended before these bytes.
            proxy.cut(afterBytes: .max)
            for consumer in consumers {
                let text = "\(bytes)"
                try await channel.publish(
                    BrokerTesting.message(text), to: exchange.name, routingKey: consumer.queue)
                // A message that was acknowledged right before the cut may come again before it.
                var last: String?
                while last != text {
                    for delivery in try await consumer.take(1) {
                        consumer.acknowledge(delivery)
                        last = delivery.message.text
                    }
                }
            }
        }
        #expect(cuts > 5, "\(cuts)")
        #expect(lines.all.filter { $0.contains("not restored") } == [])
        try await connection.delete(topology)
        await connection.close()
    }

    @Test func `Why it does not come back is known, and told once a minute`() async throws {
        let broker = try await BrokerNode.shared()
        let proxy = try FaultProxy(to: broker.port)
        let user = UniqueNames.make("user")
        try await broker.ctl("add_user", user, "first")
        try await broker.ctl("set_permissions", user, ".*", ".*", ".*")
        let lines = Lines()
        var configuration = try BrokerTesting.configuration(port: proxy.port)
        (configuration.user, configuration.password) = (user, "first")
        let connection = try await Connection.open(
            configuration, logger: Logger(label: "test") { _ in LineHandler { lines.add($0) } })
        #expect(connection.failure == nil)
        try await broker.ctl("change_password", user, "second")
        proxy.cut()
        try await eventually("the reason is known") { connection.failure?.code == .loginRefused }
        // The tries continue.
        let tries = proxy.connections
        try await eventually("it has tried again") { proxy.connections > tries + 3 }
        let told = lines.all.filter { $0.contains("trying again") }
        #expect(told.count == 1 && told[0].contains("loginRefused"), "\(lines.all)")
        try await broker.ctl("change_password", user, "first")
        try await eventually("it is back") { connection.epoch > 1 }
        #expect(connection.failure == nil)
        await connection.close()
        try await broker.ctl("delete_user", user)
        proxy.stop()
    }
}

private final class Lines: Sendable {
    private let lines = Mutex<[String]>([])
    var all: [String] { lines.withLock(\.self) }
    func add(_ line: String) { lines.withLock { $0.append(line) } }
}
