import Foundation
import Synchronization
import Testing

/// A web server in a process of its own that takes webhooks. The last part of the path lists its answers, one for each request, and the
/// last one for all later requests: `/a/500,200`. Beside statuses: `hang`, `big`, `busy` (429 with `Retry-After: 7`), `stall` and
/// `break` (200, with a body that does not end, or breaks off).
final class HookServer: Sendable {
    struct Request: Decodable, Sendable {
        let path: String
        let headers: [String: String]
        let body: String
    }

    let port: Int
    private let process: Process
    /// The server ends when this pipe closes, also when the tests are killed.
    private let input: Pipe
    private let box: Box

    /// - Parameter certificate: a file to which the server writes its own certificate, for `hooks.example`; nil for plain HTTP.
    init(certificate: String? = nil) async throws {
        let process = Process()
        let (input, output) = (Pipe(), Pipe())
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = ["python3", "-c", Self.script] + (certificate.map { [$0] } ?? [])
        process.standardOutput = output
        process.standardError = FileHandle.nullDevice
        process.standardInput = input
        let box = Box()
        output.fileHandleForReading.readabilityHandler = { handle in
            let data = handle.availableData
            if data.isEmpty { handle.readabilityHandler = nil } else { box.append(data) }
        }
        try process.run()
        self.process = process
        self.input = input
        self.box = box
        try await until { !box.lines.isEmpty }
        port = try JSONDecoder().decode(Int.self, from: box.lines[0])
    }

    deinit {
        try? input.fileHandleForWriting.close()
        process.terminate()
    }

    /// The requests in order, once there are this many: the other process reports a request a little later than it answers it.
    func requests(_ count: Int) async throws -> [Request] {
        try await until { requests.count >= count }
        return requests
    }

    /// The requests so far.
    var requests: [Request] { box.lines.dropFirst().compactMap { try? JSONDecoder().decode(Request.self, from: $0) } }

    func url(_ path: String, host: String = "127.0.0.1") -> String { "http://\(host):\(port)/\(path)" }

    private final class Box: Sendable {
        private let state = Mutex(Data())

        func append(_ data: Data) { state.withLock { $0.append(data) } }

        /// Complete lines only.
        var lines: [Data] {
            state.withLock { data in
                let parts = data.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
                return parts.dropLast().map { Data($0) }
            }
        }
    }

    private static let script = """
        import http.server, json, os, ssl, subprocess, sys, threading
        counts, lock = {}, threading.Lock()

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def log_message(self, *args):
                pass

            def do_POST(self):
                body = self.rfile.read(int(self.headers.get("content-length") or 0)).decode()
                headers = {name.lower(): value for name, value in self.headers.items()}
                with lock:
                    count = counts.get(self.path, 0)
                    counts[self.path] = count + 1
                    print(json.dumps({"path": self.path, "headers": headers, "body": body}), flush=True)
                answers = self.path.rsplit("/", 1)[-1].split(",")
                answer = answers[min(count, len(answers) - 1)]
                if answer == "hang":
                    threading.Event().wait(3600)
                if answer == "big":
                    self.send_response(500)
                    self.send_header("content-length", str(1 << 40))
                    self.end_headers()
                    try:
                        while True:
                            self.wfile.write(b"x" * 65536)
                    except OSError:
                        self.close_connection = True
                    return
                if answer in ("stall", "break"):
                    self.send_response(200)
                    self.send_header("content-length", "100")
                    self.end_headers()
                    self.wfile.write(b"hello")
                    self.wfile.flush()
                    if answer == "stall":
                        threading.Event().wait(3600)
                    self.close_connection = True
                    return
                self.send_response(429 if answer == "busy" else int(answer))
                if answer == "busy":
                    self.send_header("retry-after", "7")
                if answer == "302":
                    self.send_header("location", "/followed/200")
                self.send_header("content-length", "5")
                self.end_headers()
                self.wfile.write(b"hello")

        server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        server.daemon_threads = True
        if len(sys.argv) > 1:
            key = sys.argv[1] + ".key"
            subprocess.run(["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1",
                "-nodes", "-days", "2", "-subj", "/CN=hooks.example", "-addext", "subjectAltName=DNS:hooks.example",
                "-keyout", key, "-out", sys.argv[1]], check=True, stdout=sys.stderr, stderr=sys.stderr)
            context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            context.load_cert_chain(sys.argv[1], key)
            server.socket = context.wrap_socket(server.socket, server_side=True)

        def follow_parent():
            sys.stdin.read()
            os._exit(0)

        threading.Thread(target=follow_parent, daemon=True).start()
        print(server.server_address[1], flush=True)
        server.serve_forever()
        """
}
