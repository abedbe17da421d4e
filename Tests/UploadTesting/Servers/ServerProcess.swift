import Foundation
import Synchronization

/// A server on loopback with a directory of its own, which stays until the test process ends.
final class ServerProcess: Sendable {
    let port: Int
    let directory: TemporaryDirectory
    private let name: String
    private let executable: String
    private let arguments: [String]
    private let environment: [String: String]
    /// The file in its directory that appears once it serves. An open port would prove nothing, because another program may listen on it.
    private let readyFile: String?
    /// Removes the directory at the end of this process, however it ends.
    private let keeper: GuardedProcess
    private let current: Mutex<GuardedProcess>

    /// Starts a server, and tries again on other ports if another program has taken the first ones.
    static func start<Server>(_ make: () async throws -> Server) async throws -> Server {
        var last: any Error = DidNotHappen("the server was not started")
        for _ in 0..<3 {
            do { return try await make() } catch { last = error }
        }
        throw last
    }

    init(
        _ name: String, port: Int, directory: TemporaryDirectory, _ executable: String, _ arguments: [String],
        readyFile: String? = nil
    ) async throws {
        self.readyFile = readyFile
        self.name = name
        self.port = port
        self.directory = directory
        self.executable = executable
        self.arguments = arguments
        environment = [
            "PATH": ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin", "LANG": "C.UTF-8",
            "HOME": directory.path, "TMPDIR": directory.path, "PYTHONDONTWRITEBYTECODE": "1",
        ]
        keeper = try GuardedProcess(
            "/bin/sleep", ["infinity"], environment: environment, removing: directory.path)
        current = Mutex(
            try GuardedProcess(
                executable, arguments, environment: environment, output: directory.path("server.log")))
        try await waitUntilReady()
    }

    func log() -> String {
        directory.read("server.log").map { String(decoding: $0, as: UTF8.self) } ?? ""
    }

    func stop() async throws { try await current.withLock(\.self).stop() }

    func kill() async throws { try await current.withLock(\.self).kill9() }

    func restart() async throws {
        try await stop()
        if let readyFile, directory.read(readyFile) != nil {
            try FileManager.default.removeItem(at: directory.file(readyFile))
        }
        let new = try GuardedProcess(
            executable, arguments, environment: environment, output: directory.path("server.log"))
        current.withLock { $0 = new }
        try await waitUntilReady()
    }

    private func waitUntilReady() async throws {
        let process = current.withLock(\.self)
        try await eventually("\(name) listens") {
            guard process.isRunning else {
                throw DidNotHappen("\(name) ended while starting: \(log().suffix(2000))")
            }
            return readyFile.map { directory.read($0) != nil } ?? true && Ports.isOpen(port)
        }
    }
}
