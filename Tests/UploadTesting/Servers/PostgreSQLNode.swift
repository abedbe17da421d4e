import Foundation
import Glibc
import Synchronization

/// A private PostgreSQL server on loopback with its own port and directory, and TLS on `localhost`. It cannot outlive the test process.
///
/// The server refuses to run as root, so it runs as the user `postgres` of Debian's package when the tests run as root.
public final class PostgreSQLNode: Sendable {
    public let port: Int
    public let certificates: TestCertificates
    private let directory: TemporaryDirectory
    private let settings: [String]
    private let server = Mutex<GuardedProcess?>(nil)
    /// Waits for the end of this process, to remove the directory of a node that was not stopped.
    private let remover: GuardedProcess

    /// Debian's programs of the version that it has.
    private static let programs = "/usr/lib/postgresql/15/bin"
    // A process that is killed loses nothing without fsync, which only protects from the end of the whole machine.
    private static let sharedNode = Task { try await PostgreSQLNode(["fsync=off"]) }

    /// The node that the tests of one process share, started on first use. Tests use unique names to stay apart, and leave it running.
    public static func shared() async throws -> PostgreSQLNode { try await sharedNode.value }

    /// The URL of the superuser `upload` for the database `postgres`.
    public var url: String { "postgres://upload:secret@127.0.0.1:\(port)/postgres" }

    /// Starts a node.
    /// - Parameter settings: lines of `postgresql.conf`, such as `max_connections=6`.
    public convenience init(_ settings: [String] = []) async throws {
        try await self.init(settings) { directory in
            try await Self.run(
                "initdb", "-D", directory.path("data"), "-U", "upload", "--auth=scram-sha-256",
                "--pwfile=\(directory.path("password"))", "--no-sync", "-E", "UTF8", "--locale=C.UTF-8")
        }
    }

    /// - Parameter fill: makes the directory `data`.
    private init(_ settings: [String], filledBy fill: (TemporaryDirectory) async throws -> Void) async throws {
        self.settings = settings
        port = try Ports.free()
        directory = try TemporaryDirectory("postgresql")
        remover = try GuardedProcess("/bin/sleep", ["infinity"], environment: [:], removing: directory.path)
        certificates = try await TestCertificates.make(in: directory.path)
        try directory.write("secret", to: "password")
        try give(["", "password", "server.pem", "server.key"])
        try await fill(directory)
        try await start()
    }

    /// Runs one of the server's programs as its user.
    private static func run(_ program: String, _ arguments: String...) async throws {
        _ = try await Spawn.output(of: "/usr/bin/env", asUser + ["\(programs)/\(program)"] + arguments)
    }

    /// Makes a database. - Returns: its URL for the superuser.
    public func makeDatabase(_ name: String) throws -> String {
        _ = try Self.query("CREATE DATABASE \(name)", at: url)
        return "postgres://upload:secret@127.0.0.1:\(port)/\(name)"
    }

    /// The rows of a query, with columns joined by `|`; the calling thread waits for psql.
    public static func query(_ sql: String, schema: String = "public", at url: String) throws -> [String] {
        let (output, errors) = try Spawn.run(
            "\(programs)/psql",
            ["-X", "-A", "-t", "-q", "-c", sql, "\(url)?options=-csearch_path%3D\(schema)"])
        guard output.status == 0 else { throw DidNotHappen("\(sql): \(errors)") }
        return output.text.split(separator: "\n", omittingEmptySubsequences: false).dropLast().map(String.init)
    }

    /// Starts a replica, which follows this server until it is promoted.
    public func replica() async throws -> PostgreSQLNode {
        try await PostgreSQLNode([]) { directory in
            try await Self.run(
                "pg_basebackup", "-D", directory.path("data"), "-R", "--checkpoint=fast", "--no-sync",
                "-d", "postgres://upload:secret@127.0.0.1:\(port)/postgres")
        }
    }

    /// Makes a replica the primary.
    public func promote() async throws { try await Self.run("pg_ctl", "promote", "-D", directory.path("data")) }

    /// What a command begins with so that the server's user runs it.
    private static var asUser: [String] {
        geteuid() == 0 ? ["setpriv", "--reuid=postgres", "--regid=postgres", "--clear-groups"] : []
    }

    /// Gives files to the server's user.
    private func give(_ names: [String]) throws {
        guard geteuid() == 0 else { return }
        guard let user = getpwnam("postgres") else {
            throw DidNotHappen("there is no user postgres: install postgresql-15")
        }
        for name in names { chown(directory.path(name), user.pointee.pw_uid, user.pointee.pw_gid) }
    }

    /// How often a server is started that ends at once. Children of a server that was killed may still run for a moment, and the next server
    /// refuses to start beside them.
    private static let startsMaximum = 20

    /// Starts the server again after ``kill9()`` or ``stop()``.
    public func start() async throws {
        var starts = 0
        var process: GuardedProcess?
        try await eventually("PostgreSQL takes connections") {
            guard let running = process, running.isRunning else {
                guard starts < Self.startsMaximum else {
                    let log = directory.read("log").map { String(decoding: $0, as: UTF8.self) } ?? ""
                    throw DidNotHappen("PostgreSQL ended while starting: \(log.suffix(2000))")
                }
                starts += 1
                process = try launch()
                return false
            }
            let status = try? await Spawn.output(
                of: "\(Self.programs)/pg_isready", ["-q", "-h", "127.0.0.1", "-p", "\(port)"])
            return status != nil
        }
        server.withLock { $0 = process }
    }

    private func launch() throws -> GuardedProcess {
        let own = [
            "listen_addresses=127.0.0.1", "port=\(port)", "unix_socket_directories=\(directory.path)", "ssl=on",
            "ssl_cert_file=\(certificates.serverCertificate)", "ssl_key_file=\(certificates.serverKey)",
            "max_connections=300",
        ]
        return try GuardedProcess(
            "/usr/bin/env",
            Self.asUser + ["\(Self.programs)/postgres", "-D", directory.path("data")]
                + (own + settings).flatMap { ["-c", $0] },
            environment: ["PATH": "/usr/bin:/bin"], output: directory.path("log"))
    }

    public func kill9() async throws { try await server.withLock(\.self)?.kill9() }

    /// Ends the server in good order, also while clients are connected.
    public func stop() async throws {
        let process = server.withLock(\.self)
        process?.signal(SIGINT)
        try await process?.stop()
    }
}
