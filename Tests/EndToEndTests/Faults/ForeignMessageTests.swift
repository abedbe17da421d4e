import Foundation
import RabbitMQ
import Testing
import UploadTesting
import Uploads
import UploadsRabbitMQ

/// The test publishes damaged messages into every exchange and queue of a running pool, with good jobs in between.
@Suite(.timeLimit(.minutes(24 * 60))) struct ForeignMessageTests {
    /// The damaged messages between two batches of good jobs; the test waits for a batch before it goes on.
    private static let interval = max(250, Fuzz.inputCount / 200)
    private static let goodCount = 4

    @Test func noMessageStopsAProgramALaneOrAGoodJob() async throws {
        var fuzz = Fuzz(for: "foreign messages")
        let directory = try TemporaryDirectory()
        let told = directory.url("told.ndjson")
        // The log is not rotated, so that the test can read it as it grows.
        let delegate = "told: {kind: log, path: \(told.path), rotateBytes: 1024GiB, types: [completed]}"
        try await Deployment.with(delegates: [delegate]) { deployment in
            let programs = [
                try deployment.start(.notifier), try deployment.start(.worker), try deployment.start(.worker),
            ]
            let files = try (0..<Self.goodCount).map { try deployment.makeFile("good-\($0).bin", bytes: 5000).path }
            var told = ToldCompletions(file: told)
            try await Self.send(files, "first", deployment, &told, fuzz.seed)
            let topology = try deployment.topology
            var waiting: [PublisherConfirm] = []
            try await deployment.withBroker { connection in
                var channel = try await Self.openChannel(connection)
                for input in 0..<Fuzz.inputCount {
                    let (message, exchange, key) = try Self.input(&fuzz, topology)
                    do {
                        waiting.append(try channel.send(message, to: exchange, routingKey: key, isMandatory: false))
                    } catch {
                        // Some inputs cannot be sent, and for some the broker closes the channel or the connection.
                        channel = try await Self.openChannel(connection)
                    }
                    if waiting.count >= 64 {
                        for confirm in waiting { _ = await confirm.outcome() }
                        waiting = []
                    }
                    if input % Self.interval == 0 {
                        try await Self.send(files, "good-\(input)", deployment, &told, fuzz.seed)
                    }
                }
                for confirm in waiting { _ = await confirm.outcome() }
            }
            for program in programs { #expect(program.isRunning, "\(program.name), seed \(fuzz.seed)") }
            for lane in Lane.allCases { try await deployment.waitForEmptyLane(lane) }
            try await Self.send(files, "last", deployment, &told, fuzz.seed)
            let setAside = try deployment.queryLedger("SELECT count(*) FROM unreadable").first.flatMap { Int($0) } ?? 0
            #expect(setAside > Fuzz.inputCount / 20, "the ledger keeps unreadable messages for the operator")
        }
    }

    private static func openChannel(_ connection: Connection) async throws -> Channel {
        var opened: Channel?
        try await eventually("a channel opens") {
            opened = try? await connection.openChannel()
            return opened != nil
        }
        return try #require(opened)
    }

    /// Enqueues good jobs, and waits until each of them is completed.
    private static func send(
        _ files: [String], _ folder: String, _ deployment: Deployment, _ told: inout ToldCompletions, _ seed: UInt64
    ) async throws {
        var left = Set(try await deployment.enqueue(["--to", "local:\(folder)/"] + files))
        #expect(left.count == files.count)
        let end = ContinuousClock.now + .seconds(900)
        while true {
            left.subtract(try told.more())
            if left.isEmpty { return }
            try #require(ContinuousClock.now < end, "\(left) are not completed, sent as \(folder), seed \(seed)")
            try await Task.sleep(for: .milliseconds(20))
        }
    }

    /// A damaged message, and where the test publishes it. None names a host, a queue to stop, or a filter that good jobs match: the
    /// notifier would obey such an order, and rightly.
    private static func input(
        _ fuzz: inout Fuzz, _ topology: UploadTopology
    ) throws -> (Message, exchange: String, routingKey: String) {
        var job = FuzzSamples.job
        job.id = JobID()
        job.destination = .named(try DestinationName("local"), key: "foreign/\(job.id)")
        job.source = fuzz.pick([
            .inline(Data("abc".utf8)), job.source, .file(path: "/in/a.txt", identity: FileIdentity()),
        ])
        if case .inline = job.source { job.size = 3 }
        job.idempotencyKey = nil
        job.client = nil
        job.digests = Digests()
        job.expiresAt = Date() + 3600
        job.notBefore = nil
        if fuzz.chance(8) { job.serial = .end }
        let baton = FuzzSamples.baton(of: job)
        let event = fuzz.pick(FuzzSamples.events(of: baton))
        let lane = topology.laneKey(.standard, fuzz.pick(Lane.allCases), JobID())
        switch fuzz.number(in: 0...9) {
        case 0, 1, 2:
            let exchange = fuzz.pick([topology.submit, topology.jobs])
            return (fuzz.message(try fuzz.damaged(job), type: "upload.job.v1"), exchange, lane)
        case 3, 4:
            return (fuzz.message(try fuzz.damaged(baton), type: "upload.baton.v1"), topology.jobs, lane)
        case 5:
            return (
                fuzz.message(try fuzz.damaged(baton), type: "upload.baton.v1"), topology.ladderTop,
                topology.delayKey(seconds: 1, .standard, .normal, JobID())
            )
        case 6:
            let exchange = fuzz.pick([topology.events, topology.progress])
            return (fuzz.message(try fuzz.damaged(event), type: event.kind.type), exchange, event.routingKey)
        case 7:
            let order = UploadOrder(.jobs(fuzz.pick(Verb.allCases), [job.id]), by: "fuzz", at: Date())
            return (fuzz.message(try fuzz.damaged(order), type: "upload.order.v1"), "", topology.notifier(0))
        case 8:
            let marker = IssueMarker(job: job.id, round: 1, generation: 1)
            let entry = ControlEntry.fence([job.id: 4])
            return fuzz.chance(2)
                ? (fuzz.message(try fuzz.damaged(marker), type: "upload.marker.v1"), "", topology.notifier(0))
                : (fuzz.message(try fuzz.damaged(entry), type: "upload.control.v1"), topology.control, "")
        default:
            let queue = fuzz.pick([topology.dead, topology.notifier(0), topology.laneQueue(.standard, .normal)])
            return (fuzz.message(try fuzz.damaged(baton), type: "upload.baton.v1"), "", queue)
        }
    }
}
