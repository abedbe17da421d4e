public import Foundation
import Glibc

/// A private WebDAV server over a directory of its own.
public final class WebDAVServer: Sendable {
    /// Well-known servers and their peculiarities.
    public enum Kind: String, CaseIterable, Sendable {
        /// No PROPFIND, no properties, no locks; creates missing folders of a MOVE by itself.
        case nginx
        /// Keeps incomplete files; removes the target of a MOVE before it looks for the source; claims to keep properties.
        case rclone
        /// Keeps properties and locks; keeps incomplete files.
        case wsgidav
        /// Keeps properties and locks, compares ETags in `If`; calls the ETags of young files weak.
        case apache
    }

    public let kind: Kind
    private let process: ServerProcess

    /// The server of a kind that the tests of one process share, started on first use. Each test uses keys of its own, and leaves
    /// the server running.
    public static func shared(_ kind: Kind) async throws -> WebDAVServer {
        try await SharedWebDAV.instance.server(kind)
    }

    /// Starts a server for one test. It ends with the value.
    /// - Parameters:
    ///   - password: the password of the user `tester`; rclone and WsgiDAV ask for it, Apache only with Digest. nil accepts all requests.
    ///   - usesDigest: only WsgiDAV and Apache: asks for Digest authentication instead of Basic.
    ///   - bodyBytesMaximum: only Apache: `LimitRequestBody`; 0 for none.
    ///   - certificates: only nginx: serves `localhost` over TLS, to clients with a certificate of the authority.
    ///   - keepsListings: only rclone: uses the listing of a folder for five minutes, its default, so that it does not see what is changed
    ///     without it. One that often reads a folder anew may tell an old size of a file whose PUT it has just answered.
    public static func start(
        _ kind: Kind, password: String? = nil, usesDigest: Bool = false, bodyBytesMaximum: Int = 0,
        certificates: TestCertificates? = nil, keepsListings: Bool = false
    ) async throws -> WebDAVServer {
        let python = kind == .wsgidav ? try await TestProgram.python(with: "wsgidav", "cheroot") : ""
        return try await ServerProcess.start {
            try await WebDAVServer(
                kind, python: python, password: password, usesDigest: usesDigest, bodyBytesMaximum: bodyBytesMaximum,
                certificates, keepsListings: keepsListings)
        }
    }

    private init(
        _ kind: Kind, python: String, password: String?, usesDigest: Bool, bodyBytesMaximum: Int,
        _ certificates: TestCertificates?, keepsListings: Bool
    ) async throws {
        self.kind = kind
        let directory = try TemporaryDirectory("webdav")
        for name in ["files", "temporary"] {
            try FileManager.default.createDirectory(at: directory.file(name), withIntermediateDirectories: false)
        }
        let port = try Ports.free()
        let executable: String
        let arguments: [String]
        switch kind {
        case .nginx:
            try directory.write(Self.nginx(port, directory.path, certificates), to: "nginx.conf")
            executable = "/usr/sbin/nginx"
            arguments = ["-p", directory.path, "-c", directory.path("nginx.conf"), "-e", "stderr"]
        case .rclone:
            try directory.write("", to: "rclone.conf")
            executable = try TestProgram.path("rclone")
            let login = password.map { ["--user", "tester", "--pass", $0] } ?? []
            let listings = keepsListings ? [] : ["--dir-cache-time", "\(Self.rcloneCacheMilliseconds)ms"]
            arguments =
                [
                    "serve", "webdav", "--addr", "127.0.0.1:\(port)", "--cache-dir", directory.path("temporary"),
                    "--config", directory.path("rclone.conf"),
                ] + listings + login + [directory.path("files")]
        case .wsgidav:
            var settings: [String: Any] = ["files": directory.path("files"), "port": port, "digest": usesDigest]
            if let password { settings.merge(["user": "tester", "password": password]) { $1 } }
            try JSONSerialization.data(withJSONObject: settings).write(to: directory.file("settings.json"))
            executable = python
            arguments = [TestProgram.script("webdav-server.py"), directory.path("settings.json")]
        case .apache:
            if usesDigest, let password {
                let digits = ReferenceMD5.digest(Array("tester:dav:\(password)".utf8)).map { byte in
                    String(UInt16(byte) + 0x100, radix: 16).dropFirst()
                }
                try directory.write("tester:dav:\(digits.joined())\n", to: "users")
            }
            let configuration = Self.apache(
                port, directory.path, usesDigest: usesDigest, bodyBytesMaximum: bodyBytesMaximum)
            try directory.write(configuration, to: "httpd.conf")
            executable = "/usr/sbin/apache2"
            arguments = ["-f", directory.path("httpd.conf"), "-X"]
        }
        process = try await ServerProcess(
            kind.rawValue, port: port, directory: directory, executable, arguments)
    }

    public var port: Int { process.port }

    /// The URL of the root folder, which ends in a slash.
    /// - Parameter port: a proxy's port; nil: the server's own.
    public func url(port: Int? = nil, isSecure: Bool = false) -> String {
        isSecure ? "https://localhost:\(port ?? process.port)/" : "http://127.0.0.1:\(port ?? process.port)/"
    }

    /// The bytes under a path; nil if there is no file.
    public func stored(_ path: String) -> [UInt8]? { process.directory.read("files/\(path)") }

    /// Writes a file without the server.
    public func put(_ bytes: [UInt8], at path: String) throws {
        let file = process.directory.file("files/\(path)")
        try FileManager.default.createDirectory(
            at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
        try Data(bytes).write(to: file, options: .atomic)
        letBeSeen()
    }

    public func makeFolder(_ path: String) throws {
        try FileManager.default.createDirectory(
            at: process.directory.file("files/\(path)"), withIntermediateDirectories: true)
        letBeSeen()
    }

    public func remove(_ path: String) throws {
        try FileManager.default.removeItem(at: process.directory.file("files/\(path)"))
        letBeSeen()
    }

    /// The time for which rclone uses a directory listing that it has read. With 0 each directory's timer would begin anew as it ends, and
    /// thousands of timers would lock each other out until rclone answers no request.
    private static let rcloneCacheMilliseconds: UInt32 = 20

    /// Returns when the server sees the changes that were made without it.
    private func letBeSeen() {
        if kind == .rclone { usleep(2 * Self.rcloneCacheMilliseconds * 1000) }
    }

    public func setAge(of path: String, seconds: TimeInterval) throws {
        try FileManager.default.setAttributes(
            [.modificationDate: Date(timeIntervalSinceNow: -seconds)],
            ofItemAtPath: process.directory.path("files/\(path)"))
    }

    /// The names in a folder, in no order; empty if there is no folder.
    public func names(in folder: String) -> [String] {
        ((try? process.directory.names(in: "files/\(folder)")) ?? []).filter { $0 != ".DAV" }
    }

    /// With nginx and certificates: the number of connections that had requests.
    public var connectionCount: Int {
        let log = process.directory.read("connections.log").map { String(decoding: $0, as: UTF8.self) } ?? ""
        return Set(log.split(separator: "\n")).count
    }

    public func log() -> String { process.log() }

    public func stop() async throws { try await process.stop() }

    private static func nginx(_ port: Int, _ path: String, _ certificates: TestCertificates?) -> String {
        let tls = certificates.map {
            """
            ssl_certificate \($0.serverCertificate); ssl_certificate_key \($0.serverKey);
            ssl_client_certificate \($0.authority); ssl_verify_client on;
            """
        }
        return """
            \(getuid() == 0 ? "user root;" : "")
            daemon off;
            master_process off;
            pid \(path)/nginx.pid;
            error_log stderr;
            events { worker_connections 512; }
            http {
                log_format connection $connection;
                access_log \(tls == nil ? "off" : "\(path)/connections.log connection");
                client_body_temp_path \(path)/temporary/body;
                proxy_temp_path \(path)/temporary/proxy;
                fastcgi_temp_path \(path)/temporary/fastcgi;
                uwsgi_temp_path \(path)/temporary/uwsgi;
                scgi_temp_path \(path)/temporary/scgi;
                server {
                    listen 127.0.0.1:\(port)\(tls == nil ? "" : " ssl");
                    \(tls ?? "")
                    root \(path)/files;
                    client_max_body_size 64m;
                    location / { dav_methods PUT DELETE MKCOL COPY MOVE; }
                }
            }
            """
    }

    /// The configuration of Apache: one process (`-X`) with threads, so that no process outlives a stop or a kill.
    private static func apache(_ port: Int, _ path: String, usesDigest: Bool, bodyBytesMaximum: Int) -> String {
        let names = [
            "mpm_event", "authz_core", "authn_core", "authn_file", "authz_user", "auth_digest", "dav", "dav_fs",
        ]
        let modules = names.map {
            "LoadModule \($0)_module /usr/lib/apache2/modules/mod_\($0).so"
        }
        let login = """
            AuthType Digest
            AuthName dav
            AuthDigestProvider file
            AuthUserFile \(path)/users
            Require valid-user
            """
        return """
            ServerRoot \(path)
            DefaultRuntimeDir \(path)
            PidFile \(path)/httpd.pid
            Listen 127.0.0.1:\(port)
            ServerName localhost
            # With fewer threads than connections Apache closes idle connections, perhaps as the next request arrives.
            ThreadLimit 128
            ThreadsPerChild 128
            MaxRequestWorkers 128
            MaxKeepAliveRequests 0
            KeepAliveTimeout 300
            \(modules.joined(separator: "\n"))
            ErrorLog /dev/stderr
            DocumentRoot \(path)/files
            DavLockDB \(path)/locks
            <Directory \(path)/files>
            \(usesDigest ? login : "Require all granted")
            LimitRequestBody \(bodyBytesMaximum)
            Dav On
            </Directory>
            """
    }
}

private actor SharedWebDAV {
    static let instance = SharedWebDAV()
    private var starting: [WebDAVServer.Kind: Task<WebDAVServer, any Error>] = [:]

    func server(_ kind: WebDAVServer.Kind) async throws -> WebDAVServer {
        if let starting = starting[kind] { return try await starting.value }
        let task = Task { try await WebDAVServer.start(kind) }
        starting[kind] = task
        return try await task.value
    }
}
