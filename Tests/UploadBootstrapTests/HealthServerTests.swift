import AsyncHTTPClient
import Logging
import Metrics
import NIOCore
import NIOHTTP1
import ServiceLifecycle
import Synchronization
import Testing
import UploadNotifier
import UploadTesting
import Uploads

@testable import UploadBootstrap

@Suite(.timeLimit(.minutes(10)))
struct HealthServerTests {
    private let readiness = Readiness()
    private let registry = PrometheusRegistry()

    private func get(
        _ port: Int, _ path: String, accept: String = "*/*"
    ) async throws -> (status: UInt, type: String?, body: String) {
        var request = HTTPClientRequest(url: "http://127.0.0.1:\(port)\(path)")
        request.headers.add(name: "Accept", value: accept)
        let response = try await HTTPClient.shared.execute(request, timeout: .seconds(10))
        let body = String(buffer: try await response.body.collect(upTo: 1 << 20))
        return (response.status.code, response.headers.first(name: "Content-Type"), body)
    }

    private func server(_ port: Int, obstacle: LedgerObstacle? = nil) -> HealthServer {
        var answer: (@Sendable () -> LedgerObstacle)?
        if let obstacle { answer = { obstacle } }
        return HealthServer(
            .listen(host: "127.0.0.1", port: port), readiness: readiness, registry: registry, obstacle: answer,
            logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
    }

    @Test func `it tells life, readiness with its reason, and metrics`() async throws {
        let port = try Ports.free()
        Counter(label: "a_total", factory: registry).increment()
        try await withThrowingTaskGroup(of: Void.self) { group in
            let server = server(port)
            group.addTask { try await server.run() }
            try await eventually("the server listens") { Ports.isOpen(port) }
            #expect(try await get(port, "/healthz").status == 200)
            readiness.set("no broker")
            let before = try await get(port, "/readyz")
            #expect(before.status == 503)
            #expect(before.body == "not ready: no broker\n")
            readiness.set { nil }
            #expect(try await get(port, "/readyz").status == 200)
            let text = try await get(port, "/metrics")
            #expect(text.body == "# TYPE a_total counter\na_total 1.0\n")
            #expect(text.type == "text/plain; version=0.0.4; charset=utf-8")
            let openMetrics = try await get(port, "/metrics", accept: "application/openmetrics-text; version=1.0.0")
            #expect(openMetrics.body == "# TYPE a counter\na_total 1.0\n# EOF\n")
            #expect(openMetrics.type == "application/openmetrics-text; version=1.0.0; charset=utf-8")
            #expect(try await get(port, "/else").status == 404)
            group.cancelAll()
        }
    }

    @Test func `at the default address it takes a free port when another program has this one`() async throws {
        let port = try Ports.free()
        try await withThrowingTaskGroup(of: Void.self) { group in
            let first = server(port)
            group.addTask { try await first.run() }
            try await eventually("the first server listens") { Ports.isOpen(port) }
            await #expect(throws: ProgramError.self) { try await server(port).run() }
            let lines = Mutex<[String]>([])
            let second = HealthServer(
                .listen(host: "127.0.0.1", port: port), takesAnother: true, readiness: readiness, registry: registry,
                logger: Logger(label: "test") { _ in LineHandler { line in lines.withLock { $0.append(line) } } })
            group.addTask { try await second.run() }
            var told: Int?
            try await eventually("the second server says where it listens") {
                let line = lines.withLock { $0.first { $0.contains("serving") } }
                told = line?.firstMatch(of: /127\.0\.0\.1:(\d+)/).flatMap { Int($0.1) }
                return told != nil
            }
            let other = try #require(told)
            #expect(other != port)
            #expect(try await get(other, "/healthz").status == 200)
            group.cancelAll()
        }
    }

    @Test func `one that stands by says so on every path but its own`() async throws {
        let port = try Ports.free()
        try await withThrowingTaskGroup(of: Void.self) { group in
            let server = server(port, obstacle: .taken)
            group.addTask { try await server.run() }
            try await eventually("the server listens") { Ports.isOpen(port) }
            readiness.set("standing by")
            #expect(try await get(port, "/").body.contains("Standing by"))
            for path in ["/v1", "/v1/jobs", "/openapi.yaml", "/v1/events"] {
                let response = try await HTTPClient.shared.execute(
                    HTTPClientRequest(url: "http://127.0.0.1:\(port)\(path)"), timeout: .seconds(10))
                let body = String(buffer: try await response.body.collect(upTo: 1 << 20))
                #expect(response.status == .serviceUnavailable)
                #expect(response.headers.first(name: "Content-Type") == "application/problem+json")
                #expect(body.contains("urn:longshore:problem:standing-by") && body.contains("has the ledger"))
            }
            #expect(try await get(port, "/healthz").status == 200)
            #expect(try await get(port, "/readyz").body == "not ready: standing by\n")
            #expect(try await get(port, "/metrics").status == 200)
            group.cancelAll()
        }
    }

    @Test func `one whose ledger cannot be opened says why on every path but its own`() async throws {
        let port = try Ports.free()
        try await withThrowingTaskGroup(of: Void.self) { group in
            let server = server(port, obstacle: .failed(UploadError(.serverFailure, "no space is left")))
            group.addTask { try await server.run() }
            try await eventually("the server listens") { Ports.isOpen(port) }
            #expect(try await get(port, "/").body.contains("no space is left"))
            let answer = try await get(port, "/v1/jobs")
            #expect(answer.status == 503 && answer.type == "application/problem+json")
            #expect(answer.body.contains("no space is left; try again in a moment"))
            #expect(try await get(port, "/healthz").status == 200)
            group.cancelAll()
        }
    }

    @Test func `headers that are too large are a problem`() async throws {
        let port = try Ports.free()
        try await withThrowingTaskGroup(of: Void.self) { group in
            let server = server(port)
            group.addTask { try await server.run() }
            try await eventually("the server listens") { Ports.isOpen(port) }
            var request = HTTPClientRequest(url: "http://127.0.0.1:\(port)/healthz")
            request.headers.add(name: "X-Large", value: String(repeating: "a", count: 20_000))
            let response = try await HTTPClient.shared.execute(request, timeout: .seconds(10))
            let body = String(buffer: try await response.body.collect(upTo: 1 << 20))
            #expect(response.status == .requestHeaderFieldsTooLarge)
            #expect(response.headers.first(name: "Content-Type") == "application/problem+json")
            #expect(body.contains("urn:longshore:problem:headers-too-large"))
            #expect(try await get(port, "/healthz").status == 200)
            group.cancelAll()
        }
    }

    @Test func `a port in use is an error that names the flag`() async throws {
        let port = try Ports.free()
        await withThrowingTaskGroup(of: Void.self) { group in
            let first = server(port)
            let second = server(port)
            group.addTask { try await first.run() }
            try? await eventually("the server listens") { Ports.isOpen(port) }
            let error = await #expect(throws: ProgramError.self) { try await second.run() }
            #expect(error?.exitCode == .configuration)
            #expect(error?.description.contains("--http HOST:PORT") == true)
            group.cancelAll()
        }
    }

    /// The process would trap if the server did not close them (swift-nio #2637).
    @Test func `connections that come while it ends are closed`() async throws {
        for _ in 0..<20 {
            let port = try Ports.free()
            let server = server(port)
            let running = Task { try await server.run() }
            try await eventually("the server listens") { Ports.isOpen(port) }
            let knocking = (0..<32).map { _ in Task.detached { Ports.isOpen(port) } }
            running.cancel()
            _ = try? await running.value
            for knock in knocking { _ = await knock.value }
        }
    }
}
