import Foundation
import Synchronization
import Testing
import UploadTesting

/// A program is killed from outside at a named point, and another one takes over: no job is lost, no outcome is delivered twice under
/// different ids, and no session or copy is left behind.
@Suite(.serialized, .timeLimit(.minutes(40))) struct CrashTests {
    @Test(arguments: CrashPoint.all) func afterAKillTheJobEndsOnceAndWhole(_ point: CrashPoint) async throws {
        try await Crash(point: point).check()
    }
}

/// The same with a ledger in PostgreSQL: the next notifier has the shard when the lease of the one that died has ended. The soak
/// tries all points with both ledgers.
@Suite(.serialized, .timeLimit(.minutes(40))) struct PostgreSQLCrashTests {
    @Test(arguments: CrashPoint.inPostgreSQL) func afterAKillTheJobEndsOnceAndWhole(_ point: CrashPoint) async throws {
        try await Crash(point: point, ledger: .shared()).check()
    }
}

private struct Crash {
    let point: CrashPoint
    /// The server of the ledger; nil: a file.
    var ledger: PostgreSQLNode?

    func check() async throws {
        let bucket = try await S3Bucket.make()
        defer { bucket.proxy.stop() }
        try await Deployment.with(ledger: ledger, destinations: [bucket.destination()]) { deployment in
            let kill = KillSwitch()
            let namespace = deployment.namespace
            let proxy = try AMQPFaultProxy(to: deployment.broker.port)
            let neutral = try AMQPFaultProxy(to: deployment.broker.port)
            defer {
                proxy.stop()
                neutral.stop()
            }
            let openings = Mutex(0)
            bucket.proxy.setRule { request in
                let isOpening = request.method == "POST" && request.query["uploads"] != nil
                let count = openings.withLock { count in
                    if isOpening { count += 1 }
                    return count
                }
                return point.action(on: request, isFirstOpening: isOpening && count == 1, kill)
            }
            proxy.setRule { point.action(on: $0, in: namespace, kill) }

            let notifier = try deployment.start(
                .notifier, ["--broker", point.victim == .notifier ? proxy.url : neutral.url])
            let worker =
                point.needsSuspect
                ? try await startDoomedWorker(deployment)
                : try deployment.start(.worker, ["--broker", point.victim == .worker ? proxy.url : neutral.url])
            let victim = point.victim == .worker ? worker : notifier
            kill.arm(victim)
            let file = try deployment.makeFile("file", bytes: point.size.bytes)
            let id = try #require(try await deployment.enqueue(["--to", "bucket:", file.path]).first)
            if point.needsSuspect {
                _ = await worker.wait()
                try deployment.start(.worker, ["--broker", neutral.url])
            }
            try await eventually("the point is reached") { !victim.isRunning }
            #expect(await victim.wait() == 128 + SIGKILL)
            try deployment.start(point.victim == .worker ? .worker : .notifier, ["--broker", neutral.url])

            _ = try await deployment.waitForOutcomes(1)
            try await deployment.expectNothingLeftOnTheBroker(watched: [neutral])
            let orphans = point.orphans(after: proxy.steps, in: namespace)
            try await check(deployment, bucket, id, file, orphans: orphans)
        }
    }

    /// Starts a worker that dies while the job is on its way to it, which makes the job a suspect.
    private func startDoomedWorker(_ deployment: Deployment) async throws -> RunningProgram {
        let submitted = "\(deployment.namespace).submit"
        let kill = KillSwitch()
        let broker = try AMQPFaultProxy(to: deployment.broker.port) { step in
            guard case .deliver(let message) = step, message.exchange == submitted, kill.claim() else {
                return .forward
            }
            return .before { kill.kill() }
        }
        let worker = try deployment.start(.worker, ["--broker", broker.url])
        kill.arm(worker)
        Task {
            _ = await worker.wait()
            broker.stop()
        }
        return worker
    }

    private func check(
        _ deployment: Deployment, _ bucket: S3Bucket, _ id: String, _ file: URL,
        orphans: ClosedRange<Int>
    ) async throws {
        let told = try deployment.toldOutcomes()
        #expect(told.allSatisfy { $0["type"] as? String == "upload.completed" && $0["subject"] as? String == id })
        #expect(Set(told.compactMap { $0["id"] as? String }) == ["\(id).1.ended"])
        // At least once, under one id: a notifier that dies between delivering and noting delivers again.
        if point.victim == .worker { #expect(told.count == 1) }
        #expect(try deployment.queryLedger("SELECT status, COUNT(*) FROM jobs GROUP BY status") == ["completed|1"])
        #expect(try await bucket.observer.sha256(bucket.name, "file") == deployment.digests(of: [file]).first)
        // A worker that dies between publishing the end and removing the copy leaves the copy, and beside a large one the digests of its blocks.
        let staged = deployment.stagedFiles()
        #expect(staged.count == (point.leavesCopy ? point.size == .multipart ? 2 : 1 : 0), "\(staged) are left")
        let resent = bucket.proxy.partsSent.values.reduce(0) { $0 + $1 - 1 }
        #expect(resent <= point.resentMaximum)
        let sessions = try await bucket.observer.listUploads(bucket.name).count
        #expect(orphans.contains(sessions), "\(sessions) sessions are left")
        let data = told.first?["data"] as? [String: Any]
        print(
            "\(point.testDescription): \(resent) parts sent again, \(sessions) sessions and",
            "\(staged.count) staged files left to the sweep, generation", data?["generation"] as? Int ?? 0)
    }
}
