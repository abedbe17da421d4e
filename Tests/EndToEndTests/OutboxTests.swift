import Foundation
import Testing
import UploadTesting

/// The broker is unreachable: enqueued jobs are kept, published by the next program that reaches the broker, and uploaded once.
@Suite(.serialized, .timeLimit(.minutes(40))) struct OutboxTests {
    /// Runs the body with a deployment on a broker of its own.
    private func alone(
        configuration: [String] = [], _ body: (Deployment, BrokerNode) async throws -> Void
    ) async throws {
        let broker = try await BrokerNode.start()
        do {
            try await Deployment.with(broker: broker, configuration: configuration) { try await body($0, broker) }
        } catch {
            try await broker.stop()
            throw error
        }
        try await broker.stop()
    }

    private func outbox(_ deployment: Deployment) -> [URL] {
        let folder = deployment.staging.appending(path: "outbox")
        return (try? FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)) ?? []
    }

    private func copies(_ deployment: Deployment) -> [String] {
        deployment.stagedFiles().filter { $0 != "outbox" }
    }

    @Test func whatIsEnqueuedWhileTheBrokerIsAwayIsUploadedOnceWhenItIsBack() async throws {
        try await alone { deployment, broker in
            try deployment.start(.notifier)
            try deployment.start(.worker)
            let before = try deployment.makeFile("before.bin", bytes: 1000)
            _ = try await deployment.enqueue(["--to", "local:", "--wait", before.path])

            try await broker.stopApp()
            let small = try deployment.makeFile("small.bin", bytes: 1000)
            let large = try deployment.makeFile("large.bin", bytes: 5_000_000)
            let originals = try [small, large].map { file in
                let kept = file.appendingPathExtension("kept")
                try FileManager.default.copyItem(at: file, to: kept)
                return kept
            }
            let program = try await deployment.run(.enqueue, ["--to", "local:", "--move", small.path, large.path])
            #expect(await program.wait() == 0, "\(program.errorText)")
            for file in [small, large] { #expect(!FileManager.default.fileExists(atPath: file.path)) }
            let ids = program.outputText.split(separator: "\n").map(String.init)
            #expect(ids.count == 2)
            #expect(program.errorText.contains("2 jobs are kept in"), "\(program.errorText)")
            #expect(Set(outbox(deployment).map(\.lastPathComponent)) == Set(ids.map { "\($0).json" }))
            // The files that a crash between confirm and removal would leave.
            let spares = try outbox(deployment).map { file in
                let spare = deployment.path.appending(path: file.lastPathComponent)
                try FileManager.default.copyItem(at: file, to: spare)
                return (file, spare)
            }

            try await broker.startApp()
            let outcomes = try await deployment.waitForOutcomes(3)
            #expect(Set(outcomes.compactMap { $0["subject"] as? String }).isSuperset(of: ids))
            #expect(outbox(deployment).isEmpty)
            try deployment.expectArrived("small.bin", like: originals[0])
            try deployment.expectArrived("large.bin", like: originals[1])
            #expect(copies(deployment).isEmpty)

            // A job that is published twice is uploaded once.
            let times = try modified(deployment, ["small.bin", "large.bin"])
            for (file, spare) in spares { try FileManager.default.copyItem(at: spare, to: file) }
            try await eventually("the outbox is published again") { outbox(deployment).isEmpty }
            let after = try deployment.makeFile("after.bin", bytes: 1000)
            _ = try await deployment.enqueue(["--to", "local:", "--wait", after.path])
            try await deployment.waitForOutcomes(4)
            #expect(try modified(deployment, ["small.bin", "large.bin"]) == times)
            #expect(try deployment.toldOutcomes().count == 4)
            let rows = try deployment.queryLedger("SELECT status, COUNT(*) FROM jobs GROUP BY status")
            #expect(rows == ["completed|4"])
        }
    }

    @Test func theNextEnqueueUploadPublishesWhatIsThere() async throws {
        try await alone { deployment, broker in
            try await broker.stopApp()
            let first = try deployment.makeFile("first.bin", bytes: 1000)
            _ = try await deployment.enqueue(["--to", "local:", first.path])
            #expect(outbox(deployment).count == 1)
            try await broker.startApp()
            let second = try deployment.makeFile("second.bin", bytes: 1000)
            _ = try await deployment.enqueue(["--to", "local:", second.path])
            #expect(outbox(deployment).isEmpty)
            try deployment.start(.notifier)
            try deployment.start(.worker)
            try await deployment.waitForOutcomes(2)
            try deployment.expectArrived("first.bin", like: first)
            try deployment.expectArrived("second.bin", like: second)
        }
    }

    @Test func withoutTheOutboxNothingIsKeptAndTheExitStatusSaysSo() async throws {
        try await Deployment.with(url: "amqp://guest:guest@127.0.0.1:\(try Ports.free())/") { deployment in
            let file = try deployment.makeFile("a.bin", bytes: 100_000)
            let program = try await deployment.run(.enqueue, ["--to", "local:", "--no-outbox", file.path])
            #expect(await program.wait() == 69, "\(program.errorText)")
            #expect(program.outputText.isEmpty)
            #expect(deployment.stagedFiles().isEmpty)
        }
    }

    @Test func nobodyIsWaitedForWhileTheBrokerIsAwayThoughTheJobIsKept() async throws {
        try await Deployment.with(url: "amqp://guest:guest@127.0.0.1:\(try Ports.free())/") { deployment in
            let file = try deployment.makeFile("a.bin", bytes: 100_000)
            let program = try await deployment.run(.enqueue, ["--to", "local:", "--wait", "-o", "ndjson", file.path])
            #expect(await program.wait() == 69, "\(program.errorText)")
            #expect(program.errorText.contains("1 job is kept in"))
            #expect(program.outputText.split(separator: "\n").count == 1)
            #expect(outbox(deployment).count == 1)
            #expect(copies(deployment).count == 1)
        }
    }

    /// A URL at which no broker listens.
    private func nowhere() throws -> String { "amqp://guest:guest@127.0.0.1:\(try Ports.free())/" }

    @Test func aWorkerOrANotifierByItselfPublishesWhatIsKept() async throws {
        try await Deployment.with { deployment in
            for (publisher, other) in [(Program.worker, Program.notifier), (.notifier, .worker)] {
                let file = try deployment.makeFile("\(publisher).bin", bytes: 100_000)
                _ = try await deployment.enqueue(["--to", "local:", "--broker", try nowhere(), file.path])
                #expect(outbox(deployment).count == 1)
                let first = try deployment.start(publisher)
                try await eventually("the \(publisher) has published it") { outbox(deployment).isEmpty }
                let second = try deployment.start(other)
                try await deployment.waitForOutcomes(publisher == .worker ? 1 : 2)
                try deployment.expectArrived("\(publisher).bin", like: file)
                #expect(copies(deployment).isEmpty)
                #expect(await first.stop() == 0)
                #expect(await second.stop() == 0)
            }
        }
    }

    @Test func duringAnAlarmThatLastsTheJobIsKeptAndItIsUploadedOnceWhenTheAlarmEnds() async throws {
        try await alone(configuration: ["brokerPatience: 2s"]) { deployment, broker in
            try deployment.start(.notifier)
            try deployment.start(.worker)
            let before = try deployment.makeFile("before.bin", bytes: 1000)
            _ = try await deployment.enqueue(["--to", "local:", "--wait", before.path])
            try await broker.ctl("set_vm_memory_high_watermark", "absolute", "1MB")
            let file = try deployment.makeFile("during.bin", bytes: 100_000)
            let program = try await deployment.run(.enqueue, ["--to", "local:", file.path])
            #expect(await program.wait() == 0, "\(program.errorText)")
            #expect(program.errorText.contains("did not confirm within 2 s"), "\(program.errorText)")
            #expect(program.errorText.contains("memory and disk alarms"), "\(program.errorText)")
            #expect(program.errorText.contains("1 job is kept in"), "\(program.errorText)")
            #expect(outbox(deployment).count == 1)
            try await broker.ctl("set_vm_memory_high_watermark", "absolute", "1GB")
            try await deployment.waitForOutcomes(2)
            try await eventually("the outbox is empty") { outbox(deployment).isEmpty }
            try deployment.expectArrived("during.bin", like: file)
            // A repeat of the job would have been recorded before this one.
            let after = try deployment.makeFile("after.bin", bytes: 1000)
            _ = try await deployment.enqueue(["--to", "local:", "--wait", after.path])
            let told = try await deployment.waitForOutcomes(3)
            #expect(told.count == 3)
            #expect(
                try deployment.queryLedger("SELECT status, COUNT(*) FROM jobs GROUP BY status") == ["completed|3"])
        }
    }

    /// A proxy that passes nothing to the program from its first publish on: no confirm, and no answer to its closing.
    private func quietProxy(_ deployment: Deployment) throws -> AMQPFaultProxy {
        try AMQPFaultProxy(to: deployment.broker.port) { if case .publish = $0 { .stall } else { .forward } }
    }

    @Test func aBrokerThatGoesQuietIsWaitedForAsLongAsEachProgramIsToldAndNoLonger() async throws {
        try await Deployment.with { deployment in
            let proxies = try (0..<3).map { _ in try quietProxy(deployment) }
            defer { for proxy in proxies { proxy.stop() } }
            let file = try deployment.makeFile("a.bin", bytes: 100_000)
            // A program with a patience of minutes outlasts one with a patience of seconds.
            let patient = try deployment.start(
                .enqueue, ["--to", "local:patient.bin", "--broker", proxies[0].url, file.path],
                environment: ["UPLOAD_BROKER_PATIENCE": "10m"])
            try await eventually("it has published") { !proxies[0].steps.isEmpty }
            let hasty = try deployment.start(
                .enqueue, ["--to", "local:hasty.bin", "--broker", proxies[1].url, file.path],
                environment: ["UPLOAD_BROKER_PATIENCE": "2s"])
            #expect(await hasty.wait() == 0, "\(hasty.errorText)")
            #expect(hasty.errorText.contains("did not confirm within 2 s"), "\(hasty.errorText)")
            #expect(hasty.errorText.contains("1 job is kept in"), "\(hasty.errorText)")
            let ordered = try await deployment.control(
                "cancel", "--timeout", "2s", "--broker", proxies[2].url, UUID().uuidString, expecting: 69)
            #expect(ordered.errorText.contains("has not confirmed the order"), "\(ordered.errorText)")
            #expect(!proxies[1].steps.isEmpty && !proxies[2].steps.isEmpty, "they did not come so far")
            #expect(patient.isRunning, "\(patient.errorText)")
            proxies[0].setRule { _ in .forward }
            proxies[0].heal()
            #expect(await patient.wait() == 0, "\(patient.errorText)")
            try deployment.start(.notifier)
            try deployment.start(.worker)
            _ = try await deployment.waitForOutcomes(2)
            for name in ["patient.bin", "hasty.bin"] { try deployment.expectArrived(name, like: file) }
        }
    }

    @Test func twoStagingAreasUnderOneNamespaceKeepApart() async throws {
        try await Deployment.with { deployment in
            let area = deployment.path.appending(path: "other-staging")
            let here = ["--staging", area.path]
            try deployment.start(.notifier)
            try deployment.start(.worker)
            let file = try deployment.makeFile("a.bin", bytes: 100_000)
            let kept = try deployment.makeFile("kept.bin", bytes: 100_000)
            let id = try #require(try await deployment.enqueue(here + ["--to", "local:", file.path]).first)
            _ = try await deployment.enqueue(here + ["--to", "local:", "--broker", try nowhere(), kept.path])
            // The worker of one staging area does not take the job of the other area.
            try await eventually("the job waits for a worker that has its area") {
                try deployment.queryLedger(
                    "SELECT COUNT(*) FROM events WHERE plain(body) LIKE '%\(id)%' AND plain(body) LIKE '%unknownStagingArea%'"
                ).first != "0"
            }
            let own = try deployment.makeFile("own.bin", bytes: 100_000)
            _ = try await deployment.enqueue(["--to", "local:", "--wait", own.path])
            let outbox = area.appending(path: "outbox").path
            #expect(try FileManager.default.contentsOfDirectory(atPath: outbox).count == 1)

            try deployment.start(.worker, here)
            let told = try await deployment.waitForOutcomes(3)
            #expect(told.allSatisfy { $0["type"] as? String == "upload.completed" })
            #expect(told.allSatisfy { ($0["data"] as? [String: Any])?["attempts"] as? Int == 0 })
            for original in [file, kept, own] {
                try deployment.expectArrived(original.lastPathComponent, like: original)
            }
            #expect(try FileManager.default.contentsOfDirectory(atPath: outbox) == [])
            let left = try FileManager.default.contentsOfDirectory(atPath: area.path)
            #expect(Set(left) == [".longshore-area", "outbox"])
            #expect(copies(deployment).isEmpty)
        }
    }

    /// The files' inodes and modification times.
    private func modified(_ deployment: Deployment, _ keys: [String]) throws -> [FileFacts] {
        try keys.map { try FileFacts(deployment.uploaded.appending(path: $0).path) }
    }
}
