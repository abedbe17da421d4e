import Foundation
import Testing
import UploadTesting

/// The tasks of an operator at the dashboard, in a pool with jobs in every state: `LONGSHORE_CONSOLE_JOBS` of them, 60 if not set.
/// Four large jobs run, of which two are cancelled; all others are small.
@Suite(.serialized, .timeLimit(.minutes(120))) struct ConsoleTests {
    private static let token = "0123456789abcdef"
    private static let secret = "whsec_\(Data(repeating: 7, count: 32).base64EncodedString())"

    @Test func eachTaskOfAnOperatorTakesThreeStepsAtMost() async throws {
        let count = ProcessInfo.processInfo.environment["LONGSHORE_CONSOLE_JOBS"].flatMap { Int($0) } ?? 60
        let each = max(2, count / 5)
        let (slow, taken) = (try TemporaryDirectory(), try TemporaryDirectory())
        try await Deployment.with(
            destinations: [
                "slow: {driver: directory, path: \(slow.url.path), limits: {bytesPerSecond: 1MiB}}",
                "taken: {driver: directory, path: \(taken.url.path)}",
            ], delegates: ["hook: {kind: webhook, url: 'http://127.0.0.1:9/', secret: \(Self.secret)}"],
            configuration: ["worker: {slice: 3s}"]
        ) { deployment in
            let notifier = try deployment.start(
                .notifier,
                environment: [
                    "UPLOAD_NOTIFIER_TOKEN": Self.token, "UPLOAD_NOTIFIER_ALLOW_NETWORKS": "127.0.0.0/8",
                ])
            try deployment.start(.worker, ["--queue", "default"])
            func folder(_ state: String) throws -> String {
                let folder = deployment.path.appending(path: "files/\(state)")
                try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
                for number in 0..<each {
                    try Data("\(state) \(number)".utf8).write(to: folder.appending(path: "\(state)-\(number).txt"))
                }
                return folder.path
            }
            func enqueue(_ state: String, _ arguments: String...) async throws {
                _ = try await deployment.enqueue(arguments + ["--batch", "customer-\(state)", try folder(state)])
            }
            try await enqueue("completed", "--to", "local:")
            for number in 0..<each { try taken.write("here", to: "failed-\(number).txt") }
            try await enqueue("failed", "--to", "taken:", "--if-exists", "fail")
            try await enqueue("queued", "--to", "local:", "--queue", "idle")
            try await enqueue("waiting", "--to", "local:", "--after", "1d")
            // A job that has not begun is paused when a worker takes it.
            try await enqueue("paused", "--to", "local:", "--queue", "held")
            try await deployment.control("pause", "--batch", "customer-paused", "--timeout", "30m")
            try deployment.start(.worker, ["--queue", "held"])
            let large = try deployment.makeFile("large.bin", bytes: 300 << 20)
            for number in 0..<4 {
                let batch = number < 2 ? "running" : "cancelled"
                _ = try await deployment.enqueue(
                    ["--to", "slow:large-\(number).bin", "--batch", "customer-\(batch)", large.path])
            }
            func wait(for counts: KeyValuePairs<String, Int>) async throws {
                try await eventually("the jobs are in their states", within: .seconds(300 + count / 20)) {
                    try deployment.queryLedger("SELECT status, COUNT(*) FROM jobs GROUP BY status ORDER BY status")
                        == counts.map { "\($0.key)|\($0.value)" }
                }
            }
            try await wait(
                for: [
                    "completed": each, "failed": each, "paused": each, "queued": each, "running": 4, "waiting": each,
                ])
            try await deployment.control("cancel", "--batch", "customer-cancelled", "--yes")
            try await wait(
                for: [
                    "cancelled": 2, "completed": each, "failed": each, "paused": each, "queued": each, "running": 2,
                    "waiting": each,
                ])
            let port = try #require(notifier.port)
            let script = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "API/console.py")
            let browser = try RunningProgram(
                URL(filePath: "/usr/bin/env"),
                ["python3", script.path, "http://127.0.0.1:\(port)", Self.token, "failed-1.txt", "taken"],
                environment: [
                    "PATH": ProcessInfo.processInfo.environment["PATH"] ?? "", "LANG": "C.UTF-8",
                    "HOME": deployment.path.path, "PYTHONDONTWRITEBYTECODE": "1",
                ], directory: deployment.path, logs: deployment.logs, name: "browser")
            let status = await browser.wait()
            print(browser.outputText)
            try #require(status == 0, "\(browser.outputText.suffix(3000))\(browser.errorText.suffix(6000))")
        }
    }
}
