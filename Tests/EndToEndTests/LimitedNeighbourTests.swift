import Foundation
import Testing
import UploadTesting

/// Jobs that run beside the jobs of a destination with a rate limit.
@Suite(.serialized, .timeLimit(.minutes(40))) struct LimitedNeighbourTests {
    /// A worker with four slots, a directory with a limit on the bytes per second, and a directory without one.
    private func with(
        limits: String, _ body: (Deployment, _ worker: RunningProgram, _ api: String) async throws -> Void
    ) async throws {
        let place = try TemporaryDirectory()
        try await Deployment.with(
            destinations: ["slow: {driver: directory, path: \(place.url.path), limits: {\(limits)}}"]
        ) { deployment in
            let notifier = try deployment.start(.notifier)
            let worker = try deployment.start(.worker, ["--concurrency", "4"])
            try await body(deployment, worker, "http://127.0.0.1:\(try #require(notifier.port))")
        }
    }

    private func completed(_ deployment: Deployment, at destination: String) throws -> Int {
        try deployment.toldOutcomes().count {
            let job = ($0["data"] as? [String: Any])?["job"] as? [String: Any]
            let target = job?["destination"] as? [String: Any]
            return $0["type"] as? String == "upload.completed" && target?["name"] as? String == destination
        }
    }

    @Test func aSmallJobPassesAThousandOfALimitedDestination() async throws {
        try await with(limits: "bytesPerSecond: 512KiB") { deployment, _, api in
            for number in 0..<1000 { _ = try deployment.makeFile("many/\(number)", bytes: 1 << 20) }
            let small = try deployment.makeFile("small", bytes: 47_000)
            let many = deployment.path.appending(path: "files/many")
            let ids = try await deployment.enqueue(["--to", "slow:", many.path])
            #expect(ids.count == 1000)
            _ = try await deployment.enqueue(["--to", "local:", "--wait", small.path])
            // At its rate the limited destination needs two seconds for each of its jobs; the small job did not wait for them.
            let done = try completed(deployment, at: "slow")
            #expect(done < 100, "\(done) were done first")
            try await eventually("the limited destination goes on") { try completed(deployment, at: "slow") > done }
            let held = try #require(
                try deployment.queryLedger(
                    "SELECT plain(body) FROM events WHERE plain(body) LIKE '%\"limited\"%' LIMIT 1"
                ).first)
            #expect(held.contains("bytesPerSecond: 524288"), "\(held)")
            let listed = try await Web.page("\(api)/v1/queues")
            for words in ["\"destination\":\"slow\"", "\"reason\":\"limited\""] {
                #expect(listed.contains(words), "\(listed)")
            }
            let waiting = try #require(
                try deployment.queryLedger("SELECT id FROM jobs WHERE status = 'waiting' LIMIT 1").first)
            let story = try await deployment.control("job", waiting, "--api", api).outputText
            #expect(
                story.contains("keeps the limits of destination 'slow' (bytesPerSecond: 524288) and has"), "\(story)")
        }
    }

    @Test func somethingUrgentDoesNotWaitForWhatALimitHoldsUp() async throws {
        try await with(limits: "bytesPerSecond: 512KiB, jobs: 1") { deployment, _, _ in
            // Each of these uploads takes a minute.
            for number in 0..<6 { _ = try deployment.makeFile("large/\(number)", bytes: 32 << 20) }
            let large = deployment.path.appending(path: "files/large")
            #expect(try await deployment.enqueue(["--to", "slow:", large.path]).count == 6)
            try await eventually("one runs, as many as may") {
                try deployment.queryLedger("SELECT count(*) FROM jobs WHERE status = 'running'").first == "1"
            }
            let small = try deployment.makeFile("small", bytes: 47_000)
            _ = try await deployment.enqueue(["--to", "slow:", "--priority", "urgent", "--wait", small.path])
            #expect(try completed(deployment, at: "slow") == 1)
        }
    }
}
