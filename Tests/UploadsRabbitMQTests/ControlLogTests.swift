import Foundation
import RabbitMQ
import Testing
import UploadTesting
import Uploads

@testable import UploadsRabbitMQ

@Suite(.timeLimit(.minutes(10))) struct ControlLogTests {
    let job = JobID()

    @Test func `what was appended before the start is known after it`() async throws {
        try await Rig.run { rig in
            let writer = try await rig.controlLog()
            try await writer.start()
            for generation in 2...20 { try await writer.append(.fence([job: generation]), unless: Signal()) }
            let reader = try await rig.controlLog()
            try await reader.start()
            #expect(reader.view.fence(of: job) == 20)
        }
    }

    @Test func `a late reader knows from the snapshot what the log no longer tells`() async throws {
        try await Rig.run { rig in
            let writer = try await rig.controlLog()
            try await writer.start()
            #expect(writer.snapshotAt == nil)
            // As if the entries before the snapshot had been dropped: only the snapshot names this job.
            var view = ControlView()
            view.apply(.fence([job: 7]))
            let id = UUID()
            try await writer.append(.snapshotBegins(id), unless: Signal())
            for piece in view.snapshot(id) { try await writer.append(.snapshot(piece), unless: Signal()) }
            let reader = try await rig.controlLog()
            try await reader.start()
            #expect(reader.snapshotAt != nil)
            #expect(reader.view.fence(of: job) == 7)
        }
    }

    @Test func `while it consumes, a notifier appends a snapshot of all that is known`() async throws {
        try await Rig.run { rig in
            let writer = try await rig.controlLog()
            try await writer.start()
            try await writer.append(.fence([job: 4]), unless: Signal())
            _ = try await rig.notifier()
            try await eventually("a snapshot") { writer.snapshotAt != nil }
            #expect(writer.view.fence(of: job) == 4)
        }
    }

    @Test func `after ten seconds of silence it reads up to a marker before the next step`() async throws {
        try await Rig.run { rig in
            let clock = ManualInstant()
            let log = try await rig.controlLog(clock: { clock.now })
            try await log.start()
            #expect(!log.isSilent)
            clock.advance(by: .milliseconds(9999))
            #expect(!log.isSilent)
            clock.advance(by: .milliseconds(1))
            #expect(log.isSilent)
            await log.refreshIfSilent(unless: Signal())
            #expect(!log.isSilent)
            // No silence, no marker.
            await log.refreshIfSilent(unless: Signal())
            // Two markers of the start, which found no snapshot in the last hours and began anew; and this one.
            #expect(try await rig.markersSoFar() == 3)
        }
    }

    @Test func `all slices that ask at the same time share one marker`() async throws {
        try await Rig.run { rig in
            let clock = ManualInstant()
            let log = try await rig.controlLog(clock: { clock.now })
            try await log.start()
            clock.advance(by: .seconds(10))
            let given = Signal()
            await withDiscardingTaskGroup { group in
                // The first gives up, so another one has to go on.
                group.addTask { await log.refreshIfSilent(unless: given) }
                for _ in 0..<50 { group.addTask { await log.refreshIfSilent(unless: Signal()) } }
                given.fire()
            }
            #expect(!log.isSilent)
            // Two of the start, this one, and perhaps one that was given up.
            #expect((3...4).contains(try await rig.markersSoFar()))
        }
    }

    @Test func `another's marker breaks the silence too`() async throws {
        try await Rig.run { rig in
            let clock = ManualInstant()
            let log = try await rig.controlLog(clock: { clock.now })
            let other = try await rig.controlLog()
            try await log.start()
            clock.advance(by: .seconds(11))
            #expect(log.isSilent)
            try await other.start()
            try await eventually("heard") { !log.isSilent }
        }
    }

    @Test func `a refresh whose delivery is lost does not wait for the broker`() async throws {
        try await Rig.run { rig in
            let proxy = try FaultProxy(to: rig.node.port)
            let clock = ManualInstant()
            let log = ControlLog(
                topology: rig.topology, consuming: try await rig.open(proxy),
                publisher: try await Publisher(connection: try await rig.open(proxy), logger: rig.logger),
                logger: rig.logger, now: { clock.now })
            rig.atEnd { await log.stop() }
            try await log.start()
            proxy.stall()
            clock.advance(by: .seconds(10))
            let lost = Signal()
            let refresh = Task { await log.refreshIfSilent(unless: lost) }
            lost.fire()
            await refresh.value
            #expect(log.isSilent)
            proxy.stall(false)
        }
    }

    @Test func `after a reconnect nothing is missing and nothing comes twice`() async throws {
        try await Rig.run { rig in
            let proxy = try FaultProxy(to: rig.node.port)
            let log = ControlLog(
                topology: rig.topology, consuming: try await rig.open(proxy),
                publisher: try await Publisher(connection: try await rig.open(), logger: rig.logger),
                logger: rig.logger)
            rig.atEnd { await log.stop() }
            try await log.start()
            let changes = Box(0)
            _ = log.observe { changes.change { $0 += 1 } }
            for generation in 2...5 { try await log.append(.fence([job: generation]), unless: Signal()) }
            proxy.cut()
            for generation in 6...9 { try await log.append(.fence([job: generation]), unless: Signal()) }
            try await eventually("all are read") { log.view.fence(of: job) == 9 }
            #expect(changes.value == 8)
        }
    }

    @Test func `an entry that the reader does not understand is passed over`() async throws {
        try await Rig.run { rig in
            let log = try await rig.controlLog()
            try await log.start()
            try await rig.channel.publish(
                Message(body: Data("{}".utf8), type: "upload.control.v2"), to: rig.topology.control, routingKey: "")
            try await log.append(.fence([job: 3]), unless: Signal())
            try await eventually("the next one is read") { log.view.fence(of: job) == 3 }
        }
    }
}

extension Rig {
    /// The number of markers in the stream up to an entry that is appended now.
    fileprivate func markersSoFar() async throws -> Int {
        let end = ControlEntry.lift([JobID()])
        try await channel.publish(try WireFormat.message(entry: end), to: topology.control, routingKey: "")
        let reading = try await connection.openChannel()
        let consumer = try await reading.consume(topology.control, prefetch: 100, stream: .first)
        var markers = 0
        for try await batch in consumer {
            for delivery in batch {
                consumer.acknowledge(delivery)
                switch WireFormat.read(delivery.message) {
                case .control(.marker): markers += 1
                case .control(end):
                    await reading.close()
                    return markers
                default: break
                }
            }
        }
        throw CancellationError()
    }
}

/// A clock that the test moves.
final class ManualInstant: Sendable {
    private let instant = Box(ContinuousClock.now)
    var now: ContinuousClock.Instant { instant.value }
    func advance(by duration: Duration) { instant.change { $0 += duration } }
}
