import Foundation
import Testing
import UploadTesting
import Uploads

/// A namespace of 16 shards: what is divided among them is whole for its users.
@Suite(.timeLimit(.minutes(20))) struct ShardedTests {
    private static let sixteen = Shards(16) ?? .one

    private func enqueue(_ count: Int, _ deployment: Deployment, _ options: String...) async throws -> [String] {
        let files = try (0..<count).map { try deployment.makeFile("\($0).bin", bytes: 50_000) }
        return try await deployment.enqueue(["--to", "local:", "--batch", "trip"] + options + files.map(\.path))
    }

    private func shards(_ ids: [String]) -> Set<Int> {
        Set(ids.compactMap { JobID($0) }.map(Self.sixteen.shard(of:)))
    }

    private func count(_ status: String, _ deployment: Deployment) throws -> Int {
        try deployment.queryLedger("SELECT count(*) FROM jobs WHERE status = '\(status)'").first.flatMap { Int($0) }
            ?? 0
    }

    @Test func ordersReachTheJobsOfAllShards() async throws {
        try await Deployment.with(shards: Self.sixteen) { deployment in
            let notifier = try deployment.start(.notifier)
            let ids = try await enqueue(40, deployment)
            #expect(shards(ids).count > 4)
            // Nothing is waited for: the orders come behind the jobs, in each shard's queue.
            let all = try await deployment.control("pause", "--batch", "trip", "-o", "ndjson")
            let lines = all.outputText.split(separator: "\n")
            #expect(lines.count == 40 && lines.allSatisfy { $0.contains("\"done\":true") }, "\(all.outputText)")
            // No worker ran until now. It finds that they are paused.
            try deployment.start(.worker)
            try await eventually("all are paused") { try count("paused", deployment) == 40 }
            let some: [String] = Array(ids.prefix(12).reversed())
            let named = try await deployment.control(["resume"] + some)
            #expect(named.outputText == some.map { "\($0) goes on\n" }.joined())
            // The order over more jobs than it may change changes none.
            let refused = try await deployment.control("cancel", "--batch", "trip", expecting: nil)
            #expect(refused.errorText.contains("jobs match, more than 1"))
            try await deployment.waitForOutcomes(12)
            #expect(Set(try deployment.toldOutcomes().compactMap { $0["subject"] as? String }) == Set(some))
            try await deployment.control("resume", "--batch", "trip")
            try await deployment.waitForOutcomes(40)
            #expect(try count("completed", deployment) == 40)

            let report = try await deployment.control("ledger", "status")
            #expect(report.outputText.contains("nothing waits"), "\(report.outputText)")
            #expect(notifier.isRunning)
        }
    }

    @Test func aSerialLineIsInOneShardAndStaysStrict() async throws {
        try await Deployment.with(shards: Self.sixteen) { deployment in
            try deployment.start(.notifier)
            for _ in 0..<2 { try deployment.start(.worker) }
            let ids = try await enqueue(12, deployment, "--serial")
            #expect(shards(ids) == [Self.sixteen.shard(of: JobID().inLine(of: .standard))])
            try await deployment.waitForOutcomes(12)
            #expect(try deployment.toldOutcomes().compactMap { $0["subject"] as? String } == ids)
        }
    }

    @Test func aProgramWithAnotherNumberOfShardsStopsWithTheRemedy() async throws {
        try await Deployment.with(shards: Self.sixteen) { deployment in
            let notifier = try deployment.start(.notifier)
            try await eventually("it is ready") { try await notifier.readiness() == "ready\n" }
            let worker = try deployment.start(.worker, environment: ["UPLOAD_SHARDS": "4"])
            #expect(await worker.wait() != 0)
            #expect(worker.errorText.contains("another number of shards"), "\(worker.errorText)")
        }
    }
}
