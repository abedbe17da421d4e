import Foundation
import Glibc
import Synchronization

/// A private RabbitMQ node on loopback with its own name, ports, directory, cookie and port mapper. It cannot outlive the
/// test process, and has nothing to do with a broker that the machine may run.
public final class BrokerNode: Sendable {
    public let name: String
    /// The AMQP port without TLS.
    public let port: Int
    /// The AMQP port with TLS on `localhost`, if the test wants one; clients may show a certificate.
    public let tlsPort: Int?
    public let certificates: TestCertificates?
    private let directory: TemporaryDirectory
    private let environment: [String: String]
    private let mapperPort: Int
    /// The port mapper; nil if the node uses another node's.
    private let mapper: GuardedProcess?
    private let server: Mutex<GuardedProcess>

    /// The node's URL for the user guest and the default virtual host.
    public var url: String { "amqp://guest:guest@127.0.0.1:\(port)/" }
    public var tlsURL: String? { tlsPort.map { "amqps://guest:guest@localhost:\($0)/" } }

    /// The node that the tests of one process share, with TLS, started on first use. Tests use unique names to stay apart, and leave it
    /// running.
    public static func shared() async throws -> BrokerNode { try await SharedBroker.instance.node() }

    /// Starts a node for one test, which must stop it at its end.
    /// - Parameter joining: a running node that this one joins as a cluster, and that must be stopped after this one.
    public static func start(
        tls: Bool = false, configuration: String = "", joining first: BrokerNode? = nil
    ) async throws -> BrokerNode {
        var last: any Error = DidNotHappen("the broker was not started")
        // A port may be taken between choosing and using it.
        for _ in 0..<3 {
            do {
                let node = try await BrokerNode(tls: tls, configuration: configuration, joining: first)
                do {
                    try await node.waitUntilReady()
                    return node
                } catch {
                    try await node.stop()
                    throw error
                }
            } catch {
                last = error
            }
        }
        throw last
    }

    private init(tls: Bool, configuration: String, joining first: BrokerNode?) async throws {
        directory = try TemporaryDirectory("broker")
        let path = directory.path
        name = "\(UniqueNames.make("longshore"))@localhost"
        port = try Ports.free()
        certificates = tls ? try await TestCertificates.make(in: path) : nil
        tlsPort = tls ? try Ports.free() : nil
        mapperPort = if let first { first.mapperPort } else { try Ports.free() }
        let distributionPort = try Ports.free()
        let controlPort = Int.random(in: 40000...59000)

        try directory.write("loopback", to: ".erlang.cookie")
        chmod("\(path)/.erlang.cookie", 0o400)
        try directory.write("[].\n", to: "enabled_plugins")
        try directory.write("", to: "rabbitmq-env.conf")
        var lines = [
            "listeners.tcp.1 = 127.0.0.1:\(port)", "disk_free_limit.absolute = 1MB",
            "vm_memory_high_watermark.absolute = 1GB", "raft.wal_max_size_bytes = 33554432", "log.file.level = info",
            "loopback_users.guest = true", configuration,
        ]
        if let first {
            lines += [
                "cluster_formation.peer_discovery_backend = classic_config",
                "cluster_formation.classic_config.nodes.1 = \(first.name)",
                "cluster_formation.classic_config.nodes.2 = \(name)",
            ]
        }
        if let tlsPort, let certificates {
            lines += [
                "listeners.ssl.1 = 127.0.0.1:\(tlsPort)", "ssl_options.cacertfile = \(certificates.authority)",
                "ssl_options.certfile = \(certificates.serverCertificate)",
                "ssl_options.keyfile = \(certificates.serverKey)", "ssl_options.verify = verify_peer",
                "ssl_options.fail_if_no_peer_cert = false",
            ]
        }
        try directory.write(lines.joined(separator: "\n") + "\n", to: "rabbitmq.conf")

        var environment = [
            "PATH": BrokerInstallation.current.path, "LANG": "C.UTF-8", "HOME": path,
            "RABBITMQ_NODENAME": name, "RABBITMQ_CONF_ENV_FILE": "\(path)/rabbitmq-env.conf",
            "RABBITMQ_CONFIG_FILE": "\(path)/rabbitmq.conf", "RABBITMQ_ADVANCED_CONFIG_FILE": "\(path)/advanced.config",
            "RABBITMQ_MNESIA_BASE": "\(path)/mnesia", "RABBITMQ_LOG_BASE": "\(path)/log",
            "ERL_CRASH_DUMP": "\(path)/erl_crash.dump",
            "RABBITMQ_ENABLED_PLUGINS_FILE": "\(path)/enabled_plugins", "RABBITMQ_PID_FILE": "\(path)/pid",
            "RABBITMQ_GENERATED_CONFIG_DIR": "\(path)/config", "RABBITMQ_DIST_PORT": "\(distributionPort)",
            "RABBITMQ_SERVER_ADDITIONAL_ERL_ARGS": "-kernel inet_dist_use_interface {127,0,0,1}",
            "ERL_EPMD_PORT": "\(mapperPort)", "ERL_EPMD_ADDRESS": "127.0.0.1",
            "RABBITMQ_CTL_DIST_PORT_MIN": "\(controlPort)", "RABBITMQ_CTL_DIST_PORT_MAX": "\(controlPort + 200)",
            // With this the start script executes the node in its own place, so that the process id is the node's.
            "RUNNING_UNDER_SYSTEMD": "true",
        ]
        environment["RABBITMQ_PLUGINS_DIR"] = try BrokerInstallation.current.makeLibraries(in: path)
        self.environment = environment
        mapper =
            first != nil
            ? nil
            : try GuardedProcess(
                BrokerInstallation.current.portMapper, ["-port", "\(mapperPort)", "-address", "127.0.0.1"],
                environment: environment,
                removing: path)
        server = Mutex(try Self.startServer(environment, path))
    }

    private static func startServer(_ environment: [String: String], _ path: String) throws -> GuardedProcess {
        try GuardedProcess(
            BrokerInstallation.current.server, environment: environment, output: "\(path)/startup.log")
    }

    private var current: GuardedProcess { server.withLock(\.self) }

    /// Waits until the node accepts connections.
    public func waitUntilReady() async throws {
        let server = current
        try await eventually("broker \(name) listens") {
            guard server.isRunning else {
                let log = (try? String(contentsOf: directory.file("startup.log"), encoding: .utf8)) ?? ""
                throw DidNotHappen("the broker ended while starting: \(log.suffix(2000))")
            }
            return Ports.isOpen(port) && tlsPort.map(Ports.isOpen) ?? true
        }
    }

    /// Stops the node in good order, and its port mapper.
    public func stop() async throws {
        try await current.stop()
        try await mapper?.stop()
    }

    /// Stops its process until `resume`: it answers nothing, but its kernel still accepts connections and bytes.
    public func pause() { current.signal(SIGSTOP) }

    public func resume() { current.signal(SIGCONT) }

    /// Kills the node, as a power cut would; its data stay.
    ///
    /// RabbitMQ finds the processes that serve streams by name in a table, which it writes when the table has not changed for half a second
    /// (Ra 2.2: `names.dets`, `auto_save`). RabbitMQ 3.10 that dies before that never serves the stream again, and no client can help. So
    /// this waits for the table first.
    public func kill() async throws {
        try await eventually("the broker has noted who serves its streams") { !hasStreams || hasNotedStreams }
        try await current.kill9()
    }

    private static let coordinator = Data("rabbit_stream_coordinator".utf8)

    private var hasStreams: Bool {
        let servers = (try? FileManager.default.contentsOfDirectory(atPath: coordination)) ?? []
        return servers.contains { server in contains(Self.coordinator, "\(coordination)/\(server)/config") }
    }

    private var hasNotedStreams: Bool { contains(Self.coordinator, "\(coordination)/names.dets") }

    private var coordination: String { directory.file("mnesia/\(name)/coordination/\(name)").path }

    private func contains(_ bytes: Data, _ path: String) -> Bool {
        (try? Data(contentsOf: URL(filePath: path)))?.range(of: bytes) != nil
    }

    /// Kills the node, if it still runs, and starts it again with its data.
    public func restart() async throws {
        try await current.stop()
        let new = try Self.startServer(environment, directory.path)
        server.withLock { $0 = new }
        try await waitUntilReady()
    }

    /// Closes all connections and accepts no more, without ending the process.
    public func stopApp() async throws { try await ctl("stop_app") }

    public func startApp() async throws {
        try await ctl("start_app")
        try await waitUntilReady()
    }

    /// Runs rabbitmqctl against this node. - Returns: its output. - Throws: `DidNotHappen` if it fails.
    @discardableResult
    public func ctl(_ arguments: String...) async throws -> String {
        try await Spawn.output(
            of: BrokerInstallation.current.control, ["--node", name, "--quiet"] + arguments, environment: environment
        ).text
    }

    /// The node's own log, for when a test fails.
    public func log() -> String {
        let base = name.split(separator: "@").joined(separator: "@")
        return (try? String(contentsOf: directory.file("log/\(base).log"), encoding: .utf8)) ?? ""
    }
}

private actor SharedBroker {
    static let instance = SharedBroker()
    private var starting: Task<BrokerNode, any Error>?

    func node() async throws -> BrokerNode {
        if starting == nil { starting = Task { try await BrokerNode.start(tls: true) } }
        guard let starting else { throw DidNotHappen("no broker") }
        return try await starting.value
    }
}
