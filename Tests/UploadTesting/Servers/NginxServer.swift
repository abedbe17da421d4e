import Foundation
import Glibc

/// A private nginx that accepts PUT (its dav module) below a directory of its own, on a free port of 127.0.0.1.
public final class NginxServer: Sendable {
    public let port: Int
    public let isSecure: Bool
    private let scratch: TemporaryDirectory
    private let process: ChildProcess

    /// - Parameters:
    ///   - isSecure: uses TLS with a certificate for `localhost` that is its own authority.
    ///   - upstream: a port of 127.0.0.1 to which it forwards all requests unchanged, instead of handling them itself.
    public init(isSecure: Bool = false, forwardingTo upstream: Int? = nil) async throws {
        scratch = try TemporaryDirectory()
        self.isSecure = isSecure
        port = try Ports.free()
        for name in ["files", "temporary"] {
            try FileManager.default.createDirectory(
                atPath: scratch.path(name), withIntermediateDirectories: true)
        }
        if isSecure { try Self.makeCertificate(in: scratch) }
        try scratch.write(Array(Self.configuration(port, isSecure, scratch.path, upstream).utf8), to: "nginx.conf")
        process = try ChildProcess(
            "/usr/sbin/nginx", ["-p", scratch.path, "-c", scratch.path("nginx.conf"), "-e", scratch.path("error.log")])
        do {
            try await eventually("nginx listens") { Ports.isOpen(port) }
        } catch {
            process.stop()
            let log = scratch.read("error.log").map { String(decoding: $0, as: UTF8.self) } ?? ""
            throw DidNotHappen("nginx does not start: \(log)")
        }
    }

    deinit { process.stop() }

    /// The server's URL, which ends in a slash.
    public var url: String { isSecure ? "https://localhost:\(port)/" : "http://127.0.0.1:\(port)/" }

    /// The certificate, which is its own authority.
    public var certificatePath: String { scratch.path("certificate.pem") }

    /// The bytes under a path; nil if there is no file.
    public func stored(_ name: String) -> [UInt8]? { scratch.read("files/" + name) }

    public func remove(_ name: String) throws { try FileManager.default.removeItem(at: scratch.file("files/" + name)) }

    public func names() throws -> [String] { try scratch.names(in: "files") }

    private static func configuration(_ port: Int, _ isSecure: Bool, _ path: String, _ upstream: Int?) -> String {
        let tls =
            isSecure ? "ssl_certificate \(path)/certificate.pem; ssl_certificate_key \(path)/key.pem;" : ""
        let files =
            """
            location / { dav_methods PUT DELETE; create_full_put_path on; }
            location /forbidden/ { return 403 "no entry here"; }
            """
        let forwarding = upstream.map { upstream in
            """
            location / {
                proxy_pass http://127.0.0.1:\(upstream);
                proxy_set_header Host $http_host;
                proxy_http_version 1.1;
                proxy_request_buffering off;
            }
            """
        }
        let user = getuid() == 0 ? "user root;" : ""
        return """
            \(user)
            daemon off;
            master_process off;
            pid \(path)/nginx.pid;
            error_log \(path)/error.log;
            events { worker_connections 512; }
            http {
                access_log off;
                client_body_temp_path \(path)/temporary/body;
                proxy_temp_path \(path)/temporary/proxy;
                fastcgi_temp_path \(path)/temporary/fastcgi;
                uwsgi_temp_path \(path)/temporary/uwsgi;
                scgi_temp_path \(path)/temporary/scgi;
                server {
                    listen 127.0.0.1:\(port)\(isSecure ? " ssl" : "");
                    \(tls)
                    root \(path)/files;
                    client_max_body_size 64m;
                    \(forwarding ?? files)
                }
            }
            """
    }

    private static func makeCertificate(in scratch: TemporaryDirectory) throws {
        let process = try ChildProcess(
            "/usr/bin/openssl",
            [
                "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2",
                "-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost",
                "-keyout", scratch.path("key.pem"), "-out", scratch.path("certificate.pem"),
            ])
        guard process.wait() == 0 else {
            throw DidNotHappen("openssl makes no certificate")
        }
    }
}
