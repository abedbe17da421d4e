import Foundation
import Testing
import UploadTesting

/// The dashboard in a real browser.
@Suite(.serialized, .timeLimit(.minutes(40))) struct DashboardTests {
    private static let token = "0123456789abcdef"
    /// `LONGSHORE_SCREENSHOTS` names a directory for pictures of every page.
    private static let pictures = ProcessInfo.processInfo.environment.filter { $0.key == "LONGSHORE_SCREENSHOTS" }
    /// A hostile key of a destination, with markup in it.
    private static let hostile = #""><script>alert(1)<'img src=x onerror=alert(2)>"#

    @Test func aPersonSeesWhatRunsAndMendsWhatFailed() async throws {
        let slow = try TemporaryDirectory()
        try await Deployment.with(
            destinations: [
                "slow: {driver: directory, path: \(slow.url.path), limits: {bytesPerSecond: 2MiB}}",
                "gone: {driver: http, url: 'http://127.0.0.1:9/'}",
            ], delegates: ["hook: {kind: queue}"], configuration: ["worker: {slice: 3s}"]
        ) { deployment in
            let notifier = try deployment.start(.notifier, environment: ["UPLOAD_NOTIFIER_TOKEN": Self.token])
            let port = try #require(notifier.port)
            try deployment.start(.worker, ["--queue", "default"])
            let small = try deployment.makeFile("small.bin", bytes: 1000)
            let large = try deployment.makeFile("large.bin", bytes: 200 << 20)
            let failing = try await deployment.enqueue(
                ["--to", "gone:\(Self.hostile)", "--max-attempts", "1", small.path])
            _ = try await deployment.enqueue(["--to", "local:waits", "--queue", "video", small.path])
            try await deployment.waitForStatus("failed", of: try #require(failing.first))
            try await eventually("the notifier listens") { Ports.isOpen(port) }
            let running = try await deployment.enqueue(["--to", "slow:large.bin", large.path])
            let script = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "API/browse.py")
            let browser = try RunningProgram(
                URL(filePath: "/usr/bin/env"),
                [
                    "python3", script.path, "http://127.0.0.1:\(port)", Self.token, try #require(running.first),
                    try #require(failing.first), Self.hostile,
                ],
                environment: [
                    "PATH": ProcessInfo.processInfo.environment["PATH"] ?? "", "LANG": "C.UTF-8",
                    "HOME": deployment.path.path, "PYTHONDONTWRITEBYTECODE": "1",
                ].merging(Self.pictures) { $1 }, directory: deployment.path, logs: deployment.logs, name: "browser")
            let status = await browser.wait()
            try #require(status == 0, "\(browser.outputText.suffix(3000))\(browser.errorText.suffix(6000))")
            #expect(!notifier.errorText.contains(Self.token))
        }
    }
}
