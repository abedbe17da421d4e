import Foundation
import Logging
import RabbitMQ
import Synchronization
import Testing
import UploadTesting
import Uploads

@testable import UploadsRabbitMQ

/// A control log that does not fit into one message. The broker's limit is lowered, so that thousands of jobs are
/// enough instead of half a million.
@Suite(.serialized, .timeLimit(.minutes(20))) struct LargeControlLogTests {
    private func run(bytesMaximum: Int, _ test: (Rig) async throws -> Void) async throws {
        let node = try await BrokerNode.start(configuration: "max_message_size = \(bytesMaximum)")
        do {
            try await Rig.run(on: node, test)
        } catch {
            try await node.stop()
            throw error
        }
        try await node.stop()
    }

    private func generations(_ count: Int) -> [JobID: Int] {
        Dictionary(uniqueKeysWithValues: (0..<count).map { (JobID(), 2 + $0 % 7) })
    }

    @Test func `more fences than a message holds are appended, snapshotted in pieces and read back`() async throws {
        try await run(bytesMaximum: 65_536) { rig in
            let fences = generations(30_000)
            let writer = try await rig.controlLog()
            try await writer.start()
            try await writer.append(.fence(fences), unless: Signal())
            let paused = try #require(fences.first)
            try await writer.append(.pause([paused.key: paused.value]), unless: Signal())
            let bus = try await rig.broker().notifierBus()
            try await bus.appendSnapshot()
            try await eventually("the snapshot is read") { writer.snapshotAt != nil }
            let reader = try await rig.controlLog()
            try await reader.start()
            #expect(reader.snapshotAt != nil)
            #expect(reader.view.fences.count == fences.count)
            #expect(fences.allSatisfy { reader.view.fence(of: $0.key) == $0.value })
            #expect(reader.view == writer.view)

            // From the beginning of the snapshot, like a reader that finds nothing before it.
            let messages = try await rig.controlMessages()
            #expect(messages.map(\.body.count).reduce(0, +) > 2 * 1_000_000)
            let entries = messages.compactMap {
                if case .control(let entry) = WireFormat.read($0) { entry } else { nil }
            }
            #expect(entries.count == messages.count)
            let begin = try #require(entries.firstIndex { if case .snapshotBegins = $0 { true } else { false } })
            var fold = ControlFold()
            let wholes = entries[begin...].filter { fold.apply($0) }
            #expect(wholes.count == 1)
            #expect(fold.view == writer.view)
            #expect(entries[begin...].count { if case .snapshot = $0 { true } else { false } } == 31)
        }
    }

    @Test func `a snapshot that the broker refuses is told once, and tried again after minutes`() async throws {
        try await run(bytesMaximum: 8192) { rig in
            let writer = try await rig.controlLog()
            try await writer.start()
            for _ in 0..<5 { try await writer.append(.fence(generations(100)), unless: Signal()) }
            let lines = Box<[String]>([])
            let pauses = Box<[Duration]>([])
            let goOn = Box<[Signal]>([])
            let bus = RabbitMQNotifierBus(
                topology: rig.topology, consuming: try await rig.open(),
                publisher: try await Publisher(connection: try await rig.open(), logger: rig.logger),
                logger: Logger(label: "test") { _ in
                    LineHandler { line in if line.contains("snapshot") { lines.change { $0.append(line) } } }
                },
                pause: { draining, pause in
                    let next = Signal()
                    goOn.change { $0.append(next) }
                    pauses.change { $0.append(pause) }
                    await next.wait(or: draining)
                })
            let task = Task { try await bus.consume { _ in {} } }
            rig.atEnd {
                await bus.drain()
                _ = await task.result
            }
            for count in 1...3 {
                try await eventually("a try") { pauses.value.count == count }
                goOn.value[count - 1].fire()
            }
            #expect(pauses.value.prefix(3) == [.seconds(60), .seconds(120), .seconds(240)])
            #expect(lines.value.count == 1)
            #expect(lines.value.first?.hasPrefix("error") == true, "\(lines.value)")
            #expect(lines.value.first?.contains("max_message_size") == true)
            #expect(writer.snapshotAt == nil)
        }
    }
}

@Suite struct RepeatPauseTests {
    private let usual = RepeatPause(passing: .seconds(1)...(.seconds(5)), refused: .seconds(60)...(.seconds(200)))

    @Test func `a passing failure is repeated after seconds, what is refused after minutes and told once`() {
        var pause = usual
        #expect((0..<4).map { _ in pause.failed(isRefused: false).pause } == [1, 2, 4, 5].map { .seconds($0) })
        let refused = (0..<4).map { _ in pause.failed(isRefused: true) }
        #expect(refused.map(\.pause) == [60, 120, 200, 200].map { .seconds($0) })
        #expect(refused.map(\.isNews) == [true, false, false, false])
        #expect(pause.failed(isRefused: false) == (.seconds(1), false))
        #expect(pause.failed(isRefused: true) == (.seconds(60), true))
        pause.succeeded()
        #expect(pause.failed(isRefused: true) == (.seconds(60), true))
    }
}

extension Rig {
    /// All messages in the control log up to now.
    fileprivate func controlMessages() async throws -> [Message] {
        let end = UUID()
        try await channel.publish(try WireFormat.message(entry: .marker(end)), to: topology.control, routingKey: "")
        let reading = try await connection.openChannel()
        let consumer = try await reading.consume(topology.control, prefetch: 100, stream: .first)
        var messages: [Message] = []
        for try await batch in consumer {
            for delivery in batch {
                consumer.acknowledge(delivery)
                if case .control(.marker(end)) = WireFormat.read(delivery.message) {
                    await reading.close()
                    return messages
                }
                messages.append(delivery.message)
            }
        }
        throw CancellationError()
    }
}
