import Foundation
import Testing
import UploadTesting

/// Jobs of programs that speak HTTP alone.
@Suite(.serialized, .timeLimit(.minutes(40))) struct PostedJobTests {
    enum Ledger: CaseIterable { case file, postgreSQL }

    private static let body = #"""
        {"source": {"kind": "inline", "data": "aGVsbG8="}, "destination": {"name": "local", "key": "hello.txt"}}
        """#

    private func start(_ deployment: Deployment, _ arguments: [String] = []) async throws -> (RunningProgram, String) {
        let notifier = try deployment.start(.notifier, arguments)
        let port = try #require(notifier.port)
        try await eventually("the notifier is ready") { try await notifier.readiness() == "ready\n" }
        return (notifier, "http://127.0.0.1:\(port)/v1/jobs")
    }

    private func id(_ answer: Web.Answer?) throws -> String {
        let json = try JSONSerialization.jsonObject(with: Data((answer?.body ?? "").utf8)) as? [String: Any]
        return try #require(json?["id"] as? String, "\(String(describing: answer))")
    }

    private func jobCount(_ url: String) async throws -> Int? {
        let page = try await Web.page(url)
        let json = try JSONSerialization.jsonObject(with: Data(page.utf8)) as? [String: Any]
        return (json?["jobs"] as? [Any])?.count
    }

    @Test(arguments: Ledger.allCases)
    func aPostedJobIsCompletedAndARepeatIsTheSameJob(_ ledger: Ledger) async throws {
        let server = ledger == .postgreSQL ? try await PostgreSQLNode.shared() : nil
        let roots = try TemporaryDirectory()
        try await Deployment.with(ledger: server, configuration: ["sourceRoots: [\(roots.path)]"]) { deployment in
            let (_, url) = try await start(deployment)
            try deployment.start(.worker)
            let key = ["idempotency-key": "\"order 17\""]
            let first = try await Web.post(url, Self.body, key)
            #expect(first?.status == 201, "\(String(describing: first))")
            let id = try id(first)
            #expect(first?.headers["location"] == "/v1/jobs/\(id)")
            let story = try await Web.page(url + "/\(id)")
            #expect(story.contains("\"\(id)\""), "the place answers at once: \(story)")
            #expect(try await deployment.waitForOutcome(of: id)["type"] as? String == "upload.completed")
            let arrived = deployment.uploaded.appending(path: "hello.txt")
            #expect(try String(contentsOf: arrived, encoding: .utf8) == "hello")
            let again = try await Web.post(url, Self.body, key)
            #expect(again?.status == 200 && again?.body.contains("completed") == true)
            #expect(try self.id(again) == id)
            let other = Self.body.replacing("aGVsbG8=", with: "b3RoZXI=")
            #expect(try await Web.post(url, other, key)?.status == 422)

            let file = URL(filePath: roots.path).appending(path: "in place.bin")
            try Data(repeating: 7, count: 100_000).write(to: file)
            let inPlace = #"""
                {"source": {"kind": "file", "path": "\#(file.path)"}, "size": 100000,
                 "destination": {"name": "local", "key": "in place.bin"}}
                """#
            let trace = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"
            let second = try self.id(try await Web.post(url, inPlace, ["traceparent": trace]))
            #expect(try await deployment.waitForOutcome(of: second)["traceparent"] as? String == trace)
            #expect(try await deployment.waitForOutcome(of: second)["type"] as? String == "upload.completed")
            try deployment.expectArrived("in place.bin", like: file)

            for (wrong, status) in [
                ("", 400), ("[1]", 400), ("\u{0}", 400), (Self.body.replacing("local", with: "lcoal"), 400),
                (Self.body.replacing("hello.txt", with: "../hello.txt"), 400),
                (Self.body.replacing("\"inline\"", with: "\"staged\""), 400),
                (String(repeating: " ", count: 300_000) + Self.body, 413),
            ] {
                let answer = try await Web.post(url, wrong)
                #expect(answer?.status == status, "\(wrong.prefix(200)): \(String(describing: answer))")
                #expect(answer?.headers["content-type"] == "application/problem+json")
            }
            #expect(try await Web.post(url, Self.body, ["content-type": "text/plain"])?.status == 415)
            #expect(try await jobCount(url) == 2)
        }
    }

    /// Stopped, or blocked by an alarm: then it takes the message, and confirms it when the alarm is over.
    @Test(arguments: [false, true])
    func whileTheBrokerTakesNothingAPostIsAnsweredWith503AndARepeatIsOneJob(isBlocked: Bool) async throws {
        let broker = try await BrokerNode.start(configuration: "heartbeat = 2\n")
        do {
            try await Deployment.with(broker: broker) { deployment in
                let (notifier, url) = try await start(deployment)
                try deployment.start(.worker)
                let key = ["idempotency-key": "k"]
                if isBlocked {
                    try await broker.ctl("set_vm_memory_high_watermark", "absolute", "1MB")
                } else {
                    try await broker.stopApp()
                }
                let refused = try await Web.post(url, Self.body, key)
                #expect(refused?.status == 503, "\(String(describing: refused))")
                #expect(refused?.headers["retry-after"] != nil)
                #expect(refused?.body.contains("same body and idempotency key") == true)
                if isBlocked {
                    try await broker.ctl("set_vm_memory_high_watermark", "absolute", "1GB")
                } else {
                    try await broker.startApp()
                }
                var answer: Web.Answer?
                try await eventually("the notifier takes the job") {
                    answer = try await Web.post(url, Self.body, key)
                    return answer?.status == 201 || answer?.status == 200
                }
                let id = try id(answer)
                #expect(try await deployment.waitForOutcome(of: id)["type"] as? String == "upload.completed")
                #expect(try await jobCount(url) == 1)
                #expect(notifier.isRunning)
            }
        } catch {
            try await broker.stop()
            throw error
        }
        try await broker.stop()
    }

    /// The broker has the job, and the caller has no answer.
    @Test func aNotifierThatDiesBeforeItAnswersLeavesOneJobWhenTheRequestIsRepeated() async throws {
        try await Deployment.with { deployment in
            let (kill, namespace) = (KillSwitch(), deployment.namespace)
            let proxy = try AMQPFaultProxy(to: deployment.broker.port)
            defer { proxy.stop() }
            let point = CrashPoint(
                victim: .notifier, moment: .before, what: "the confirm of the job",
                step: .confirm(CrashPoint.Mail(exchange: "submit", key: "default")))
            proxy.setRule { point.action(on: $0, in: namespace, kill) }
            let (doomed, url) = try await start(deployment, ["--broker", proxy.url])
            kill.arm(doomed)
            let key = ["idempotency-key": "k"]
            #expect(try await Web.post(url, Self.body, key) == nil)
            #expect(await doomed.wait() == 128 + SIGKILL)
            let (_, next) = try await start(deployment)
            let again = try await Web.post(next, Self.body, key)
            #expect(again?.status == 200 || again?.status == 201, "\(String(describing: again))")
            let id = try id(again)
            try deployment.start(.worker)
            #expect(try await deployment.waitForOutcome(of: id)["type"] as? String == "upload.completed")
            try await deployment.waitForLedger()
            #expect(try await Web.post(next, Self.body, key)?.status == 200)
            #expect(try await jobCount(next) == 1)
            #expect(try deployment.queryLedger("SELECT count(*) FROM unreadable") == ["0"])
            #expect(Set(try deployment.toldOutcomes().compactMap { $0["id"] as? String }) == ["\(id).1.ended"])
        }
    }

    /// The example of the page HTTPAPI as it stands, but for the port.
    @Test func theRequestOfTheDocumentationWorksAsItStands() async throws {
        let page = URL(filePath: #filePath).deletingLastPathComponent()
            .appending(path: "../../Sources/Uploads/Uploads.docc/HTTPAPI.md").standardizedFileURL
        let text = try String(contentsOf: page, encoding: .utf8)
        let start = try #require(text.range(of: "```sh\n"))
        let end = try #require(text[start.upperBound...].range(of: "```"))
        let example = String(text[start.upperBound..<end.lowerBound])
        let archive = try TemporaryDirectory()
        try await Deployment.with(destinations: ["archive: {driver: directory, path: \(archive.path)}"]) { deployment in
            let (_, url) = try await self.start(deployment)
            try deployment.start(.worker)
            let script = example.replacing("localhost:9700/v1/jobs", with: url.dropFirst("http://".count))
            #expect(script != example)
            let answer = Web.Answer(status: 0, headers: [:], body: try await Shell.run("sh", "-c", script))
            let id = try id(answer)
            #expect(try await deployment.waitForOutcome(of: id)["type"] as? String == "upload.completed")
            #expect(try String(contentsOf: archive.url("hello.txt"), encoding: .utf8) == "hello")
        }
    }
}
