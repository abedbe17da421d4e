import Foundation
import Testing
import UploadTesting
import Uploads

/// Operators' orders, by `uploadctl`, for jobs in every state.
@Suite(.serialized, .timeLimit(.minutes(40))) struct ControlTests {
    static let part = 8 << 20

    private func with(_ body: (Deployment, S3Bucket) async throws -> Void) async throws {
        let bucket = try await S3Bucket.make()
        try await Deployment.with(destinations: [bucket.destination()]) { try await body($0, bucket) }
        bucket.proxy.stop()
    }

    /// A job that waits on the ladder for an hour, because a server that is otherwise well has asked it to.
    private func withWaiting(
        _ body: (Deployment, _ id: String, _ server: HTTPFaultProxy) async throws -> Void
    ) async throws {
        // The proxy answers by itself; it has no server.
        let server = try HTTPFaultProxy(to: nil) { _ in .answer(status: 503, headers: [("Retry-After", "3600")]) }
        try await Deployment.with { deployment in
            try deployment.start(.notifier)
            try deployment.start(.worker)
            let file = try deployment.makeFile("waits.bin", bytes: 50_000)
            let id = try #require(
                try await deployment.enqueue(["--to", "\(server.url)/waits.bin", file.path]).first)
            try await deployment.waitForStatus("waiting", of: id)
            server.setRule { .answer(status: $0.method == "PUT" ? 201 : 404) }
            server.forget()
            try await body(deployment, id, server)
        }
        server.stop()
    }

    /// Starts a job whose parts go slowly, and returns when it has sent a few of them.
    private func running(
        _ deployment: Deployment, _ bucket: S3Bucket, parts: Int = 24
    ) async throws -> (id: String, file: URL) {
        bucket.proxy.setRule { $0.partNumber == nil ? .forward : .throttle(bytesPerSecond: 8 << 20) }
        let file = try deployment.makeFile("running.bin", bytes: parts * Self.part)
        let id = try #require(try await deployment.enqueue(["--to", "bucket:", file.path]).first)
        try await eventually("some parts are there") { bucket.proxy.partsSent.count >= 2 }
        try await deployment.waitForStatus("running", of: id)
        return (id, file)
    }

    private func expectOnlyOutcome(_ kind: String, of id: String, _ deployment: Deployment) async throws {
        let outcomes = try await deployment.waitForOutcomes(1)
        try await deployment.waitForLedger()
        let all = try deployment.toldOutcomes()
        #expect(all.count == 1 && outcomes.count == 1)
        #expect(all.first?["type"] as? String == "upload.\(kind)")
        #expect(all.first?["subject"] as? String == id)
    }

    // MARK: Queued

    @Test func aQueuedJobThatIsCancelledWithoutAWorkerIsNeverUploaded() async throws {
        try await Deployment.with { deployment in
            let notifier = try deployment.start(.notifier)
            let file = try deployment.makeFile("a.bin", bytes: 100_000)
            let id = try #require(try await deployment.enqueue(["--to", "local:", file.path]).first)
            try await eventually("the notifier answers") { try await notifier.readiness() == "ready\n" }
            let order = try await deployment.control("cancel", id)
            #expect(order.outputText == "\(id) will be cancelled\n")
            try await deployment.waitForLedger()
            try deployment.start(.worker)
            try await expectOnlyOutcome("cancelled", of: id, deployment)
            #expect(!FileManager.default.fileExists(atPath: deployment.uploaded.appending(path: "a.bin").path))
            try await eventually("the staged copy is gone") { deployment.stagedFiles().isEmpty }
        }
    }

    @Test func aQueuedJobThatIsPausedWithoutAWorkerHoldsUntilItIsResumed() async throws {
        try await Deployment.with { deployment in
            try deployment.start(.notifier)
            let file = try deployment.makeFile("a.bin", bytes: 100_000)
            let id = try #require(try await deployment.enqueue(["--to", "local:", file.path]).first)
            try await deployment.control("pause", id)
            try deployment.start(.worker)
            try await deployment.waitForStatus("paused", of: id)
            #expect(!FileManager.default.fileExists(atPath: deployment.uploaded.appending(path: "a.bin").path))
            try await deployment.control("resume", id)
            try await expectOnlyOutcome("completed", of: id, deployment)
            try deployment.expectArrived("a.bin", like: file)
        }
    }

    @Test func aQueuedJobCanBeRunNowAndAnEndedOneIsRefused() async throws {
        try await Deployment.with { deployment in
            try deployment.start(.notifier)
            let file = try deployment.makeFile("a.bin", bytes: 100_000)
            let id = try #require(try await deployment.enqueue(["--to", "local:", file.path]).first)
            try await deployment.control("run", id)
            try await deployment.waitForLedger()
            try deployment.start(.worker)
            try await expectOnlyOutcome("completed", of: id, deployment)
            let refused = try await deployment.control("cancel", id, expecting: 1)
            #expect(refused.errorText.contains("rejected: job \(id) has ended as completed"))
            let json = try await deployment.control("pause", "-o", "ndjson", id, expecting: 1)
            #expect(json.outputText.contains(#""done":false"#) && json.outputText.contains(id))
        }
    }

    // MARK: Waiting

    @Test func aJobThatWaitsOnTheLadderIsCancelledAtOnce() async throws {
        try await withWaiting { deployment, id, server in
            try await deployment.control("cancel", id)
            try await expectOnlyOutcome("cancelled", of: id, deployment)
            #expect(!server.requests.contains { $0.request.method == "PUT" })
            try await eventually("the staged copy is gone") { deployment.stagedFiles().isEmpty }
        }
    }

    @Test func aJobThatWaitsOnTheLadderRunsNowInsteadOfInAnHour() async throws {
        try await withWaiting { deployment, id, server in
            try await deployment.control("run", id)
            try await expectOnlyOutcome("completed", of: id, deployment)
            #expect(server.requests.contains { $0.request.method == "PUT" })
        }
    }

    @Test func aJobThatWaitsOnTheLadderIsPausedAndResumed() async throws {
        try await withWaiting { deployment, id, server in
            try await deployment.control("pause", id)
            #expect(!server.requests.contains { $0.request.method == "PUT" })
            try await deployment.control("resume", id)
            try await expectOnlyOutcome("completed", of: id, deployment)
        }
    }

    // MARK: Running

    /// Aspera: cancel.
    @Test func cancelInterruptsStaysListedAndNeverRunsAgainByItself() async throws {
        try await with { deployment, bucket in
            try deployment.start(.notifier)
            let worker = try deployment.start(.worker, ["--parts", "2"])
            let (id, _) = try await running(deployment, bucket)
            try await deployment.control("cancel", id)
            try await expectOnlyOutcome("cancelled", of: id, deployment)
            #expect(bucket.proxy.partsSent.count < 24, "the upload was not interrupted")
            #expect(try await bucket.observer.listUploads(bucket.name).isEmpty)
            try await eventually("the staged copy is gone") { deployment.stagedFiles().isEmpty }
            #expect(try deployment.queryLedger("SELECT status FROM jobs WHERE id = '\(id)'") == ["cancelled"])
            await worker.stop()
            bucket.proxy.setRule { _ in .forward }
            // Counts the parts that were begun, because the end of one may still be on its way.
            let begun = { bucket.proxy.requests.count { $0.request.partNumber != nil } }
            let before = begun()
            try deployment.start(.worker)
            let other = try deployment.makeFile("other.bin", bytes: 1000)
            _ = try await deployment.enqueue(["--to", "bucket:", "--wait", other.path])
            #expect(begun() == before)
            #expect(try await bucket.observer.listKeys(bucket.name) == ["other.bin"])
        }
    }

    /// Aspera: pause.
    @Test func pauseHoldsARunningUploadAndResumeSendsNoPartTwice() async throws {
        try await with { deployment, bucket in
            try deployment.start(.notifier)
            try deployment.start(.worker, ["--parts", "2"])
            let (id, file) = try await running(deployment, bucket)
            try await deployment.control("pause", id)
            try await deployment.waitForStatus("paused", of: id)
            let held = bucket.proxy.partsSent.count
            #expect(held < 24, "the upload was not held")
            bucket.proxy.setRule { _ in .forward }
            let other = try deployment.makeFile("other.bin", bytes: 1000)
            _ = try await deployment.enqueue(["--to", "bucket:", "--wait", other.path])
            #expect(bucket.proxy.partsSent.count == held, "it went on while it was paused")
            try await deployment.control("resume", id)
            let outcomes = try await deployment.waitForOutcomes(2)
            #expect(outcomes.last?["subject"] as? String == id)
            #expect(outcomes.last?["type"] as? String == "upload.completed")
            #expect(bucket.proxy.partsSent.values.allSatisfy { $0 == 1 })
            #expect(
                try await bucket.observer.sha256(bucket.name, "running.bin") == deployment.digests(of: [file]).first)
        }
    }

    @Test func aPausedJobIsCancelledAndItsUploadRemoved() async throws {
        try await with { deployment, bucket in
            try deployment.start(.notifier)
            try deployment.start(.worker, ["--parts", "2"])
            let (id, _) = try await running(deployment, bucket)
            try await deployment.control("pause", id)
            try await deployment.waitForStatus("paused", of: id)
            try await deployment.control("cancel", id)
            try await expectOnlyOutcome("cancelled", of: id, deployment)
            #expect(try await bucket.observer.listUploads(bucket.name).isEmpty)
            try await eventually("the staged copy is gone") { deployment.stagedFiles().isEmpty }
        }
    }

    @Test func aPausedJobRunsNow() async throws {
        try await with { deployment, bucket in
            try deployment.start(.notifier)
            try deployment.start(.worker, ["--parts", "2"])
            let (id, _) = try await running(deployment, bucket)
            try await deployment.control("pause", id)
            try await deployment.waitForStatus("paused", of: id)
            bucket.proxy.setRule { _ in .forward }
            try await deployment.control("run", id)
            try await expectOnlyOutcome("completed", of: id, deployment)
            #expect(bucket.proxy.partsSent.values.allSatisfy { $0 == 1 })
        }
    }

    /// Aspera: run.
    @Test func runPreemptsTheOtherUploadWhichResumesAfterwards() async throws {
        try await with { deployment, bucket in
            try deployment.start(.notifier)
            try deployment.start(.worker, ["--concurrency", "1", "--parts", "2"])
            let (first, file) = try await running(deployment, bucket)
            let second = try deployment.makeFile("second.bin", bytes: 3 * Self.part)
            let id = try #require(
                try await deployment.enqueue(["--to", "bucket:", "--priority", "bulk", second.path]).first)
            try await deployment.waitForLedger()
            try await deployment.control("run", id)
            let outcomes = try await deployment.waitForOutcomes(2, within: .seconds(240))
            #expect(outcomes.map { $0["subject"] as? String } == [id, first])
            #expect(outcomes.allSatisfy { $0["type"] as? String == "upload.completed" })
            #expect(
                try await bucket.observer.sha256(bucket.name, "running.bin") == deployment.digests(of: [file]).first)
            let sent = bucket.proxy.partsSent { $0.request.path.hasSuffix("running.bin") }
            #expect(sent.count == 24 && sent.values.allSatisfy { $0 == 1 })
        }
    }

    // MARK: Ended

    @Test func aFailedJobRunsAgainAsANewRound() async throws {
        try await with { deployment, bucket in
            try deployment.start(.notifier)
            try deployment.start(.worker)
            bucket.proxy.setRule { _ in .answer(status: 403, body: "<Error><Code>AccessDenied</Code></Error>") }
            let file = try deployment.makeFile("again.bin", bytes: 50_000)
            let id = try #require(try await deployment.enqueue(["--to", "bucket:", file.path]).first)
            try await expectOnlyOutcome("failed", of: id, deployment)
            bucket.proxy.setRule { _ in .forward }
            let order = try await deployment.control("run", "--again", "--status", "failed")
            #expect(order.outputText == "\(id) runs again\n")
            let outcomes = try await deployment.waitForOutcomes(2)
            #expect(outcomes.last?["id"] as? String == "\(id).2.ended")
            #expect(outcomes.last?["type"] as? String == "upload.completed")
        }
    }

    @Test func whatAFailedJobLeftIsDiscardedAtOnce() async throws {
        try await with { deployment, bucket in
            try deployment.start(.notifier)
            try deployment.start(.worker)
            bucket.proxy.setRule {
                $0.partNumber == 2 ? .answer(status: 403, body: "<Error><Code>AccessDenied</Code></Error>") : .forward
            }
            let file = try deployment.makeFile("left.bin", bytes: 3 * Self.part)
            let id = try #require(try await deployment.enqueue(["--to", "bucket:", file.path]).first)
            try await expectOnlyOutcome("failed", of: id, deployment)
            #expect(try await bucket.observer.listUploads(bucket.name).count == 1 && !deployment.stagedFiles().isEmpty)
            let refused = try await deployment.control("cancel", id, expecting: 1)
            #expect(refused.errorText.contains("'discard', which gives up what it has left"), "\(refused.errorText)")
            let looked = try await deployment.control("discard", "--destination", "bucket", "--dry-run")
            #expect(looked.outputText == "discard all jobs for destination bucket that are failed\n")
            #expect(looked.errorText.hasPrefix("uploadctl: not counted: no notifier answers at "))

            let order = try await deployment.control("discard", "--destination", "bucket")
            #expect(order.outputText.hasPrefix("\(id) is discarded"), "\(order.outputText)\(order.errorText)")
            let outcomes = try await deployment.waitForOutcomes(2)
            #expect(outcomes.last?["id"] as? String == "\(id).2.ended")
            #expect(outcomes.last?["type"] as? String == "upload.cancelled")
            #expect(try await bucket.observer.listUploads(bucket.name).isEmpty)
            try await eventually("the staged copy is gone") { deployment.stagedFiles().isEmpty }
            try await deployment.waitForLedger()
            let again = try await deployment.control("discard", id, expecting: 1)
            #expect(again.errorText.contains("has ended as cancelled"), "\(again.errorText)")
        }
    }

    // MARK: Queues

    /// Aspera: stop, and queue stop and start.
    @Test func aStoppedQueueInterruptsAndWhenStartedPicksUpTheSameOneBeforeAllOthers() async throws {
        try await with { deployment, bucket in
            try deployment.start(.notifier)
            try deployment.start(.worker, ["--concurrency", "1", "--parts", "2"])
            let (first, file) = try await running(deployment, bucket)
            var ids = [first]
            for name in ["b.bin", "c.bin"] {
                let next = try deployment.makeFile(name, bytes: 1000)
                ids += try await deployment.enqueue(["--to", "bucket:", next.path])
            }
            try await deployment.waitForEmptyLane(.normal)
            let order = try await deployment.control("queue", "stop", "default")
            #expect(order.outputText == "queue default stopped\n")
            try await deployment.waitForStatus("queued", of: first)
            let held = bucket.proxy.partsSent.count
            #expect(held < 24, "the upload was not interrupted")
            // A worker that starts later does not consume from a stopped queue either.
            let second = try deployment.start(.worker, ["--concurrency", "1"])
            try await eventually("the second worker has read the control log") {
                second.errorText.contains("connected to the broker")
            }
            bucket.proxy.setRule { _ in .forward }
            #expect(bucket.proxy.partsSent.count == held)
            await second.stop()
            #expect(try deployment.toldOutcomes().isEmpty)
            try await deployment.control("queue", "start", "default")
            let outcomes = try await deployment.waitForOutcomes(3)
            let told = outcomes.compactMap { $0["subject"] as? String }
            #expect(told == ids)
            #expect(bucket.proxy.partsSent.count == 24 && bucket.proxy.partsSent.values.allSatisfy { $0 == 1 })
            #expect(
                try await bucket.observer.sha256(bucket.name, "running.bin") == deployment.digests(of: [file]).first)
        }
    }

    @Test func aStoppedQueueStaysStoppedAcrossRestartsOfEverybody() async throws {
        try await Deployment.with { deployment in
            let notifier = try deployment.start(.notifier)
            try await deployment.control("queue", "stop", "default")
            await notifier.stop()
            try deployment.start(.notifier)
            let file = try deployment.makeFile("a.bin", bytes: 1000)
            let id = try #require(try await deployment.enqueue(["--to", "local:", file.path]).first)
            let other = try #require(
                try await deployment.enqueue(["--to", "local:b.bin", "--queue", "other", file.path]).first)
            try deployment.start(.worker, ["--queue", "default", "--queue", "other"])
            try await expectOnlyOutcome("completed", of: other, deployment)
            #expect(try deployment.queryLedger("SELECT status FROM jobs WHERE id = '\(id)'") == ["queued"])
            try await deployment.control("queue", "start", "default")
            try await deployment.waitForStatus("completed", of: id)
        }
    }

    // MARK: No notifier, many jobs, and no job

    @Test func anOrderHoldsThoughNeitherWorkerNorNotifierIsUp() async throws {
        try await Deployment.with { deployment in
            let file = try deployment.makeFile("a.bin", bytes: 100_000)
            let cancelled = try #require(try await deployment.enqueue(["--to", "local:a", file.path]).first)
            let paused = try #require(try await deployment.enqueue(["--to", "local:b", file.path]).first)
            let order = try await deployment.control("cancel", "--timeout", "10s", cancelled)
            #expect(order.outputText.isEmpty && order.errorText.contains("the order is kept"))
            let silent = try await deployment.control("pause", "--no-wait", paused)
            #expect(silent.outputText.isEmpty && silent.errorText.isEmpty)
            let notifier = try deployment.start(.notifier)
            try await eventually("the orders are read") {
                try deployment.hasTable("orders")
                    && deployment.queryLedger("SELECT count(*) FROM orders") == ["2"]
            }
            try await deployment.waitForLedger()
            await notifier.stop()
            try deployment.start(.worker)
            try deployment.start(.notifier)
            try await expectOnlyOutcome("cancelled", of: cancelled, deployment)
            try await deployment.waitForStatus("paused", of: paused)
            #expect(try FileManager.default.contentsOfDirectory(atPath: deployment.uploaded.path).isEmpty)
        }
    }

    @Test func aFilterCancelsManyOnlyWhenThatIsSaid() async throws {
        try await Deployment.with { deployment in
            try deployment.start(.notifier)
            var ids: [String] = []
            for number in 0..<5 {
                let file = try deployment.makeFile("many/\(number)", bytes: 40_000)
                ids += try await deployment.enqueue(["--to", "local:\(number)", file.path])
            }
            let refused = try await deployment.control("cancel", "--destination", "local", expecting: 1)
            #expect(refused.errorText.contains("5 jobs match"))
            let dry = try await deployment.control("cancel", "--destination", "local", "--dry-run")
            #expect(dry.outputText.hasPrefix("cancel all jobs for destination local that are "))
            let nothing = try await deployment.control("cancel", "--batch", "nobody")
            #expect(nothing.errorText == "uploadctl: no job matches\n")
            #expect(try deployment.queryLedger("SELECT count(*) FROM jobs WHERE status = 'queued'") == ["5"])
            let done = try await deployment.control("cancel", "--destination", "local", "--yes")
            #expect(done.outputText == ids.map { "\($0) will be cancelled\n" }.joined())
            try await deployment.waitForLedger()
            try deployment.start(.worker)
            let outcomes = try await deployment.waitForOutcomes(5)
            // All of them could run again, and so much is asked for first.
            let anew = try await deployment.control("run", "--again", "--all", expecting: 1)
            #expect(anew.errorText.contains("5 jobs match") && anew.outputText.isEmpty)
            #expect(outcomes.allSatisfy { $0["type"] as? String == "upload.cancelled" })
            #expect(Set(outcomes.compactMap { $0["subject"] as? String }) == Set(ids))
        }
    }

    @Test func whatCannotBeOrderedIsSaid() async throws {
        try await Deployment.with { deployment in
            try deployment.start(.notifier)
            let unknown = UUID().uuidString.lowercased()
            let order = try await deployment.control("cancel", unknown, expecting: 1)
            #expect(order.errorText.contains("knows no job \(unknown)"))
            try await deployment.control("cancel", expecting: 64)
            try await deployment.control("cancel", "x", expecting: 64)
            try await deployment.control("run", unknown, "--all", expecting: 64)
            try await deployment.control("pause", "--status", "asleep", expecting: 64)
            try await deployment.control("queue", "stop", "A B", expecting: 64)
            try await deployment.control("fly", expecting: 64)
            let down = try await deployment.control(
                "cancel", unknown, "--broker", "amqp://127.0.0.1:\(try Ports.free())/", expecting: 69)
            #expect(down.errorText.hasPrefix("uploadctl: "))
            let help = try await deployment.control("cancel", "--help")
            #expect(help.outputText.contains("EXAMPLES"))
        }
    }
}
