import Foundation
import Testing
import UploadTesting

/// Two notifiers with one ledger on one host: one works, the other one takes over. With two ledgers one is refused.
@Suite(.timeLimit(.minutes(40))) struct TakeoverTests {
    private func waitUntil(_ program: RunningProgram, says text: String) async throws {
        try await eventually("\(program.name) says '\(text)'") {
            #expect(program.isRunning)
            return try await program.readiness().hasPrefix(text)
        }
    }

    @Test func theNextTakesOverWhenOneIsKilledAndWhenOneIsStopped() async throws {
        try await Deployment.with { deployment in
            try deployment.start(.worker)
            let first = try deployment.start(.notifier)
            try await waitUntil(first, says: "ready")
            let second = try deployment.start(.notifier)
            try await waitUntil(second, says: "not ready: standing by")
            let port = try #require(second.port)
            #expect(try await Web.page("http://127.0.0.1:\(port)/healthz") == "alive\n")
            // The address of the dashboard also shows a person the reason.
            #expect(
                try await Web.page("http://127.0.0.1:\(port)/").contains(
                    "<h2 id=\"heading\">Standing by</h2>")
            )
            let one = try deployment.makeFile("one.bin", bytes: 1000)
            _ = try await deployment.enqueue(["--to", "local:", one.path])
            try await deployment.waitForOutcomes(1)

            first.signal(SIGKILL)
            #expect(await first.wait() == 128 + SIGKILL)
            let two = try deployment.makeFile("two.bin", bytes: 1000)
            _ = try await deployment.enqueue(["--to", "local:", two.path])
            try await waitUntil(second, says: "ready")
            let status = try await deployment.control("ledger", "status").outputText
            #expect(status.contains(/(?m)^namespace +\S+ has this ledger$/), "\(status)")
            #expect(status.contains(/(?m)^database +SQLite 3\.\S+, schema \d+, \S+ [KM]iB$/), "\(status)")
            #expect(status.contains(/(?m)^notifier .*, process (\d+)$/), "\(status)")
            #expect(status.contains("process \(second.pid)\n"), "\(status)")
            #expect(try await Web.page("http://127.0.0.1:\(port)/").contains("id=\"part-running\""))
            try await deployment.waitForOutcomes(2)

            let third = try deployment.start(.notifier)
            try await waitUntil(third, says: "not ready: standing by")
            // It stands by through a reload, and stops on SIGTERM.
            third.signal(SIGHUP)
            let fourth = try deployment.start(.notifier)
            try await waitUntil(fourth, says: "not ready: standing by")
            #expect(await fourth.stop() == 0)
            #expect(await second.stop() == 0)
            let three = try deployment.makeFile("three.bin", bytes: 1000)
            _ = try await deployment.enqueue(["--to", "local:", three.path])
            try await waitUntil(third, says: "ready")
            let told = try await deployment.waitForOutcomes(3)
            #expect(Set(told.compactMap { $0["id"] as? String }).count == 3)
            try await deployment.waitForLedger()
            #expect(try deployment.queryLedger("SELECT status, count(*) FROM jobs GROUP BY status") == ["completed|3"])
        }
    }

    @Test func aNotifierWithAnotherLedgerTakesNothingUntilAnOperatorAdoptsIt() async throws {
        try await Deployment.with { deployment in
            let first = try deployment.start(.notifier)
            try await waitUntil(first, says: "ready")
            let other = deployment.path.appending(path: "other.sqlite")
            let foreign = try deployment.start(.notifier, ["--ledger", other.path])
            try await waitUntil(foreign, says: "not ready: the namespace has the ledger")
            let reason = try await foreign.readiness()
            #expect(reason.contains("\(other.path) is another one") && reason.contains("uploadctl ledger adopt"))
            let port = try #require(foreign.port)
            #expect(try await Web.page("http://127.0.0.1:\(port)/healthz") == "alive\n")
            let page = try await Web.page("http://127.0.0.1:\(port)/")
            #expect(page.contains("<h2 id=\"heading\">Another ledger has the namespace</h2>"))
            let jobs = try await deployment.control("jobs", "--api", "http://127.0.0.1:\(port)", expecting: 69)
            let status = try await deployment.control("ledger", "status", "--ledger", other.path, expecting: 1)
            #expect(
                status.outputText.contains("has another ledger: see 'uploadctl ledger adopt'"), "\(status.outputText)")
            #expect(jobs.errorText.contains("uploadctl ledger adopt"), "\(jobs.errorText)")
            #expect(foreign.errorText.contains("this notifier records and publishes nothing"))

            // A serial line advances after a restart of the first notifier, though the other one ran alone meanwhile.
            let files = try (0..<3).map { try deployment.makeFile("\($0).bin", bytes: 1000) }
            let ids = try await deployment.enqueue(["--to", "local:", "--serial"] + files.map(\.path))
            try await deployment.waitForLedger()
            #expect(await first.stop() == 0)
            let worker = try deployment.start(.worker)
            try await waitUntil(worker, says: "ready")
            let again = try deployment.start(.notifier)
            try await waitUntil(again, says: "ready")
            let told = try await deployment.waitForOutcomes(3)
            #expect(told.compactMap { $0["subject"] as? String } == ids)
            try await waitUntil(foreign, says: "not ready: the namespace has the ledger")
            #expect(try deployment.queryLedger("SELECT count(*) FROM jobs", in: other) == ["0"])

            try await deployment.waitForLedger()

            // The command lists what the other ledger lacks, and changes nothing without a confirmation.
            let refused = try await deployment.control("ledger", "adopt", "--ledger", other.path, expecting: 77)
            #expect(refused.outputText.contains("names 3 jobs that it does not know"), "\(refused.outputText)")
            #expect(ids.allSatisfy(refused.outputText.contains))
            #expect(refused.outputText.contains("the jobs that wait in serial lines, of every transfer queue"))
            #expect(refused.errorText.contains("nothing was changed"))
            try await waitUntil(again, says: "ready")
            try await deployment.control("ledger", "adopt", "--ledger", other.path, "--yes")
            try await waitUntil(foreign, says: "ready")
            try await waitUntil(again, says: "not ready: the namespace has the ledger")
            let same = try await deployment.control("ledger", "adopt", "--ledger", other.path)
            #expect(same.errorText.contains("has this ledger already"), "\(same.errorText)")

            // The old ledger is also refused after a restart; the notifier with the adopted one records and delivers.
            #expect(await again.stop() == 0)
            let late = try deployment.start(.notifier)
            try await waitUntil(late, says: "not ready: the namespace has the ledger")
            let four = try deployment.makeFile("four.bin", bytes: 1000)
            let id = try await deployment.enqueue(["--to", "local:", four.path])
            try await deployment.waitForOutcomes(4)
            #expect(try deployment.queryLedger("SELECT id FROM jobs", in: other) == id)
            #expect(try deployment.queryLedger("SELECT count(*) FROM jobs") == ["3"])
        }
    }

    @Test func aLostLedgerIsBuiltAnewFromWhatComesInAndNoUploadIsLost() async throws {
        try await Deployment.with { deployment in
            let first = try deployment.start(.notifier)
            try await waitUntil(first, says: "ready")
            let files = try (0..<3).map { try deployment.makeFile("\($0).bin", bytes: 1000) }
            let ids = try await deployment.enqueue(["--to", "local:"] + files.map(\.path))
            try await deployment.waitForLedger()
            try await eventually("the jobs are recorded") {
                try deployment.queryLedger("SELECT count(*) FROM jobs") == ["3"]
            }
            #expect(await first.stop() == 0)
            for suffix in ["", "-wal", "-shm"] {
                try? FileManager.default.removeItem(atPath: deployment.ledger.path + suffix)
            }
            try deployment.start(.worker)
            let second = try deployment.start(.notifier)
            // A newly made ledger is another one, until an operator adopts it for the namespace.
            try await waitUntil(second, says: "not ready: the namespace has the ledger")
            try await deployment.control("ledger", "adopt", "--yes")
            try await waitUntil(second, says: "ready")
            let told = try await deployment.waitForOutcomes(3)
            #expect(Set(told.compactMap { $0["id"] as? String }) == Set(ids.map { "\($0).1.ended" }))
            for file in files { try deployment.expectArrived(file.lastPathComponent, like: file) }
            try await deployment.waitForLedger()
            #expect(try deployment.queryLedger("SELECT status, count(*) FROM jobs GROUP BY status") == ["completed|3"])
        }
    }

    /// The database may be on another host than the notifiers, so no lock of a file tells which of them works.
    @Test func notifiersWithOneDatabaseTakeOverFromOneThatIsKilledOrStopsForAWhileAndWaitForTheDatabase() async throws {
        let node = try await PostgreSQLNode()
        try await Deployment.with { deployment in
            try deployment.start(.worker)
            func start() throws -> RunningProgram {
                try deployment.start(.notifier, ["--ledger", node.url])
            }
            func upload(_ name: String) async throws {
                let file = try deployment.makeFile("\(name).bin", bytes: 1000)
                _ = try await deployment.enqueue(["--to", "local:", file.path])
            }
            let first = try start()
            try await waitUntil(first, says: "ready")
            #expect(!first.errorText.contains("secret"), "the log shows no password")
            let second = try start()
            try await waitUntil(second, says: "not ready: standing by")
            try await upload("one")
            try await deployment.waitForOutcomes(1)

            first.signal(SIGKILL)
            #expect(await first.wait() == 128 + SIGKILL)
            try await upload("two")
            try await waitUntil(second, says: "ready")
            try await deployment.waitForOutcomes(2)

            // A notifier that wakes up believes that it still has the ledger, and stands by as soon as the database tells it otherwise.
            let third = try start()
            try await waitUntil(third, says: "not ready: standing by")
            second.signal(SIGSTOP)
            try await upload("three")
            try await waitUntil(third, says: "ready")
            try await deployment.waitForOutcomes(3)
            second.signal(SIGCONT)
            try await waitUntil(second, says: "not ready: standing by")
            let same = try await deployment.control("ledger", "adopt", "--ledger", node.url)
            #expect(same.errorText.contains("has this ledger already"), "\(same.errorText)")

            let status = try await deployment.control("ledger", "status", "--ledger", node.url, "-o", "json")
            let shown = try #require(
                try JSONSerialization.jsonObject(with: Data(status.outputText.utf8)) as? [String: Any])
            #expect(shown["claim"] as? String == "this" && (shown["jobs"] as? Int ?? 0) >= 2, "\(shown)")
            #expect((shown["database"] as? String)?.hasPrefix("PostgreSQL 15") == true, "\(shown)")
            #expect(
                (shown["holders"] as? [String: [Int]])?.keys.map { $0.hasSuffix(", process \(third.pid)") } == [true],
                "\(shown)")
            #expect(!status.outputText.contains("secret"), "the place shows no password")

            // While the database is away uploads go on, and their outcomes wait.
            try await node.kill9()
            try await upload("four")
            try await eventually("the file arrives") {
                FileManager.default.fileExists(atPath: deployment.uploaded.appending(path: "four.bin").path)
            }
            try await eventually("a notifier says what is missing") {
                try await third.readiness().contains("cannot be reached")
            }
            try await node.start()
            let told = try await deployment.waitForOutcomes(4)
            #expect(Set(told.compactMap { $0["id"] as? String }).count == 4)
            try await eventually("one notifier works, and the other one stands by") {
                let states = try await [second.readiness(), third.readiness()].sorted()
                return states[0].hasPrefix("not ready: standing by") && states[1].hasPrefix("ready")
            }
            // A notifier that is asked to end ends, also when it learns just then that another one has taken over.
            let isThird = try await third.readiness().hasPrefix("ready")
            let (working, idle) = isThird ? (third, second) : (second, third)
            working.signal(SIGSTOP)
            try await waitUntil(idle, says: "ready")
            working.signal(SIGTERM)
            working.signal(SIGCONT)
            #expect(await working.wait() == 0)
            #expect(await idle.stop() == 0)

            // The operator moves the ledger to a file. A notifier that is started with the database afterwards is refused.
            let file = deployment.path.appending(path: "copy.sqlite").path
            let copy = try await deployment.control("ledger", "copy", node.url, file)
            #expect(copy.outputText.contains(/(?m)^jobs +4 rows  SHA-256 [0-9a-f]{16}…$/), "\(copy.outputText)")
            let again = try await deployment.control("ledger", "copy", node.url, file, expecting: 65)
            #expect(again.errorText.contains("name a new destination"), "\(again.errorText)")
            let last = try deployment.start(.notifier, ["--ledger", file])
            try await waitUntil(last, says: "ready")
            let old = try start()
            try await waitUntil(old, says: "not ready: another copy of the ledger")
            let port = try #require(last.port)
            let jobs = try await deployment.control("jobs", "--api", "http://127.0.0.1:\(port)")
            #expect(jobs.outputText.split(separator: "\n").filter { $0.contains("completed") }.count == 4)
        }
    }
}
