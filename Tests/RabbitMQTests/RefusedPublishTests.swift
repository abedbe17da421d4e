import Foundation
import RabbitMQ
import Testing
import UploadTesting

/// The result of a publish when the broker closes its channel, or the connection, and names no message.
@Suite(.serialized, .timeLimit(.minutes(20)))
struct RefusedPublishTests {
    private static let bytesMaximum = 4096
    private static let tooLarge = Message(body: Data(count: bytesMaximum + 1))

    /// A connection to a broker that takes only small messages, and a queue there.
    private func run(_ test: (BrokerNode, Connection, Queue) async throws -> Void) async throws {
        let broker = try await BrokerNode.start(configuration: "max_message_size = \(Self.bytesMaximum)")
        do {
            let connection = try await BrokerTesting.connect(broker)
            let queue = BrokerTesting.queue(type: "classic")
            try await connection.define(Topology(queues: [queue]))
            try await test(broker, connection, queue)
            await connection.close()
        } catch {
            try await broker.stop()
            throw error
        }
        try await broker.stop()
    }

    @Test func `of several messages none is called refused when the channel is closed for one`() async throws {
        try await run { _, connection, queue in
            let channel = try await connection.openChannel()
            var messages = (0..<40).map { BrokerTesting.message("\($0)") }
            messages[20] = Self.tooLarge
            var confirms: [PublisherConfirm] = []
            for message in messages {
                confirms.append(try channel.send(message, to: "", routingKey: queue.name))
            }
            var errors: [Int: RabbitMQError] = [:]
            for (index, confirm) in confirms.enumerated() {
                if case .failure(let error) = await confirm.outcome() { errors[index] = error }
            }
            #expect(errors.count > 1, "those behind it at least are lost with the channel")
            #expect(errors.keys.contains(20))
            #expect(errors.values.allSatisfy { $0.code == .channelClosed && $0.isOutcomeUnknown && $0.isRetryable })
            #expect(errors.values.allSatisfy { $0.replyCode == 406 })
            // Failed messages may be there as well as the confirmed ones.
            #expect(try await channel.messageCount(of: queue.name) >= UInt32(messages.count - errors.count))
        }
    }

    @Test func `a message that is alone is refused for its size, and the channel goes on`() async throws {
        try await run { _, connection, queue in
            let channel = try await connection.openChannel()
            for _ in 0..<3 {
                let error = await failure { try await channel.publish(Self.tooLarge, to: "", routingKey: queue.name) }
                #expect(error?.code == .messageRefused)
                #expect(error?.replyCode == 406)
                #expect(error?.isOutcomeUnknown == false)
                #expect(error?.message.contains("max size") == true)
                try await channel.publish(BrokerTesting.message("fits"), to: "", routingKey: queue.name)
            }
            #expect(try await channel.messageCount(of: queue.name) == 3)
        }
    }

    @Test func `a message that is alone is refused for a permission that is missing`() async throws {
        try await run { broker, connection, queue in
            let forbidden = Exchange(name: UniqueNames.make("forbidden"), kind: .topic)
            try await connection.define(Topology(exchanges: [forbidden]))
            try await broker.ctl("add_user", "guard", "guard")
            try await broker.ctl("set_permissions", "guard", ".*", "^amq", ".*")
            let proxy = try FaultProxy(to: broker.port)
            let guarded = try await Connection.open(
                ConnectionConfiguration(urls: ["amqp://guard:guard@127.0.0.1:\(proxy.port)/"]),
                logger: BrokerTesting.logger)
            let channel = try await guarded.openChannel()
            let error = await failure {
                try await channel.publish(BrokerTesting.message("x"), to: forbidden.name, routingKey: "")
            }
            #expect(error?.code == .accessRefused)
            #expect(error?.isOutcomeUnknown == false)
            // The refusal of the first one comes when the second one has been sent.
            proxy.holdAnswers()
            let confirms = try (0..<2).map { _ in
                try channel.send(BrokerTesting.message("x"), to: forbidden.name, routingKey: "")
            }
            proxy.holdAnswers(false)
            for confirm in confirms {
                guard case .failure(let error) = await confirm.outcome() else {
                    Issue.record("it was confirmed")
                    continue
                }
                #expect(error.isOutcomeUnknown)
                #expect(error.replyCode == 403)
            }
            await guarded.close()
        }
    }

    @Test func `when a broker closes the connection, the outcome of an unconfirmed message is unknown`() async throws {
        try await run { broker, connection, queue in
            let channel = try await connection.openChannel()
            // The queue does not answer, so the broker cannot confirm.
            let process = "{ok, Q} = rabbit_amqqueue:lookup({resource, <<\"/\">>, queue, <<\"\(queue.name)\">>})"
            try await broker.ctl("eval", "\(process), sys:suspend(amqqueue:get_pid(Q)).")
            let confirms = try (0..<3).map { number in
                try channel.send(BrokerTesting.message("\(number)"), to: "", routingKey: queue.name)
            }
            try await eventually("the broker has all three, unconfirmed") {
                try await broker.ctl("list_channels", "messages_unconfirmed").split(separator: "\n").contains("3")
            }
            // An internal error, 541, ends the whole connection.
            try await broker.ctl("eval", "[exit(Pid, kill) || Pid <- rabbit_channel:list()].")
            for confirm in confirms {
                guard case .failure(let error) = await confirm.outcome() else {
                    Issue.record("it was confirmed")
                    continue
                }
                #expect(error.code == .connectionLost)
                #expect(error.isOutcomeUnknown)
                #expect(error.replyCode == 541)
            }
            try await broker.ctl("eval", "\(process), sys:resume(amqqueue:get_pid(Q)).")
        }
    }
}
