import Foundation
import Testing
import UploadTesting
import Uploads

/// Jobs that run one after the other, in strict order.
@Suite(.serialized, .timeLimit(.minutes(40))) struct SerialQueueTests {
    /// Enqueues files under these names into the serial line, in one command. They are large enough to be staged, so that a
    /// cancellation need not wait.
    private func enqueue(
        _ names: [String], _ deployment: Deployment, _ options: String...
    ) async throws -> [String] {
        let files = try names.map { try deployment.makeFile($0, bytes: 50_000) }
        let ids = try await deployment.enqueue(["--to", "local:", "--serial"] + options + files.map(\.path))
        #expect(ids.count == names.count)
        return ids
    }

    private func told(_ deployment: Deployment) throws -> [String] {
        try deployment.toldOutcomes().compactMap { $0["subject"] as? String }
    }

    /// Each job's events lie between those of the job before it and those of the job behind it.
    private func expectOneAfterTheOther(_ ids: [String], _ deployment: Deployment) throws {
        var seen: [String] = []
        for id in try deployment.queryLedger("SELECT id FROM events JOIN jobs ON jobs.seq = job ORDER BY events.seq")
        where ids.contains(id) {
            if seen.last != id { seen.append(id) }
        }
        #expect(seen == ids)
    }

    @Test func threeWorkersKeepTheOrderAndOneAtATime() async throws {
        try await Deployment.with { deployment in
            try deployment.start(.notifier)
            for _ in 0..<3 { try deployment.start(.worker, ["--concurrency", "4"]) }
            let ids = try await enqueue((0..<12).map { "\($0).bin" }, deployment)
            let more = try await enqueue((12..<16).map { "\($0).bin" }, deployment)
            // The serial line does not delay other jobs of the queue.
            let file = try deployment.makeFile("free.bin", bytes: 1000)
            let free = try await deployment.enqueue(["--to", "local:", file.path])
            try await deployment.waitForOutcomes(17)
            #expect(try told(deployment).filter { !free.contains($0) } == ids + more)
            try expectOneAfterTheOther(ids + more, deployment)
            #expect(try deployment.queryLedger("SELECT count(*) FROM line") == ["0"])
            #expect(try deployment.toldOutcomes().allSatisfy { $0["type"] as? String == "upload.completed" })
        }
    }

    @Test func theLineIsChangedByInsertionMoveAndCancelBeforeItsTurn() async throws {
        try await Deployment.with { deployment in
            let notifier = try deployment.start(.notifier)
            let ids = try await enqueue(["a", "b", "c", "d"], deployment)
            try await deployment.waitForLedger()
            let moved = try await deployment.control("move", ids[3], "--to", "0")
            #expect(moved.outputText == "\(ids[3]) is moved to 0\n")
            let refused = try await deployment.control("move", ids[0], "--to", "1", expecting: 1)
            #expect(refused.errorText.contains("released already"))
            let api = "http://127.0.0.1:\(try #require(notifier.port))"
            let line = try await deployment.control("queue", "line", "default", "-o", "ndjson", "--api", api)
            let shown = line.outputText.split(separator: "\n").map { row in
                [0, 3, 1, 2].first { row.contains(ids[$0]) }
            }
            #expect(shown == [0, 3, 1, 2], "\(line.outputText)")
            let story = try await deployment.control("job", ids[1], "--api", api)
            #expect(story.outputText.contains("second of 3 that wait"), "\(story.outputText)")
            let dry = try await deployment.control("move", ids[1], "--to", "3", "--dry-run")
            #expect(dry.outputText == "move \(ids[1]) to 3\n")
            try await deployment.control("move", ids[1], expecting: 64)
            try await deployment.control("move", ids[1], "--to", "x", expecting: 64)
            try await deployment.control("cancel", ids[2])
            let inserted = try await enqueue(["e", "f"], deployment, "--insert-at", "1")
            let wrong = try await deployment.run(.enqueue, ["--to", "local:", "--insert-at", "1", "a"])
            #expect(await wrong.wait() == 64)
            try await deployment.waitForLedger()
            try deployment.start(.worker, ["--concurrency", "4"])
            try await deployment.waitForOutcomes(6)
            let order = [ids[0], ids[3]] + inserted + [ids[1]]
            #expect(try told(deployment).filter { $0 != ids[2] } == order)
            let cancelled = try deployment.toldOutcomes().first { $0["subject"] as? String == ids[2] }
            #expect(cancelled?["type"] as? String == "upload.cancelled")
            #expect(!FileManager.default.fileExists(atPath: deployment.uploaded.appending(path: "c").path))
        }
    }

    @Test func whatIsPausedHoldsUpTheLineUntilItIsResumed() async throws {
        try await Deployment.with { deployment in
            try deployment.start(.notifier)
            let ids = try await enqueue(["a", "b", "c"], deployment)
            try await deployment.waitForLedger()
            // A job that is paused before its turn.
            try await deployment.control("pause", ids[1])
            #expect(try deployment.queryLedger("SELECT status FROM jobs WHERE id = '\(ids[1])'") == ["paused"])
            try deployment.start(.worker, ["--concurrency", "4"])
            try await deployment.waitForOutcomes(1)
            try await eventually("its turn has come") {
                try deployment.queryLedger(
                    "SELECT count(*) FROM events WHERE plain(body) LIKE '%\(ids[1])%' AND plain(body) LIKE '%upload.paused%'"
                )
                    != ["0"]
            }
            // A job that could overtake it had enough time: another job came and went meanwhile.
            let file = try deployment.makeFile("free.bin", bytes: 1000)
            let free = try await deployment.enqueue(["--to", "local:", "--wait", file.path])
            #expect(try told(deployment) == [ids[0]] + free)
            try await deployment.control("resume", ids[1])
            try await deployment.waitForOutcomes(4)
            #expect(try told(deployment) == [ids[0]] + free + ids.dropFirst())
        }
    }

    @Test func whatFailsLetsTheNextGoAndWaitsAtTheEndWhenItRunsAgain() async throws {
        let server = try HTTPFaultProxy(to: nil) { .answer(status: $0.method == "PUT" ? 403 : 404) }
        try await Deployment.with { deployment in
            try deployment.start(.notifier)
            let bad = try deployment.makeFile("bad", bytes: 1000)
            let failing = try #require(
                try await deployment.enqueue(["--to", "\(server.url)/bad", "--serial", bad.path]).first)
            let ids = try await enqueue(["b", "c"], deployment)
            try deployment.start(.worker, ["--concurrency", "4"])
            try await deployment.waitForOutcomes(3)
            #expect(try told(deployment) == [failing] + ids)
            #expect(try deployment.toldOutcomes().first?["type"] as? String == "upload.failed")
            server.setRule { .answer(status: $0.method == "PUT" ? 201 : 404) }
            try await deployment.control("run", "--again", failing)
            let outcomes = try await deployment.waitForOutcomes(4)
            #expect(outcomes.last?["id"] as? String == "\(failing).2.ended")
            #expect(outcomes.last?["type"] as? String == "upload.completed")
        }
        server.stop()
    }

    @Test func aNotifierThatIsKilledLosesNothingAndKeepsTheOrder() async throws {
        try await Deployment.with { deployment in
            var notifier = try deployment.start(.notifier)
            try deployment.start(.worker, ["--concurrency", "4"])
            var ids = try await enqueue((0..<8).map { "\($0).bin" }, deployment)
            for round in 1...3 {
                try await deployment.waitForOutcomes(2 * round)
                notifier.signal(SIGKILL)
                _ = await notifier.wait()
                ids += try await enqueue(["late\(round).bin"], deployment)
                notifier = try deployment.start(.notifier)
            }
            try await deployment.waitForOutcomes(ids.count)
            try await deployment.waitForLedger()
            // A delegate may receive the outcomes twice that were on their way at a kill, but never in another order.
            var order: [String] = []
            for id in try told(deployment) where !order.contains(id) { order.append(id) }
            try await eventually("all are told") { try Set(told(deployment)).count == ids.count }
            order = []
            for id in try told(deployment) where !order.contains(id) { order.append(id) }
            #expect(order == ids)
            for number in 0..<8 {
                try deployment.expectArrived(
                    "\(number).bin", like: deployment.path.appending(path: "files/\(number).bin"))
            }
        }
    }

    @Test func whatWasKeptInTheOutboxComesInItsOrder() async throws {
        try await Deployment.with { deployment in
            let files = try (0..<6).map { try deployment.makeFile("\($0).bin", bytes: 2000) }
            let away = try await deployment.run(
                .enqueue,
                ["--to", "local:", "--serial", "--broker", "amqp://127.0.0.1:\(try Ports.free())/"]
                    + files.map(\.path))
            #expect(await away.wait() == 0)
            let ids = away.outputText.split(separator: "\n").map(String.init)
            try deployment.start(.notifier)
            try deployment.start(.worker, ["--concurrency", "4"])
            try await deployment.waitForOutcomes(6)
            #expect(try told(deployment) == ids)
        }
    }

    /// The serial line does not advance, and the job that it has released does not run.
    @Test func aCancelledJobOfAStoppedQueueEndsAtOnceAndTheOthersWaitForTheStart() async throws {
        try await Deployment.with { deployment in
            try deployment.start(.notifier)
            try await deployment.control("queue", "stop", "default")
            let ids = try await enqueue(["a", "b", "c"], deployment)
            let large = try deployment.makeFile("large", bytes: 100_000)
            let plain = try await deployment.enqueue(["--to", "local:", large.path])
            let staged = deployment.stagedFiles().count
            try deployment.start(.worker, ["--concurrency", "4"])
            try await deployment.control("cancel", ids[0], plain[0])
            try await deployment.waitForOutcomes(2)
            #expect(Set(try told(deployment)) == [ids[0], plain[0]])
            #expect(try deployment.toldOutcomes().allSatisfy { $0["type"] as? String == "upload.cancelled" })
            try await eventually("only the copies of the other two are left") {
                deployment.stagedFiles().count == staged / 2
            }
            try await deployment.control("queue", "start", "default")
            try await deployment.waitForOutcomes(4)
            #expect(try told(deployment).suffix(2) == ids.dropFirst())
        }
    }
}
