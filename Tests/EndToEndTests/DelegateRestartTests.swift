import Foundation
import Testing
import UploadTesting

/// Delegates receive every outcome, once in order and under one id, whichever program is killed meanwhile.
@Suite(.timeLimit(.minutes(40))) struct DelegateRestartTests {
    private static let secrets = ["old-secret-of-the-hook-01234567", "new-secret-of-the-hook-01234567"].map {
        "whsec_" + Data($0.utf8).base64EncodedString()
    }
    /// Jobs whose first two rounds fail.
    private static let failingCount = 100

    @Test func aThousandUploadsAreToldInOrderWhileReceiverNotifierAndBrokerAreRestarted() async throws {
        let port = try Ports.free()
        let folder = try TemporaryDirectory()
        let broker = try await BrokerNode.start(configuration: "heartbeat = 5\n")
        do {
            try await Deployment.with(
                broker: broker,
                destinations: [
                    "gone: {driver: http, url: 'http://127.0.0.1:9/'}",
                    "slow: {driver: directory, path: \(folder.path), limits: {requestsPerSecond: 50}}",
                ],
                delegates: [
                    "hook: {kind: webhook, url: http://127.0.0.1:\(port)/hook, secret: [env:NEW, env:OLD], ordered: true}",
                    "crm: {kind: queue, fields: {file: subject}}",
                ]
            ) { try await tell(port, $0) }
        } catch {
            try await broker.stop()
            throw error
        }
        try await broker.stop()
    }

    private func tell(_ port: Int, _ deployment: Deployment) async throws {
        func startReceiver(_ name: String, refusingEvery every: Int) async throws -> JudgingReceiver {
            try await JudgingReceiver.start(
                deployment, port: port, secret: Self.secrets[0], name: name, refusingEvery: every)
        }
        func startNotifier() throws -> RunningProgram {
            try deployment.start(
                .notifier, [],
                environment: [
                    "OLD": Self.secrets[0], "NEW": Self.secrets[1], "UPLOAD_NOTIFIER_ALLOW_NETWORKS": "127.0.0.0/8",
                ])
        }
        func enqueue(_ names: Range<Int>, _ arguments: [String]) async throws -> [String] {
            let files = try names.map { try deployment.makeFile("\($0).bin", bytes: 100) }
            return try await deployment.enqueue(arguments + files.map(\.path))
        }
        var receiver = try await startReceiver("receiver-1", refusingEvery: 7)
        defer { receiver.program.signal(SIGKILL) }
        func waitForAccepted(_ count: Int, _ what: String) async throws {
            try await eventually("\(what): \(count) outcomes", within: .seconds(600)) {
                try await receiver.verdict().acceptedCount >= count
            }
        }
        func waitForFailed() async throws {
            try await eventually("the round has failed") {
                let failed = try deployment.queryLedger(
                    "SELECT count(*) FROM jobs WHERE status = 'failed' AND batch = 'blocked'")
                return failed == ["\(Self.failingCount)"]
            }
        }
        let worker = try deployment.start(.worker)
        var notifier = try startNotifier()

        // A file in the place of a directory fails a job at once. The second round ends while refused outcomes of the first
        // wait for their next delivery.
        let blocker = try deployment.makeFile("blocker", bytes: 1)
        try FileManager.default.moveItem(at: blocker, to: deployment.uploaded.appending(path: "blocked"))
        let failing = try await enqueue(0..<Self.failingCount, ["--to", "local:blocked/", "--batch", "blocked"])
        var ids = failing + (try await enqueue(100..<299, ["--to", "local:"]))
        ids += try await enqueue(299..<300, ["--to", "gone:", "--max-attempts", "2"])
        try await waitForFailed()
        try await deployment.control("run", "--again", "--batch", "blocked")
        try await waitForAccepted(300 + Self.failingCount, "both rounds are told")
        #expect(try await receiver.verdict().refused >= 30)

        // The receiver dies after it has accepted an outcome and before it answers.
        try await receiver.die(after: 40)
        ids += try await enqueue(300..<550, ["--to", "local:"])
        #expect(await receiver.program.wait() == 128 + SIGKILL)
        receiver = try await startReceiver("receiver-2", refusingEvery: 0)

        // The notifier dies while answers of the receiver are on their way.
        try FileManager.default.removeItem(at: deployment.uploaded.appending(path: "blocked"))
        try await waitForFailed()
        try await receiver.hold(after: 40)
        try await deployment.control("run", "--again", "--batch", "blocked")
        ids += try await enqueue(550..<800, ["--to", "local:"])
        try await eventually("the receiver holds") { try await receiver.verdict().isHolding }
        notifier.signal(SIGKILL)
        _ = await notifier.wait()
        #expect(try await receiver.verdict().acceptedCount < 800 + 2 * Self.failingCount, "the notifier died too late")
        try await receiver.release()
        notifier = try startNotifier()

        // The broker stops while the worker holds jobs and outcomes are on their way.
        try await waitForAccepted(800 + 2 * Self.failingCount, "three parts are told")
        ids += try await enqueue(800..<1000, ["--to", "slow:"])
        try await waitForAccepted(820 + 2 * Self.failingCount, "the last part is under way")
        try await deployment.broker.restart()
        try await waitForAccepted(1000 + 2 * Self.failingCount, "all is told")

        let expected = ids.map { ($0, failing.contains($0) ? [1, 2, 3] : [1]) }
        #expect(expected.count == 1000)
        let verdict = try await receiver.verdict()
        #expect(verdict.problems == [])
        #expect(verdict.accepted == Dictionary(uniqueKeysWithValues: expected))
        // The outcome that the receiver died with, and those that it held when the notifier died.
        #expect(verdict.repeats >= 2)
        #expect(worker.isRunning)
        let queued = try await Self.consume(ids.count, from: "\(deployment.namespace).delegate.crm", deployment)
        #expect(queued == Set(ids))
        try await Self.checkMetrics(of: worker, and: notifier, deployment)
        #expect(await notifier.stop() == 0)
    }

    /// Other programs can read the metrics, after all that.
    private static func checkMetrics(
        of worker: RunningProgram, and notifier: RunningProgram, _ deployment: Deployment
    ) async throws {
        let script = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "API/metrics.py")
        let urls = [worker, notifier].map { "http://127.0.0.1:\($0.port ?? 0)" }
        let program = try RunningProgram(
            URL(filePath: "/usr/bin/env"), ["python3", script.path] + urls + ["local", "slow", "gone"],
            environment: ["PATH": ProcessInfo.processInfo.environment["PATH"] ?? "", "LANG": "C.UTF-8"],
            directory: deployment.path, logs: deployment.logs, name: "metrics")
        #expect(await program.wait() == 0, "\(program.outputText)\(program.errorText.suffix(6000))")
    }

    /// Another program consumes the messages of the delegate's queue, and deletes the queue.
    private static func consume(_ count: Int, from queue: String, _ deployment: Deployment) async throws -> Set<String>
    {
        let script = """
            import json, pika, sys
            connection = pika.BlockingConnection(pika.URLParameters(sys.argv[1]))
            channel = connection.channel()
            files = set()
            for method, properties, body in channel.consume(sys.argv[2], inactivity_timeout=60):
                if method is None: break
                event = json.loads(body)
                assert properties.message_id == event["id"] and list(event["data"]) == ["file"], body
                files.add(event["data"]["file"])
                channel.basic_ack(method.delivery_tag)
                if len(files) == int(sys.argv[3]): break
            channel.cancel()
            channel.queue_delete(sys.argv[2])
            connection.close()
            print("\\n".join(files))
            """
        let output = try await Spawn.output(
            of: "/usr/bin/env", ["python3", "-c", script, deployment.broker.url, queue, "\(count)"])
        return Set(output.text.split(separator: "\n").map(String.init))
    }
}
