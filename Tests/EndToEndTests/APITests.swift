import Foundation
import Testing
import UploadTesting

/// The notifier's HTTP API, used by a program that shares no code with it.
@Suite(.serialized, .timeLimit(.minutes(40))) struct APITests {
    private static let folder = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "API")

    /// Runs a Python script of the folder `API` against a notifier and returns its output.
    @discardableResult
    private func python(_ script: String, _ port: Int, _ arguments: [String] = []) async throws -> String {
        let scratch = try TemporaryDirectory()
        let program = try RunningProgram(
            URL(filePath: "/usr/bin/env"),
            ["python3", Self.folder.appending(path: script).path, "http://127.0.0.1:\(port)"] + arguments,
            environment: [
                "PATH": ProcessInfo.processInfo.environment["PATH"] ?? "", "LANG": "C.UTF-8",
                "HOME": scratch.url.path, "PYTHONDONTWRITEBYTECODE": "1",
            ], directory: scratch.url, logs: scratch.url, name: "python")
        let status = await program.wait()
        try #require(
            status == 0, "\(script): \(program.outputText.suffix(6000))\(program.errorText.suffix(3000))")
        return program.outputText
    }

    private func waitForHTTP(_ notifier: RunningProgram) async throws -> Int {
        let port = try #require(notifier.port)
        try await eventually("the notifier listens") { Ports.isOpen(port) }
        return port
    }

    @Test func anEnqueuedJobIsListedToldAndCancelledAndAnswersAreAsDescribed() async throws {
        try await Deployment.with(delegates: ["hook: {kind: queue}"]) { deployment in
            let port = try await waitForHTTP(try deployment.start(.notifier))
            let file = try deployment.makeFile("a.bin", bytes: 100_000)
            let ids = try await deployment.enqueue(["--to", "local:", "--batch", "trip", file.path])
            let id = try #require(ids.first)
            try await deployment.waitForStatus("queued", of: id)
            try await python("story.py", port, [id])
            try deployment.start(.worker)
            try await deployment.waitForStatus("cancelled", of: id)
            try await deployment.waitForLedger()
            try await python("answers.py", port, [id])
        }
    }

    @Test func eventsAreFollowedAndGoOnWhereAReaderWasCutOff() async throws {
        try await Deployment.with { deployment in
            let port = try await waitForHTTP(try deployment.start(.notifier))
            try deployment.start(.worker)
            let file = try deployment.makeFile("a.bin", bytes: 1000)
            let first = try #require(try await deployment.enqueue(["--to", "local:1", file.path]).first)
            try await deployment.waitForOutcomes(1)
            try await deployment.waitForLedger()
            let second = try #require(try await deployment.enqueue(["--to", "local:2", file.path]).first)
            try await python("follow.py", port, [first, second])
        }
    }

    @Test func whatCannotBeUnderstoodIsAProblemAndNeverAFailure() async throws {
        try await Deployment.with { deployment in
            let notifier = try deployment.start(.notifier)
            let port = try await waitForHTTP(notifier)
            let worker = try deployment.start(.worker)
            let file = try deployment.makeFile("a.bin", bytes: 1000)
            let id = try #require(try await deployment.enqueue(["--to", "local:1", file.path]).first)
            try await deployment.waitForOutcomes(1)
            try await deployment.waitForLedger()
            // Invented jobs are enqueued, and not carried out.
            await worker.stop()
            try await python("fuzz.py", port, [id])
            #expect(notifier.isRunning)
        }
    }

    @Test func aNotifierThatOthersCouldReachNeedsAToken() async throws {
        try await Deployment.with { deployment in
            let port = try Ports.free()
            let open = try deployment.start(.notifier, ["--http", "0.0.0.0:\(port)"])
            #expect(await open.wait() == 78)
            #expect(open.errorText.contains("set notifier.token"))
            let guarded = try deployment.start(
                .notifier, ["--http", "0.0.0.0:\(port)"],
                environment: ["UPLOAD_NOTIFIER_TOKEN": "0123456789abcdef"])
            try await eventually("the notifier listens") { Ports.isOpen(port) }
            try await python("guarded.py", port, ["0123456789abcdef"])
            await guarded.stop()
            #expect(!guarded.errorText.contains("0123456789abcdef"))
        }
    }

    @Test func namedTokensHaveRolesAreReplacedWithoutARestartAndEachOrderHasItsGiver() async throws {
        let tokens = [
            "tokens:", "  ada: {token: file:ada.token, role: administer}", "  rae: {token: file:rae.token, role: read}",
        ]
        try await Deployment.with(delegates: ["hook: {kind: queue}"], configuration: tokens) { deployment in
            let (ada, rae) = (
                deployment.path.appending(path: "ada.token"), deployment.path.appending(path: "rae.token")
            )
            try Data("ada-0123456789abc\n".utf8).write(to: ada)
            try Data("rae-0123456789abc\n".utf8).write(to: rae)
            let notifier = try deployment.start(.notifier)
            let api = "http://127.0.0.1:\(try await waitForHTTP(notifier))"
            let file = try deployment.makeFile("a.bin", bytes: 1000)
            let id = try #require(try await deployment.enqueue(["--to", "local:", file.path]).first)
            // `uploadctl pause` asks the broker, `uploadctl delegate` the API.
            try await deployment.control("pause", id)
            let refused = try await deployment.control(
                "delegate", "pause", "hook", "--api", api, "--token-file", rae.path, expecting: 77)
            #expect(refused.errorText.contains("'rae' has the role 'read'"), "\(refused.errorText)")
            try await deployment.control("delegate", "pause", "hook", "--api", api, "--token-file", ada.path)
            let listed = try await deployment.control("audit", "--api", api, "--token-file", ada.path, "-o", "ndjson")
                .outputText
            let entries = try listed.split(separator: "\n").map {
                try #require(try JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Any])
            }
            #expect(entries.map { $0["verb"] as? String } == ["delegate.pause", "pause"])
            #expect(entries.first?["by"] as? String == "ada from 127.0.0.1")
            #expect((entries.last?["by"] as? String)?.contains("@") == true && entries.last?["job"] as? String == id)
            #expect(
                try await deployment.control("audit", "--api", api, "--token-file", rae.path, expecting: 77).outputText
                    == "")

            let old = deployment.path.appending(path: "old.token")
            try Data("ada-0123456789abc\n".utf8).write(to: old)
            try Data("ada-9876543210xyz\nada-0123456789abc\n".utf8).write(to: ada)
            notifier.signal(SIGHUP)
            try await eventually("the new text counts") {
                try await deployment.control("audit", "--api", api, "--token-file", ada.path, expecting: nil).wait()
                    == 0
            }
            try await deployment.control("audit", "--api", api, "--token-file", old.path)
            try Data("ada-9876543210xyz\n".utf8).write(to: ada)
            notifier.signal(SIGHUP)
            try await eventually("the old text counts no more") {
                try await deployment.control("audit", "--api", api, "--token-file", old.path, expecting: nil).wait()
                    == 77
            }
            #expect(
                try await deployment.control("audit", "--api", api, "--token-file", ada.path).outputText.contains(
                    "hook"))
            #expect(notifier.isRunning && !notifier.errorText.contains("9876543210"))
        }
    }
}
