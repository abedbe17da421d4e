import Foundation
import Testing
import UploadTesting

/// Outcomes reach a webhook, signed, with the server's answer.
@Suite(.timeLimit(.minutes(40))) struct DelegateTests {
    @Test func aWebhookIsToldTheOutcomeOfAnHTTPUploadWithTheServersAnswer() async throws {
        let nginx = try await NginxServer()
        let port = try Ports.free()
        let secret = "whsec_" + Data("a-secret-of-the-hook-0123456789".utf8).base64EncodedString()
        try await Deployment.with(
            delegates: ["hook: {kind: webhook, url: http://127.0.0.1:\(port)/hook, secret: env:HOOK_SECRET}"],
            configuration: []
        ) { deployment in
            // The receiver verifies with the Standard Webhooks library and refuses the first try.
            let received = deployment.path.appending(path: "received.ndjson")
            let receiver = try RunningProgram(
                URL(filePath: "/usr/bin/env"), ["python3", "-c", Self.receiver, "\(port)", secret, received.path],
                environment: ProcessInfo.processInfo.environment, directory: deployment.path, logs: deployment.logs,
                name: "receiver")
            defer { receiver.signal(SIGKILL) }
            try deployment.start(
                .notifier, [], environment: ["HOOK_SECRET": secret, "UPLOAD_NOTIFIER_ALLOW_NETWORKS": "127.0.0.0/8"])
            try deployment.start(.worker)
            let file = try deployment.makeFile("a.bin", bytes: 100_000)
            _ = try await deployment.enqueue(["--to", "\(nginx.url)dir/a.bin", "--wait", file.path])
            #expect(nginx.stored("dir/a.bin") == Array(try Data(contentsOf: file)))
            try await eventually("the webhook is told, at the second try") {
                (try? String(contentsOf: received, encoding: .utf8))?.isEmpty == false
            }
            let line = try String(contentsOf: received, encoding: .utf8).split(separator: "\n")
            #expect(line.count == 1)
            let event = try #require(
                try JSONSerialization.jsonObject(with: Data(line[0].utf8)) as? [String: Any])
            #expect(event["type"] as? String == "upload.completed")
            let response = (event["data"] as? [String: Any])?["response"] as? [String: Any]
            #expect(response?["status"] as? Int == 201)
        }
    }

    static let receiver = """
        import http.server, json, sys
        from standardwebhooks.webhooks import Webhook
        port, secret, path = int(sys.argv[1]), sys.argv[2], sys.argv[3]
        tries = 0
        class Handler(http.server.BaseHTTPRequestHandler):
            def do_POST(self):
                global tries
                body = self.rfile.read(int(self.headers["Content-Length"]))
                Webhook(secret).verify(body, {k.lower(): v for k, v in self.headers.items()})
                tries += 1
                self.send_response(503 if tries == 1 else 204)
                self.end_headers()
                if tries > 1:
                    with open(path, "ab") as file: file.write(body + b"\\n")
            def log_message(self, *arguments): pass
        http.server.HTTPServer(("127.0.0.1", port), Handler).serve_forever()
        """
}
