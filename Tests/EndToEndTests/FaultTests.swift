import Foundation
import Testing
import UploadTesting

/// Programs and the broker die during an upload; no job is lost, and exactly one outcome is delivered.
@Suite(.serialized, .timeLimit(.minutes(40))) struct FaultTests {
    static let size = 1 << 30
    static let part: Int64 = 8 << 20

    /// Enqueues a gibibyte and returns when the workers have written a quarter of it. The size of the unfinished file shows nothing,
    /// because its blocks are allocated when it is opened.
    private func beginUpload(
        _ deployment: Deployment, by workers: [RunningProgram]
    ) async throws -> (file: URL, id: String) {
        let file = try deployment.makeFile("large.bin", bytes: Self.size)
        // With the digest the file is copied before its job is published, so that the upload does not end with the command.
        let ids = try await deployment.enqueue(["--to", "local:", "--sha256", file.path])
        try await eventually("the upload is under way") {
            try workers.reduce(0) { try $0 + $1.bytesWritten() } > Int64(Self.size / 4)
        }
        return (file, try #require(ids.first))
    }

    private func expectOneCompletion(_ deployment: Deployment, of id: String) async throws -> [String: Any] {
        let outcomes = try await deployment.waitForOutcomes(1)
        #expect(outcomes.count == 1)
        let outcome = try #require(outcomes.first)
        #expect(outcome["type"] as? String == "upload.completed")
        #expect(outcome["subject"] as? String == id)
        return try #require(outcome["data"] as? [String: Any])
    }

    @Test func afterAKillAnotherWorkerGoesOnAndRepeatsOnlyThePartsInFlight() async throws {
        try await Deployment.with { deployment in
            try deployment.start(.notifier)
            let workers = try (0..<2).map { _ in try deployment.start(.worker, ["--parts", "4"]) }
            let (file, id) = try await beginUpload(deployment, by: workers)
            // The workers are stopped first, so that the written bytes can be read without a race.
            for worker in workers { worker.signal(SIGSTOP) }
            let written = try workers.map { try $0.bytesWritten() }
            let victim = written[0] > written[1] ? 0 : 1
            #expect(deployment.bytesInUnfinishedFiles() > 0, "the upload ended before the kill")
            workers[victim].signal(SIGKILL)
            workers[1 - victim].signal(SIGCONT)
            #expect(await workers[victim].wait() == 128 + SIGKILL)

            _ = try await expectOneCompletion(deployment, of: id)
            try deployment.expectArrived("large.bin", like: file)
            let total = try written[victim] + workers[1 - victim].bytesWritten()
            let allowed = Int64(Self.size) + 4 * Self.part + (4 << 20)
            #expect(total <= allowed, "\(total - Int64(Self.size)) bytes more than the file were written")
            #expect(deployment.bytesInUnfinishedFiles() == 0)
        }
    }

    @Test func onSIGTERMTheUploadIsHandedOverAndNoAttemptIsCounted() async throws {
        try await Deployment.with { deployment in
            try deployment.start(.notifier)
            let first = try deployment.start(.worker)
            let (file, id) = try await beginUpload(deployment, by: [first])
            #expect(await first.stop() == 0)
            #expect(deployment.bytesInUnfinishedFiles() > 0, "the upload ended before the signal")
            try deployment.start(.worker)
            let data = try await expectOneCompletion(deployment, of: id)
            #expect(data["attempts"] as? Int == 0)
            let history = try deployment.history(of: id)
            #expect(data["generation"] as? Int == 1, "a deploy makes no suspects: \(history)")
            #expect(data["bytesSent"] as? Int == Self.size, "no byte was sent twice")
            try deployment.expectArrived("large.bin", like: file)
        }
    }

    @Test func nothingIsLostWhenTheBrokerStopsInTheMiddle() async throws {
        let broker = try await BrokerNode.start()
        do {
            try await Deployment.with(broker: broker) { deployment in
                let notifier = try deployment.start(.notifier)
                let worker = try deployment.start(.worker)
                let (file, id) = try await beginUpload(deployment, by: [worker])
                try await broker.stopApp()
                try await broker.startApp()
                _ = try await expectOneCompletion(deployment, of: id)
                try deployment.expectArrived("large.bin", like: file)
                #expect(notifier.isRunning && worker.isRunning)

                let after = try deployment.makeFile("after.bin", bytes: 100_000)
                _ = try await deployment.enqueue(["--to", "local:", "--wait", after.path])
                try deployment.expectArrived("after.bin", like: after)
            }
        } catch {
            try await broker.stop()
            throw error
        }
        try await broker.stop()
    }

    @Test func whileTheNotifierIsAwayUploadsGoOnAndItsRecordIsCompleteWhenItIsBack() async throws {
        try await Deployment.with { deployment in
            let notifier = try deployment.start(.notifier)
            try deployment.start(.worker)
            let files = try (0..<20).map { try deployment.makeFile("\($0).bin", bytes: 40_000) }
            _ = try await deployment.enqueue(["--to", "local:before/", "--wait"] + files.map(\.path))
            #expect(await notifier.stop() == 0)
            _ = try await deployment.enqueue(["--to", "local:away/", "--wait"] + files.map(\.path))
            let told = try deployment.toldOutcomes().count
            #expect(told <= 20)
            try deployment.start(.notifier)
            let outcomes = try await deployment.waitForOutcomes(40)
            #expect(Set(outcomes.compactMap { $0["subject"] as? String }).count == 40)
            let rows = try deployment.queryLedger("SELECT status, COUNT(*) FROM jobs GROUP BY status")
            #expect(rows == ["completed|40"])
        }
    }

    @Test func manyKillsInARowStillEndInOneOutcomeForEachJob() async throws {
        try await Deployment.with { deployment in
            try deployment.start(.notifier)
            let files = try (0..<40).map { try deployment.makeFile("\($0).bin", bytes: 9 << 20) }
            let ids = try await deployment.enqueue(["--to", "local:"] + files.map(\.path))
            for round in 1...4 {
                let worker = try deployment.start(.worker)
                try await eventually("worker \(round) has done some") {
                    try FileManager.default.contentsOfDirectory(atPath: deployment.uploaded.path)
                        .filter { !$0.hasPrefix(".") }.count >= round * 5
                }
                worker.signal(SIGKILL)
                _ = await worker.wait()
            }
            try deployment.start(.worker)
            let outcomes = try await deployment.waitForOutcomes(40)
            #expect(outcomes.allSatisfy { $0["type"] as? String == "upload.completed" })
            #expect(Set(outcomes.compactMap { $0["subject"] as? String }) == Set(ids))
            #expect(outcomes.count == 40)
            for file in files { try deployment.expectArrived(file.lastPathComponent, like: file) }
        }
    }
}
