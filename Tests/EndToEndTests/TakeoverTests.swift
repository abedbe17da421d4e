import Foundation
import Testing
import UploadTesting

/// Two notifiers with one ledger on one host: one works, the other one takes over.
@Suite(.timeLimit(.minutes(40))) struct TakeoverTests {
    private func waitUntil(_ program: RunningProgram, says text: String) async throws {
        try await eventually("\(program.name) says '\(text)'") {
            #expect(program.isRunning)
            return try program.readiness().hasPrefix(text)
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
            #expect(try Shell.run("curl", "-s", "http://127.0.0.1:\(port)/healthz") == "alive\n")
            // A person is told so as well, at the address where the dashboard will be.
            #expect(
                try Shell.run("curl", "-s", "http://127.0.0.1:\(port)/").contains("<h2 id=\"heading\">Standing by</h2>")
            )
            let one = try deployment.makeFile("one.bin", bytes: 1000)
            _ = try await deployment.enqueue(["--to", "local:", one.path])
            try await deployment.waitForOutcomes(1)

            first.signal(SIGKILL)
            #expect(await first.wait() == 128 + SIGKILL)
            let two = try deployment.makeFile("two.bin", bytes: 1000)
            _ = try await deployment.enqueue(["--to", "local:", two.path])
            try await waitUntil(second, says: "ready")
            #expect(try Shell.run("curl", "-s", "http://127.0.0.1:\(port)/").contains("id=\"part-running\""))
            try await deployment.waitForOutcomes(2)

            let third = try deployment.start(.notifier)
            try await waitUntil(third, says: "not ready: standing by")
            // It stands by through a reload, and stops when it is told to.
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
            try await waitUntil(second, says: "ready")
            let told = try await deployment.waitForOutcomes(3)
            #expect(Set(told.compactMap { $0["id"] as? String }) == Set(ids.map { "\($0).1.ended" }))
            for file in files { try deployment.expectArrived(file.lastPathComponent, like: file) }
            try await deployment.waitForLedger()
            #expect(try deployment.queryLedger("SELECT status, count(*) FROM jobs GROUP BY status") == ["completed|3"])
        }
    }
}
