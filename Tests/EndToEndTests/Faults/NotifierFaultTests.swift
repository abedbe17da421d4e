import Foundation
import Testing
import UploadTesting
import Uploads

/// The notifier dies, or its disk fails, at its writes to the ledger, while events and orders come in.
@Suite(.serialized, .timeLimit(.minutes(40))) struct NotifierFaultTests {
    /// With PostgreSQL the next notifier has the shard some seconds after a death, so it dies less often.
    enum Kills: Int, CaseIterable { case writing = 50, sendingToPostgreSQL = 15 }

    /// Jobs of a queue that no worker serves are paused and resumed while the notifier dies, and cancelled at the end.
    @Test(arguments: Kills.allCases)
    func whatIsOrderedIsDoneOnceThoughTheNotifierIsKilledAgainAndAgain(_ kills: Kills) async throws {
        let node = kills == .sendingToPostgreSQL ? try await PostgreSQLNode() : nil
        let call = kills == .writing ? "pwrite64" : "sendto"
        try await Deployment.with(ledger: node) { deployment in
            try deployment.start(.worker)
            let file = try deployment.makeFile("a.bin", bytes: 1000)
            var (done, idle): ([String], [String]) = ([], [])
            var killsInCalls = 0
            for round in 1...kills.rawValue {
                if round % 5 == 1 {
                    done += try await deployment.enqueue(["--to", "local:\(round)", file.path])
                    idle += try await deployment.enqueue(["--to", "local:idle-\(round)", "--queue", "idle", file.path])
                }
                let verb = round % 2 == 0 ? "resume" : "pause"
                try await deployment.control(verb, "--queue", "idle", "--no-wait")
                let notifier = try deployment.start(
                    .notifier, under: Strace.injecting("signal=KILL:when=\(2 + round * 7 % 41)", into: call))
                try await eventually("the notifier dies, or has carried out order \(round)") {
                    try !notifier.isRunning || deployment.orderCount(isDone: true) == round
                }
                if notifier.isRunning { notifier.signal(SIGKILL) } else { killsInCalls += 1 }
                #expect(await notifier.wait() == 128 + SIGKILL)
            }
            #expect(killsInCalls >= kills.rawValue / 4, "only \(killsInCalls) died in \(call)")

            try deployment.start(.notifier)
            let order = try await deployment.control("cancel", "--queue", "idle", "--yes", "--timeout", "120s")
            #expect(order.outputText.split(separator: "\n").count == idle.count, "\(order.outputText)")
            try deployment.start(.worker, ["--queue", "idle"])
            let told = try await deployment.waitForOutcomes(done.count + idle.count)
            try await deployment.expectNothingLeftOnTheBroker(watched: [])
            func subjects(_ kind: String) -> Set<String> {
                Set(told.filter { $0["type"] as? String == "upload.\(kind)" }.compactMap { $0["subject"] as? String })
            }
            #expect(subjects("completed") == Set(done) && subjects("cancelled") == Set(idle))
            // A notifier that died before it noted a delivery delivers again, under the same id.
            #expect(Set(told.compactMap { $0["id"] as? String }).count == done.count + idle.count)
            #expect(try deployment.orderCount(isDone: true) == kills.rawValue + 1)
            #expect(try deployment.orderCount(isDone: false) == 0)
            #expect(try deployment.queryLedger("SELECT count(*) FROM unreadable") == ["0"])
            if node == nil { #expect(try deployment.queryLedger("PRAGMA integrity_check") == ["ok"]) }
            #expect(
                try deployment.queryLedger("SELECT status, count(*) FROM jobs GROUP BY status ORDER BY status")
                    == ["cancelled|\(idle.count)", "completed|\(done.count)"])
        }
    }

    @Test(arguments: ["pwrite64", "fdatasync"])
    func aDiskThatFailsUnderTheLedgerLosesNothing(call: String) async throws {
        try await Deployment.with { deployment in
            try deployment.start(.worker)
            // This one makes the tables.
            let first = try deployment.start(.notifier)
            try await eventually("it is ready") { try await first.readiness() == "ready\n" }
            #expect(await first.stop() == 0)
            // strace counts the calls of each thread, and threads take turns in writing.
            let notifier = try deployment.start(
                .notifier,
                under: Strace.injecting("error=EIO:when=\(call == "pwrite64" ? "30..34" : "4..6")", into: call))
            let files = try (0..<40).map { try deployment.makeFile("\($0).bin", bytes: 1000).path }
            var ids: [String] = []
            for start in stride(from: 0, to: files.count, by: 4) {
                ids += try await deployment.enqueue(["--to", "local:", "--wait"] + files[start..<(start + 4)])
            }
            let told = try await deployment.waitForOutcomes(ids.count)
            #expect(Set(told.compactMap { $0["subject"] as? String }) == Set(ids))
            #expect(Set(told.compactMap { $0["id"] as? String }).count == ids.count)
            try await deployment.waitForLedger()
            #expect(notifier.errorText.contains("the disk failed under the ledger"), "\(notifier.errorText)")
            #expect(await notifier.stop() == 0)
            #expect(try deployment.queryLedger("PRAGMA integrity_check") == ["ok"])
            #expect(try deployment.queryLedger("SELECT status, count(*) FROM jobs GROUP BY status") == ["completed|40"])
        }
    }
}

extension Deployment {
    /// How many orders about all jobs the ledger has that are carried out, or are not; it has a part for each shard.
    fileprivate func orderCount(isDone: Bool) throws -> Int {
        guard try hasTable("orders") else { return 0 }
        let text = database == nil ? "CAST(progress AS TEXT)" : "convert_from(progress, 'UTF8')"
        return try queryLedger("SELECT \(text) FROM orders")
            .map { try WireJSON.decode(OrderProgress.self, from: Data($0.utf8)) }.count { $0.isDone == isDone }
            / shards.count
    }
}
