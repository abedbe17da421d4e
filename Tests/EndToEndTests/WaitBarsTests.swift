import Dispatch
import Foundation
import Synchronization
import Testing
import UploadTesting

/// What `enqueue-upload` draws while it copies and, with `--wait`, while it waits, on the screen of a real terminal emulator.
@Suite(.timeLimit(.minutes(20))) struct WaitBarsTests {
    @Test func whatRunsHasABarThatFitsTheTerminal() async throws {
        let door = DispatchSemaphore(value: 0)
        // Takes uploads, and answers none of them.
        let server = try ScriptedServer { connection in
            _ = connection.readHead()
            door.wait()
        }
        // A worker whose uploads are broken off ends sooner than one whose uploads hang.
        func breakOff() { withExtendedLifetime(server) { for _ in 0..<100 { door.signal() } } }
        defer { breakOff() }
        let web = "web: {driver: http, url: 'http://127.0.0.1:\(server.port)/'}"
        try await Deployment.with(destinations: [web]) { deployment in
            try deployment.start(.worker)
            let long = String(repeating: "a-long-name-", count: 10)
            let files = try (0..<10).map { try deployment.makeFile("\(long)\($0).bin", bytes: 100_000).path }
            let command = [
                Program.enqueue.url.path, "--config", deployment.configuration.path, "--to", "web:", "--wait",
            ]
            let terminal = try await Terminal((command + files).joined(separator: " "), in: deployment)
            do {
                func screen() async throws -> [String] {
                    try await terminal.lines().filter { !$0.isEmpty && !$0.contains("-") || $0.contains("%") }
                }
                var lines: [String] = []
                try await eventually("eight bars, the number of the others, and the total") {
                    lines = Array(try await screen().suffix(10))
                    return lines.count == 10 && lines[8] == "and 2 more"
                }
                for line in lines.prefix(8) {
                    #expect(line.contains("-long-name-") && line.contains("…") && line.contains(".bin  ["), "\(line)")
                }
                #expect(lines[9].contains("0/10 files"), "\(lines)")
                #expect(lines.allSatisfy { $0.count < 80 })

                try await terminal.resize(columns: 40, rows: 12)
                try await eventually("six bars that fit 40 columns") {
                    lines = Array(try await screen().suffix(8))
                    return lines.count == 8 && lines[6] == "and 4 more" && lines.allSatisfy { $0.count < 40 }
                }
                #expect(lines.prefix(6).allSatisfy { $0.contains("…") && $0.contains(".bin") }, "\(lines)")
            } catch {
                breakOff()
                await terminal.close()
                throw error
            }
            breakOff()
            await terminal.close()
        }
    }

    @Test func copyingIsShownUntilItIsDone() async throws {
        let (stage, bucket) = (try await S3Bucket.make(), try await S3Bucket.make())
        defer { stage.proxy.stop() }
        defer { bucket.proxy.stop() }
        let isOpen = Mutex(false)
        // The second part of the copy waits.
        stage.proxy.setRule {
            $0.partNumber != 2 || isOpen.withLock { $0 } ? .forward : .throttle(bytesPerSecond: 1000)
        }
        try await Deployment.with(destinations: [stage.destination(name: "stage"), bucket.destination()]) {
            deployment in
            let file = try deployment.makeFile("a.bin", bytes: 20 << 20)
            let command = [
                Program.enqueue.url.path, "--config", deployment.configuration.path, "--staging", "stage:copies/",
                "--to", "bucket:", file.path,
            ]
            let terminal = try await Terminal("\(command.joined(separator: " ")); cat", in: deployment)
            do {
                var lines: [String] = []
                try await eventually("a line says how much is copied") {
                    lines = try await terminal.lines()
                    return lines.contains {
                        $0.hasPrefix("copied ") && !$0.contains(" 0%") && $0.contains(" of 20.0 MiB")
                    }
                }
                #expect(lines.allSatisfy { $0.count < 80 }, "\(lines)")
                isOpen.withLock { $0 = true }
                stage.proxy.cut()
                try await eventually("the id stands in its place") {
                    lines = try await terminal.lines().filter { !$0.isEmpty }
                    return lines.count == 1 && UUID(uuidString: lines[0]) != nil
                }
            } catch {
                await terminal.close()
                throw error
            }
            await terminal.close()
        }
    }
}

/// A program in a terminal emulator of 80 columns and 24 rows.
private struct Terminal {
    private let tmux: [String]

    init(_ command: String, in deployment: Deployment) async throws {
        // `swift test` sets NO_COLOR, with which nothing is drawn.
        tmux = [
            "env", "-u", "NO_COLOR", "TMUX_TMPDIR=\(deployment.path.path)", "LC_ALL=C.UTF-8", "tmux", "-f", "/dev/null",
        ]
        _ = try await Shell.run(tmux + ["new-session", "-d", "-x", "80", "-y", "24", command])
    }

    /// What the screen shows.
    func lines() async throws -> [String] {
        try await Shell.run(tmux + ["capture-pane", "-p"]).split(separator: "\n").map(String.init)
    }

    func resize(columns: Int, rows: Int) async throws {
        _ = try await Shell.run(tmux + ["resize-window", "-x", "\(columns)", "-y", "\(rows)"])
    }

    func close() async { _ = try? await Shell.run(tmux + ["kill-server"]) }
}
