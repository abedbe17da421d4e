import CPostgreSQL

/// How the server is reached: what libpq takes as a connection string (PostgreSQL, section 34.1.1), with several hosts as well.
public struct PostgreSQLConfiguration: Sendable {
    /// The time limit for each host: for the connection, TLS and the login. The library looks up a host's name without a limit.
    public var connectTimeout: Duration
    /// The time that the server has to answer a call; then the connection counts as lost. nil: no limit, for statements that take long. It
    /// is for a server that hangs; a limit for statements is the server's `statement_timeout`.
    public var answerTimeout: Duration? = .seconds(60)
    /// Settings of the server for each connection (`SET`), such as `search_path` or `statement_timeout`.
    public var settings: [String: String] = [:]
    /// Parameters of the library, without those of the hosts.
    let parameters: [String: String]
    /// At least one; an empty one stands for the library's default, a local socket.
    let hosts: [Host]

    struct Host: Hashable, Sendable, CustomStringConvertible {
        var host: String?
        var address: String?
        var port: String?

        var description: String { "\(host ?? address ?? "the local server"):\(port ?? "5432")" }
    }

    /// Parameters that the program decides.
    private static let forced = ["client_encoding": "UTF8"]
    /// Parameters for which the library's defaults do not fit: a server that falls silent is noticed within half a minute.
    private static let defaults = [
        "fallback_application_name": "longshore", "keepalives_idle": "10", "keepalives_interval": "5",
        "keepalives_count": "3",
        "tcp_user_timeout": "30000",
    ]

    /// - Parameters:
    ///   - connectionString: `postgres://user:password@host:port,host:port/database?sslmode=verify-full` or `host=… dbname=…`.
    ///   - password: instead of one in the string.
    /// - Throws: `.invalidConfiguration`, with the library's reason.
    public init(_ connectionString: String, password: String? = nil) throws(PostgreSQLError) {
        var reason: UnsafeMutablePointer<CChar>?
        guard let options = PQconninfoParse(connectionString, &reason) else {
            defer { PQfreemem(reason) }
            throw PostgreSQLError(
                .invalidConfiguration,
                "the connection string cannot be read: \(LibraryText.line(reason)); expected "
                    + "postgres://user:password@host:port/database")
        }
        defer { PQconninfoFree(options) }
        var given: [String: String] = [:]
        var option = options
        while let keyword = option.pointee.keyword {
            if let value = option.pointee.val { given[String(cString: keyword)] = String(cString: value) }
            option += 1
        }
        if let password { given["password"] = password }
        hosts = try Self.hosts(given)
        for keyword in ["host", "hostaddr", "port"] { given[keyword] = nil }
        let limit = given.removeValue(forKey: "connect_timeout").map { Int($0) ?? 0 } ?? 5
        guard (1...3600).contains(limit) else {
            throw PostgreSQLError(.invalidConfiguration, "connect_timeout is not from 1 to 3600 seconds")
        }
        connectTimeout = .seconds(limit)
        parameters = Self.defaults.merging(given) { $1 }.merging(Self.forced) { $1 }
    }

    /// The lists of hosts, addresses and ports have one length; one port may stand for all.
    private static func hosts(_ given: [String: String]) throws(PostgreSQLError) -> [Host] {
        func list(_ keyword: String) -> [String?] {
            given[keyword].map {
                $0.split(separator: ",", omittingEmptySubsequences: false).map { $0.isEmpty ? nil : String($0) }
            }
                ?? []
        }
        let (names, addresses, ports) = (list("host"), list("hostaddr"), list("port"))
        let count = max(names.count, addresses.count, 1)
        guard [0, count].contains(names.count), [0, count].contains(addresses.count),
            [0, 1, count].contains(ports.count)
        else {
            throw PostgreSQLError(
                .invalidConfiguration,
                "the connection string has \(names.count) hosts, \(addresses.count) addresses and \(ports.count) ports")
        }
        return (0..<count).map { index in
            Host(
                host: names.isEmpty ? nil : names[index], address: addresses.isEmpty ? nil : addresses[index],
                port: ports.isEmpty ? nil : ports[ports.count == 1 ? 0 : index])
        }
    }

    /// The given options of the server's command line, and the settings: blanks and backslashes in a value are escaped by a backslash
    /// (PostgreSQL, section 34.1.2, `options`).
    private var options: String? {
        let own = settings.sorted { $0.key < $1.key }.map { name, value in
            "-c \(name)=" + value.map { $0 == " " || $0 == "\\" ? "\\\($0)" : "\($0)" }.joined()
        }
        let all = [parameters["options"]].compactMap(\.self) + own
        return all.isEmpty ? nil : all.joined(separator: " ")
    }

    /// The attempts to connect, in order. A stand-by that is preferred is looked for at all hosts first.
    var attempts: [(host: Host, parameters: [String: String])] {
        let kind = "target_session_attrs"
        let kinds = parameters[kind] == "prefer-standby" ? ["standby", "any"] : [parameters[kind]]
        return kinds.flatMap { wanted in
            hosts.map { host in
                var all = parameters
                all[kind] = wanted
                all["options"] = options
                all["host"] = host.host
                all["hostaddr"] = host.address
                all["port"] = host.port
                return (host, all)
            }
        }
    }
}

extension PostgreSQLConfiguration: CustomStringConvertible, CustomReflectable {
    /// Safe to log: holds no password.
    public var description: String {
        let database = parameters["dbname"].map { "/\($0)" } ?? ""
        return hosts.map(\.description).joined(separator: ",") + database
            + (parameters["user"].map { " as \($0)" } ?? "")
    }

    /// Keeps `dump` and string interpolation from showing the password.
    public var customMirror: Mirror { Mirror(self, children: ["server": description]) }
}
