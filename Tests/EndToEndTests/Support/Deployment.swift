import Foundation
import Logging
import RabbitMQ
import Synchronization
import Testing
import UploadTesting
import Uploads
import UploadsRabbitMQ

/// A whole Longshore for one test: a namespace on a private broker, a staging area, a directory destination, a ledger,
/// and the programs that the test starts.
final class Deployment: Sendable {
    let directory: TemporaryDirectory
    let broker: BrokerNode
    let namespace: String
    /// The number that `LONGSHORE_SHARDS` says, or 1, unless the test needs another one.
    let shards: Shards
    let uploaded: URL
    /// The URL of the ledger's database; nil: the ledger is the file ``ledger``.
    let database: String?
    private let running = Mutex<[RunningProgram]>([])
    private let count = Mutex(0)

    private static let usualShards =
        ProcessInfo.processInfo.environment["LONGSHORE_SHARDS"].flatMap { Int($0) }.flatMap { Shards($0) } ?? .one

    private static let usesPostgreSQL = ProcessInfo.processInfo.environment["LONGSHORE_LEDGER"] == "postgresql"

    var topology: UploadTopology {
        get throws { try UploadTopology(namespace: namespace, shards: shards) }
    }

    var path: URL { directory.url }
    var logs: URL { path.appending(path: "logs") }
    var staging: URL { path.appending(path: "staging") }
    var ledger: URL { path.appending(path: "ledger.sqlite") }
    var events: URL { path.appending(path: "events.ndjson") }
    var configuration: URL { path.appending(path: "upload.yaml") }

    /// - Parameters:
    ///   - server: where the ledger gets a database of its own.
    ///   - configuration: more lines of YAML: destinations go under `destinations`, the rest at the end.
    init(
        broker: BrokerNode, url: String? = nil, shards: Shards? = nil, ledger server: PostgreSQLNode? = nil,
        destinations: [String] = [], delegates: [String] = [], configuration lines: [String] = []
    ) throws {
        self.broker = broker
        self.shards = shards ?? Self.usualShards
        directory = try TemporaryDirectory()
        namespace = UniqueNames.make("e2e")
        database = try server?.makeDatabase(namespace.replacing("-", with: "_"))
        uploaded = directory.url.appending(path: "uploaded")
        for folder in [uploaded, directory.url.appending(path: "logs"), directory.url.appending(path: "files")] {
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        }
        let yaml =
            """
            broker: \(url ?? broker.url)
            namespace: \(namespace)
            shards: \(self.shards.count)
            staging: \(staging.path)
            destinations:
              local: {driver: directory, path: \(uploaded.path)}
            \(destinations.map { "  \($0)\n" }.joined())delegates:
              events: {kind: log, path: \(events.path)}
            \(delegates.map { "  \($0)\n" }.joined())notifier: {ledger: "\(database ?? ledger.path)"}
            \(lines.joined(separator: "\n"))
            """
        try Data(yaml.utf8).write(to: configuration)
    }

    /// Runs the body with a deployment, and stops the programs that are still running.
    /// - Parameter server: the PostgreSQL server of the ledger. With nil the ledger is a file, unless `LONGSHORE_LEDGER` is `postgresql`.
    static func with(
        broker: BrokerNode? = nil, url: String? = nil, shards: Shards? = nil, ledger server: PostgreSQLNode? = nil,
        destinations: [String] = [], delegates: [String] = [], configuration: [String] = [],
        _ body: (Deployment) async throws -> Void
    ) async throws {
        let node: BrokerNode = if let broker { broker } else { try await BrokerNode.shared() }
        let usual = Self.usesPostgreSQL ? try await PostgreSQLNode.shared() : nil
        let deployment = try Deployment(
            broker: node, url: url, shards: shards, ledger: server ?? usual, destinations: destinations,
            delegates: delegates, configuration: configuration)
        do {
            try await body(deployment)
        } catch {
            await deployment.stopAll()
            deployment.showLogs()
            throw error
        }
        await deployment.stopAll()
        try await deployment.deleteQueues()
    }

    /// - Parameters:
    ///   - wrapper: a command that executes the program in its own place, such as `nsenter … --`.
    ///   - byName: whether the wrapper gets the program's name instead of its path.
    ///   - mayReadAll: whether root keeps its right to read and write all files.
    @discardableResult
    func start(
        _ program: Program, _ arguments: [String] = [], environment extra: [String: String] = [:], input: URL? = nil,
        under wrapper: [String] = [], byName: Bool = false, mayReadAll: Bool = true
    ) throws -> RunningProgram {
        let number = count.withLock { count in
            count += 1
            return count
        }
        var all = ["--config", configuration.path]
        let port = program == .enqueue ? nil : try Ports.free()
        if let port { all += ["--http", "127.0.0.1:\(port)"] }
        var command = wrapper + [byName ? program.rawValue : program.url.path] + all + arguments
        // Root can read all files unless it gives up that capability.
        if !mayReadAll, getuid() == 0 {
            command = ["/usr/bin/setpriv", "--bounding-set", "-dac_override,-dac_read_search", "--"] + command
        }
        let started = try RunningProgram(
            URL(filePath: command[0]), Array(command.dropFirst()), environment: environment.merging(extra) { $1 },
            directory: path.appending(path: "files"),
            logs: logs, name: "\(number)-\(program.rawValue)", port: port, input: input)
        running.withLock { $0.append(started) }
        return started
    }

    /// Runs a program to its end.
    func run(
        _ program: Program, _ arguments: [String], input: URL? = nil, under wrapper: [String] = [],
        mayReadAll: Bool = true
    ) async throws -> RunningProgram {
        let started = try start(program, arguments, input: input, under: wrapper, mayReadAll: mayReadAll)
        _ = await started.wait()
        return started
    }

    /// Enqueues, expects success, and returns the printed ids.
    func enqueue(_ arguments: [String], input: URL? = nil) async throws -> [String] {
        try await waitForLanes()
        let program = try await run(.enqueue, arguments, input: input)
        #expect(await program.wait() == 0, "\(program.errorText)")
        return program.outputText.split(separator: "\n").map(String.init)
    }

    /// Waits until the workers have declared their lanes. The notifier issues jobs that came before that; a test without a notifier would
    /// wait for them for ever.
    private func waitForLanes() async throws {
        let programs = running.withLock { $0 }
        guard !programs.contains(where: { $0.name.hasSuffix(Program.notifier.rawValue) }) else { return }
        for worker in programs where worker.name.hasSuffix(Program.worker.rawValue) {
            try await eventually("\(worker.name) is ready") {
                try await worker.readiness() == "ready\n" || !worker.isRunning
            }
        }
    }

    func stopAll() async {
        for program in running.withLock({ $0 }) where program.isRunning {
            program.signal(SIGCONT)
            program.signal(SIGTERM)
        }
        for program in running.withLock({ $0 }) {
            do {
                try await eventually("\(program.name) ends after SIGTERM", within: .seconds(120)) { !program.isRunning }
            } catch {
                Issue.record("\(error)")
                program.signal(SIGKILL)
            }
            _ = await program.wait()
        }
    }

    /// Deletes the queues of the namespace: many unused quorum queues would slow the node down for the tests that follow.
    private func deleteQueues() async throws {
        let topology = try self.topology
        let connection = try await Connection.open(
            ConnectionConfiguration(urls: [broker.url]), logger: Logger(label: "e2e") { _ in SwiftLogNoOpLogHandler() })
        try await connection.delete(topology.shared + topology.lanes(of: .standard))
        await connection.close()
    }

    private func showLogs() {
        for program in running.withLock({ $0 }) {
            Issue.record("\(program.name) ended with:\n\(program.errorText.suffix(2000))")
        }
    }

    private var environment: [String: String] {
        ["PATH": ProcessInfo.processInfo.environment["PATH"] ?? "", "HOME": path.path, "LANG": "C.UTF-8"]
    }
}
