import Dispatch
import Foundation
import Testing
import UploadTesting

/// The bars of `enqueue-upload --wait`, on the screen of a real terminal emulator.
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
            // `swift test` sets NO_COLOR, with which there are no bars.
            let tmux = [
                "env", "-u", "NO_COLOR", "TMUX_TMPDIR=\(deployment.path.path)", "LC_ALL=C.UTF-8", "tmux", "-f",
                "/dev/null",
            ]
            _ = try await Shell.run(
                tmux + ["new-session", "-d", "-x", "80", "-y", "24", (command + files).joined(separator: " ")])
            do {
                func screen() async throws -> [String] {
                    try await Shell.run(tmux + ["capture-pane", "-p"]).split(separator: "\n").map(String.init)
                        .filter { !$0.isEmpty && !$0.contains("-") || $0.contains("%") }
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

                _ = try await Shell.run(tmux + ["resize-window", "-x", "40", "-y", "12"])
                try await eventually("six bars that fit 40 columns") {
                    lines = Array(try await screen().suffix(8))
                    return lines.count == 8 && lines[6] == "and 4 more" && lines.allSatisfy { $0.count < 40 }
                }
                #expect(lines.prefix(6).allSatisfy { $0.contains("…") && $0.contains(".bin") }, "\(lines)")
            } catch {
                breakOff()
                _ = try? await Shell.run(tmux + ["kill-server"])
                throw error
            }
            breakOff()
            _ = try await Shell.run(tmux + ["kill-server"])
        }
    }
}
