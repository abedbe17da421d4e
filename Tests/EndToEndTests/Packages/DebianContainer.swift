import Foundation
import Glibc
import Testing
import UploadTesting

/// A Debian 12 that runs systemd in namespaces of its own: it begins as `deploy/debian-root` makes it, has no network but loopback, and
/// keeps nothing.
final class DebianContainer {
    private let nspawn: RunningProgram
    /// The container's systemd.
    private let leader: String

    /// - Parameter folder: read-only in the container as `/packages`.
    static func with(sharing folder: URL, _ body: (DebianContainer) async throws -> Void) async throws {
        let place = try TemporaryDirectory("debian")
        let root = try await Shell.run(Checkout.file("deploy/debian-root").path).trimmingCharacters(in: .newlines)
        let container = try await DebianContainer(root, sharing: folder, place.url)
        do {
            try await body(container)
        } catch {
            print("the container's log:", (try? await container.run("journalctl --no-pager | tail -n 60").text) ?? "")
            await container.stop()
            throw error
        }
        await container.stop()
    }

    private init(_ root: String, sharing folder: URL, _ place: URL) async throws {
        let nspawn = try RunningProgram(
            URL(filePath: "/usr/bin/systemd-nspawn"),
            [
                "--directory", root, "--volatile=overlay", "--private-network", "--register=no", "--keep-unit",
                "--quiet",
                "--machine=longshore-\(UUID().uuidString.prefix(8).lowercased())", "--console=pipe",
                "--bind-ro=\(folder.path):/packages", "--boot",
            ],
            environment: ["PATH": "/usr/sbin:/usr/bin:/sbin:/bin"], directory: place, logs: place, name: "debian")
        self.nspawn = nspawn
        var leader = ""
        do {
            try await eventually("Debian has booted") {
                try #require(
                    nspawn.isRunning, "systemd-nspawn ended: \(nspawn.errorText)\(nspawn.outputText.suffix(2000))")
                leader = try Self.child(of: nspawn.pid)
                guard !leader.isEmpty else { return false }
                let state = try await Self.run("systemctl is-system-running", in: leader).text
                return ["running\n", "degraded\n"].contains(state)
            }
        } catch {
            nspawn.signal(SIGKILL)
            throw error
        }
        self.leader = leader
    }

    private static func child(of process: pid_t) throws -> String {
        let children = try String(contentsOfFile: "/proc/\(process)/task/\(process)/children", encoding: .utf8)
        return String(children.split(separator: " ").first ?? "")
    }

    /// Runs a script as root.
    func run(_ script: String) async throws -> (status: Int32, text: String) { try await Self.run(script, in: leader) }

    /// Runs a script that must succeed, and returns its output.
    @discardableResult
    func output(_ script: String) async throws -> String {
        let (status, text) = try await run(script)
        try #require(status == 0, "\(script): \(text)")
        return text
    }

    private static func run(_ script: String, in leader: String) async throws -> (status: Int32, text: String) {
        let (output, errors) = try await Spawn.onThread {
            try Spawn.run(
                "/usr/bin/nsenter",
                [
                    "--target", leader, "--all", "env", "-i", "PATH=/usr/sbin:/usr/bin:/sbin:/bin", "HOME=/root",
                    "LANG=C.UTF-8", "bash", "-c", "cd /root\n\(script)",
                ])
        }
        return (output.status, output.text + errors)
    }

    private func stop() async {
        // systemd powers off on this signal: systemd(1).
        if let leader = pid_t(leader) { kill(leader, powerOffSignal) }
        do {
            try await eventually("the container ends", within: .seconds(60)) { !self.nspawn.isRunning }
        } catch {
            nspawn.signal(SIGKILL)
        }
        _ = await nspawn.wait()
    }
}

/// SIGRTMIN+4, behind the two real-time signals that glibc keeps.
private let powerOffSignal: CInt = 34 + 4
