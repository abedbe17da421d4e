import Foundation
import Testing
import UploadTesting
import Uploads

/// Notifiers with one ledger in PostgreSQL divide the shards of a namespace among themselves.
@Suite(.serialized, .timeLimit(.minutes(40))) struct SeveralNotifiersTests {
    private static let sixteen = Shards(16) ?? .one

    private func enqueue(_ count: Int, _ name: String, _ deployment: Deployment, _ options: String...) async throws
        -> [String]
    {
        let files = try (0..<count).map { try deployment.makeFile("\(name)-\($0).bin", bytes: 1000) }
        return try await deployment.enqueue(["--to", "local:", "--batch", name] + options + files.map(\.path))
    }

    private func waitUntilReady(_ programs: [RunningProgram]) async throws {
        for program in programs {
            try await eventually("\(program.name) has shards") {
                #expect(program.isRunning)
                return try await program.readiness() == "ready\n"
            }
        }
    }

    /// Each outcome is told once under one id, and a serial line in its order.
    private func expectWhole(_ ids: [String], serial: [String], _ deployment: Deployment) async throws {
        let told = try await deployment.waitForOutcomes(ids.count + serial.count)
        let subjects = told.compactMap { $0["subject"] as? String }
        #expect(Set(subjects) == Set(ids + serial))
        #expect(Set(told.compactMap { $0["id"] as? String }).count == ids.count + serial.count)
        #expect(told.allSatisfy { $0["type"] as? String == "upload.completed" })
        var seen: [String] = []
        for subject in subjects where serial.contains(subject) && !seen.contains(subject) { seen.append(subject) }
        #expect(seen == serial)
    }

    /// Each shard has one notifier, which shows its lag; all of them together have recorded this many messages or more.
    private func expectMetrics(of notifiers: [RunningProgram], recorded: Double) async throws {
        var (shards, sum): ([String], Double) = ([], 0)
        for notifier in notifiers {
            let page = try await Web.page("http://127.0.0.1:\(try #require(notifier.port))/metrics")
            for match in page.matches(of: /upload_notifier_shard_lag_seconds\{shard="(\d+)"\} (\S+)/) {
                shards.append(String(match.1))
                let seconds = try #require(Double(match.2))
                #expect(seconds >= 0 && seconds < 300)
            }
            for match in page.matches(of: /upload_notifier_recorded_total\{shard="\d+"\} (\S+)/) {
                sum += try #require(Double(match.1))
            }
        }
        #expect(shards.count == 16 && Set(shards).count == 16, "\(shards)")
        #expect(sum >= recorded)
    }

    @Test func fourNotifiersShareTheWorkAndGoOnForThoseThatDieOrStop() async throws {
        let node = try await PostgreSQLNode()
        try await Deployment.with(shards: Self.sixteen) { deployment in
            func start() throws -> RunningProgram { try deployment.start(.notifier, ["--ledger", node.url]) }
            for _ in 0..<2 { try deployment.start(.worker) }
            var notifiers = try (0..<4).map { _ in try start() }
            try await waitUntilReady(notifiers)
            var ids = try await enqueue(40, "calm", deployment)
            try await deployment.waitForOutcomes(40)

            // The API of any notifier knows all jobs.
            for notifier in notifiers {
                let api = "http://127.0.0.1:\(try #require(notifier.port))"
                let jobs = try await deployment.control(
                    "jobs", "--batch", "calm", "--limit", "100", "-o", "ndjson", "--api", api)
                #expect(jobs.outputText.split(separator: "\n").count == 40)
            }
            try await expectMetrics(of: notifiers, recorded: 80)
            let serial = try await enqueue(12, "line", deployment, "--serial")
            for round in 0..<6 {
                let victim = round % notifiers.count
                if round % 3 == 2 {
                    // It wakes up and believes that it still has its shards.
                    notifiers[victim].signal(SIGSTOP)
                    ids += try await enqueue(20, "stopped-\(round)", deployment)
                    try await deployment.waitForOutcomes(ids.count)
                    notifiers[victim].signal(SIGCONT)
                } else {
                    notifiers[victim].killAndWait()
                    ids += try await enqueue(20, "killed-\(round)", deployment)
                    notifiers[victim] = try start()
                }
            }
            try await expectWhole(ids, serial: serial, deployment)
            try await waitUntilReady(notifiers)
            // The last one that came back is ready with its first shard; the others give it more one after the other.
            try await eventually("each has four of the sixteen shards") {
                // Its exit status is 1 while a shard goes from one to another.
                let status = try await deployment.control(
                    "ledger", "status", "--ledger", node.url, "-o", "json", expecting: nil)
                let shown = try JSONSerialization.jsonObject(with: Data(status.outputText.utf8)) as? [String: Any]
                let holders = try #require(shown?["holders"] as? [String: [Int]])
                return holders.count == 4 && holders.values.allSatisfy { $0.count == 4 }
                    && holders.values.flatMap { $0 }.sorted() == Array(0..<16)
            }
            // One order reaches the jobs of all.
            let forgotten = try await deployment.control(
                "forget", "--batch", "calm", "-o", "ndjson", "--yes")
            #expect(forgotten.outputText.split(separator: "\n").count == 40, "\(forgotten.outputText)")
            for notifier in notifiers { #expect(await notifier.stop() == 0) }
        }
    }

    /// Answers each request, and prints its path and the job that its event is about.
    private static let receiver = """
        import http.server, json, sys
        class Handler(http.server.BaseHTTPRequestHandler):
            def do_POST(self):
                event = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                print(f"{self.path[1:]} {event['subject']}\\n", end="", flush=True)
                self.send_response(200)
                self.send_header("Content-Length", "0")
                self.end_headers()
            def log_message(self, *arguments): pass
        server = http.server.ThreadingHTTPServer(("127.0.0.1", int(sys.argv[1])), Handler)
        print("listening", flush=True)
        server.serve_forever()
        """

    /// The delegates `a` to `d` are in the four shards, and so with both notifiers.
    @Test func aDelegateThatOneNotifierRegistersIsServedByTheOneThatHasItsShard() async throws {
        let node = try await PostgreSQLNode()
        try await Deployment.with(shards: Shards(4) ?? .one) { deployment in
            let port = try Ports.free()
            let receiver = try RunningProgram(
                URL(filePath: "/usr/bin/env"), ["python3", "-c", Self.receiver, "\(port)"],
                environment: ProcessInfo.processInfo.environment, directory: deployment.path, logs: deployment.logs,
                name: "receiver")
            defer { receiver.signal(SIGKILL) }
            try await eventually("the receiver listens") { receiver.outputText.contains("listening") }
            func told(_ name: String) -> [String] {
                let lines: [[Substring]] = receiver.outputText.split(separator: "\n").map { $0.split(separator: " ") }
                return lines.filter { $0.first == name[...] }.compactMap { $0.last.map { String($0) } }
            }
            try deployment.start(.worker)
            let notifiers = try (0..<2).map { _ in
                try deployment.start(
                    .notifier, ["--ledger", node.url], environment: ["UPLOAD_NOTIFIER_ALLOW_NETWORKS": "127.0.0.0/8"])
            }
            try await waitUntilReady(notifiers)
            let apis = try notifiers.map { "http://127.0.0.1:\(try #require($0.port))" }
            let names = ["a", "b", "c", "d"]
            for name in names {
                try await deployment.control(
                    "delegate", "add", name, "--url", "http://127.0.0.1:\(port)/\(name)", "--api", apis[0])
            }
            let first = try await enqueue(24, "first", deployment)
            for name in names {
                try await eventually("\(name) is told of all") { Set(told(name)) == Set(first) }
            }
            // The other notifier knows them, and its orders hold for the one that delivers.
            let list = try await deployment.control("delegate", "list", "--api", apis[1])
            #expect(names.allSatisfy { list.outputText.contains("\n\($0) ") }, "\(list.outputText)")
            for name in ["a", "b"] { try await deployment.control("delegate", "pause", name, "--api", apis[1]) }
            for name in ["c", "d"] {
                try await deployment.control("delegate", "remove", name, "--yes", "--discard", "--api", apis[1])
            }
            let second = try await enqueue(8, "second", deployment)
            try await deployment.waitForOutcomes(32)
            for name in ["a", "b"] { try await deployment.control("delegate", "resume", name, "--api", apis[0]) }
            for name in ["a", "b"] {
                try await eventually("\(name) is told of the rest") { Set(told(name)) == Set(first + second) }
            }
            let count = names.reduce(0) { $0 + told($1).count }
            #expect(count == 112, "each of them once: 24 for each of four, and 8 more for two")
            // When one ends, the other delivers to all.
            #expect(await notifiers[0].stop() == 0)
            let third = try await enqueue(4, "third", deployment)
            let all: Set<String> = Set(first).union(second).union(third)
            for name in ["a", "b"] {
                try await eventually("\(name) is told by the other") { Set(told(name)) == all }
            }
            #expect(await notifiers[1].stop() == 0)
        }
    }
}
