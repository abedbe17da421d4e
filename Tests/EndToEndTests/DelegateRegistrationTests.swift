import Foundation
import Testing
import UploadTesting

/// A webhook that is registered, changed and removed while everything runs.
@Suite(.timeLimit(.minutes(40))) struct DelegateRegistrationTests {
    private struct Told: Decodable {
        let subject: String
        let mode: String
        /// Which of the secrets, in the order of the file, verify the signatures.
        let verified: [Int]
    }

    @Test func aWebhookIsRegisteredToldAfterACrashChangedAndRemoved() async throws {
        try await Deployment.with { deployment in
            let port = try Ports.free()
            let received = deployment.path.appending(path: "received.ndjson")
            let secrets = deployment.path.appending(path: "secrets")
            let receiver = try RunningProgram(
                URL(filePath: "/usr/bin/env"),
                ["python3", "-c", Self.receiver, "\(port)", secrets.path, received.path],
                environment: ProcessInfo.processInfo.environment, directory: deployment.path, logs: deployment.logs,
                name: "receiver")
            defer { receiver.signal(SIGKILL) }
            try await eventually("the receiver listens") { receiver.outputText.contains("listening") }
            func told() -> [Told] {
                let text = (try? String(contentsOf: received, encoding: .utf8)) ?? ""
                return text.split(separator: "\n").compactMap {
                    try? JSONDecoder().decode(Told.self, from: Data($0.utf8))
                }
            }
            /// Waits until the ledger has noted the answered deliveries; otherwise a crash, and not the replay, could repeat them.
            func waitUntilNoted() async throws {
                try await eventually("what was told is noted") {
                    try deployment.queryLedger(
                        "SELECT count(*) FROM deliveries WHERE delegate = 'hook' AND delivered IS NULL") == ["0"]
                }
            }
            func upload(_ name: String) async throws -> String {
                let file = try deployment.makeFile(name, bytes: 1000)
                return try #require(try await deployment.enqueue(["--to", "local:", file.path]).first)
            }
            func startNotifier() async throws -> (RunningProgram, String) {
                let program = try deployment.start(
                    .notifier, [], environment: ["UPLOAD_NOTIFIER_ALLOW_NETWORKS": "127.0.0.0/8"])
                let port = try #require(program.port)
                try await eventually("the notifier is ready") {
                    try await program.readiness() == "ready\n"
                }
                return (program, "http://127.0.0.1:\(port)")
            }
            try deployment.start(.worker)
            var (notifier, api) = try await startNotifier()
            let before = try await upload("before.bin")
            try await deployment.waitForOutcomes(1)

            let added = try await deployment.control(
                "delegate", "add", "hook", "--url", "http://127.0.0.1:\(port)/hook", "--api", api)
            let first = added.outputText.trimmingCharacters(in: .newlines)
            #expect(first.hasPrefix("whsec_") && added.errorText.contains("it is not shown again"))
            try Data("\(first)\n".utf8).write(to: secrets)
            let one = try await upload("one.bin")
            try await eventually("the webhook is told") { told().map(\.subject) == [one] }
            try await waitUntilNoted()

            notifier.signal(SIGKILL)
            _ = await notifier.wait()
            (notifier, api) = try await startNotifier()
            let two = try await upload("two.bin")
            try await eventually("it is told of the next") {
                told().map(\.subject) == [one, two]
            }

            let rotated = try await deployment.control(
                "delegate", "rotate-secret", "hook", "--overlap", "1h", "-o", "json", "--api", api)
            let answer = try JSONSerialization.jsonObject(with: Data(rotated.outputText.utf8)) as? [String: Any]
            let second = try #require(answer?["secret"] as? String)
            try Data("\(first)\n\(second)\n".utf8).write(to: secrets)
            try await deployment.control("delegate", "change", "hook", "--mode", "binary", "--api", api)
            let three = try await upload("three.bin")
            try await eventually("it is told as it was changed") { told().count == 3 }
            try await waitUntilNoted()
            try await deployment.control("delegate", "replay", "hook", "--since", "1h", "--api", api)
            try await eventually("it is told of before as well") { told().count == 7 }
            try await waitUntilNoted()
            #expect(Set(told().map(\.subject)) == [before, one, two, three])
            #expect(told().map(\.mode) == ["structured", "structured"] + Array(repeating: "binary", count: 5))
            #expect(told().map(\.verified) == [[0], [0]] + Array(repeating: [0, 1], count: 5))

            let shown = try await deployment.control("delegate", "show", "hook", "--api", api)
            #expect(shown.outputText.contains("registration") && shown.outputText.contains("an old one signs too"))
            let list = try await deployment.control("delegate", "list", "--api", api)
            #expect(list.outputText.contains("configuration") && list.outputText.contains("registration"))
            try await deployment.control("delegate", "remove", "events", "--yes", "--api", api, expecting: 1)
            try await deployment.control("delegate", "pause", "hook", "--api", api)
            _ = try await upload("four.bin")
            try await eventually("one waits for it") {
                try await Web.page("\(api)/metrics").contains(
                    #"upload_delegate_backlog{delegate="hook"} 1"#)
            }
            let kept = try await deployment.control("delegate", "remove", "hook", "--yes", "--api", api, expecting: 1)
            #expect(kept.errorText.contains("1 outcomes wait") && kept.errorText.contains("--discard"))
            try await deployment.control("delegate", "remove", "hook", "--yes", "--discard", "--api", api)
            try await deployment.control("delegate", "show", "hook", "--api", api, expecting: 66)
            _ = try await upload("five.bin")
            try await deployment.waitForOutcomes(6)
            #expect(told().count == 7)
            #expect(await notifier.stop() == 0)
            let logs = try FileManager.default.contentsOfDirectory(at: deployment.logs, includingPropertiesForKeys: nil)
            for log in logs where log.lastPathComponent.contains("upload-notifier") {
                let text = try String(contentsOf: log, encoding: .utf8)
                #expect(!text.contains(first) && !text.contains(second))
            }
        }
    }

    /// A receiver that verifies with the Standard Webhooks library and writes down each request.
    private static let receiver = """
        import http.server, json, sys
        from standardwebhooks.webhooks import Webhook, WebhookVerificationError
        port, secrets, path = int(sys.argv[1]), sys.argv[2], sys.argv[3]
        def verifies(secret, body, headers):
            try:
                Webhook(secret).verify(body, headers)
                return True
            except WebhookVerificationError:
                return False
        class Handler(http.server.BaseHTTPRequestHandler):
            def do_POST(self):
                body = self.rfile.read(int(self.headers["Content-Length"]))
                headers = {k.lower(): v for k, v in self.headers.items()}
                known = open(secrets).read().split()
                good = [i for i, secret in enumerate(known) if verifies(secret, body, headers)]
                mode = "binary" if "ce-id" in headers else "structured"
                subject = headers["ce-subject"] if mode == "binary" else json.loads(body)["subject"]
                with open(path, "a") as file:
                    file.write(json.dumps({"subject": subject, "mode": mode, "verified": good}) + "\\n")
                self.send_response(204)
                self.end_headers()
            def log_message(self, *arguments): pass
        server = http.server.HTTPServer(("127.0.0.1", port), Handler)
        print("listening", flush=True)
        server.serve_forever()
        """
}
