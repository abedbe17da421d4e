import Foundation
import Testing
import UploadTesting

/// Two uploads with the same key are one upload with one outcome; the same key with other content is refused.
@Suite(.serialized, .timeLimit(.minutes(40))) struct IdempotencyTests {
    private func inode(_ deployment: Deployment, _ key: String) throws -> UInt64 {
        try FileFacts(deployment.uploaded.appending(path: key).path).inode
    }

    private func copies(_ deployment: Deployment) -> [String] { deployment.stagedFiles().filter { $0 != "keys" } }

    @Test(arguments: [1000, 3_000_000])
    func enqueuedAgainAfterwardsNothingIsUploadedAndTheOutcomeIsToldToWhoeverWaits(bytes: Int) async throws {
        try await Deployment.with { deployment in
            try deployment.start(.notifier)
            try deployment.start(.worker)
            let file = try deployment.makeFile("a.bin", bytes: bytes)
            let arguments = ["--to", "local:", "--idempotency-key", "order 17", "--wait", file.path]
            let first = try await deployment.enqueue(arguments)
            let inode = try inode(deployment, "a.bin")
            let second = try await deployment.enqueue(arguments)
            #expect(first == second && first.count == 1)
            #expect(try self.inode(deployment, "a.bin") == inode)
            #expect(copies(deployment).isEmpty)
            #expect(try await deployment.waitForOutcomes(1).count == 1)
            #expect(try deployment.queryLedger("SELECT id, status FROM jobs") == ["\(first[0])|completed"])
        }
    }

    @Test func enqueuedByManyAtOnceBeforeTwoWorkersItIsOneUploadAndOneOutcome() async throws {
        try await Deployment.with { deployment in
            try deployment.start(.notifier)
            let file = try deployment.makeFile("a.bin", bytes: 30_000_000)
            let arguments = ["--to", "local:", "--idempotency-key", "k", "--wait", file.path]
            let programs = try (0..<4).map { _ in try deployment.start(.enqueue, arguments) }
            for _ in 0..<2 { try deployment.start(.worker) }
            for program in programs { #expect(await program.wait() == 0, "\(program.errorText)") }
            #expect(Set(programs.map(\.outputText)).count == 1)
            try deployment.expectArrived("a.bin", like: file)
            // Another job's outcome comes after any further outcome of the first job.
            let other = try deployment.makeFile("b.bin", bytes: 1000)
            _ = try await deployment.enqueue(["--to", "local:", "--wait", other.path])
            let outcomes = try await deployment.waitForOutcomes(2)
            #expect(outcomes.count == 2)
            let data = try #require(outcomes.first?["data"] as? [String: Any])
            #expect(data["bytesSent"] as? Int == 30_000_000, "no byte was sent twice")
            try await eventually("no copy is left") { copies(deployment).isEmpty }
        }
    }

    @Test func enqueuedAgainWhileItIsUnderWayItGoesToAnotherWorkerAndIsStillOneUploadAndOneOutcome() async throws {
        let slow = try TemporaryDirectory()
        let destination = "slow: {driver: directory, path: \(slow.url.path), limits: {bytesPerSecond: 1MiB}}"
        try await Deployment.with(destinations: [destination]) { deployment in
            try deployment.start(.notifier)
            for _ in 0..<2 { try deployment.start(.worker, ["--concurrency", "1"]) }
            // Long enough for another producer to begin, on a busy machine too.
            let bytes = 24_000_000
            let file = try deployment.makeFile("a.bin", bytes: bytes)
            let arguments = ["--to", "slow:", "--idempotency-key", "k", file.path]
            let first = try await deployment.enqueue(arguments)
            let id = try #require(first.first)
            try await deployment.waitForStatus("running", of: id)
            #expect(try await deployment.enqueue(["--wait"] + arguments) == first)
            try await deployment.waitForLedger()
            // The second message was delivered to another worker while the first worker held the job; that worker did not work on it.
            let suspects = try deployment.queryLedger(
                "SELECT count(*) FROM events JOIN jobs ON jobs.seq = job WHERE id = '\(id)' AND name LIKE '%.suspect'")
            #expect(suspects == ["1"])
            #expect(try deployment.queryLedger("SELECT id, status FROM jobs") == ["\(id)|completed"])
            let outcomes = try await deployment.waitForOutcomes(1)
            #expect(outcomes.count == 1)
            let arrived = slow.url.appending(path: "a.bin")
            #expect(try Data(contentsOf: arrived) == Data(contentsOf: file))
            let data = try #require(outcomes.first?["data"] as? [String: Any])
            // Only the parts in flight at the change of the generation may be sent again.
            let sent = try #require(data["bytesSent"] as? Int)
            #expect(sent <= bytes + 4 * (8 << 20), "\(sent) bytes were sent")
            try await eventually("no copy is left") { copies(deployment).isEmpty }
        }
    }

    @Test func otherContentUnderTheSameKeyIsRefused() async throws {
        try await Deployment.with { deployment in
            let file = try deployment.makeFile("a.bin", bytes: 100_000)
            let other = try deployment.makeFile("b.bin", bytes: 100_000)
            let small = try deployment.makeFile("c.bin", bytes: 10)
            _ = try await deployment.enqueue(["--to", "local:x", "--idempotency-key", "k", file.path])
            let staged = deployment.stagedFiles().count
            for arguments in [
                ["--to", "local:x", other.path], ["--to", "local:y", file.path], ["--to", "local:x", small.path],
            ] {
                let program = try await deployment.run(.enqueue, ["--idempotency-key", "k"] + arguments)
                #expect(await program.wait() == 65, "\(program.errorText)")
                #expect(program.errorText.contains("was used before"))
                #expect(program.outputText.isEmpty)
                #expect(deployment.stagedFiles().count == staged)
            }
            let again = try await deployment.run(
                .enqueue, ["--to", "local:x", "--idempotency-key", "k", "--queue", "other", "--dry-run", file.path])
            #expect(await again.wait() == 0)
        }
    }
}
