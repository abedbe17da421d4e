import AsyncHTTPClient
import Logging
import Metrics
import NIOCore
import NIOHTTP1
import ServiceLifecycle
import Testing
import UploadTesting

@testable import UploadBootstrap

@Suite(.timeLimit(.minutes(1)))
struct HealthServerTests {
    private let readiness = Readiness()
    private let registry = PrometheusRegistry()

    private func get(_ port: Int, _ path: String) async throws -> (status: UInt, body: String) {
        let response = try await HTTPClient.shared.execute(
            HTTPClientRequest(url: "http://127.0.0.1:\(port)\(path)"), timeout: .seconds(10))
        return (response.status.code, String(buffer: try await response.body.collect(upTo: 1 << 20)))
    }

    private func server(_ port: Int) -> HealthServer {
        HealthServer(
            .listen(host: "127.0.0.1", port: port), readiness: readiness, registry: registry,
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
            #expect(try await get(port, "/metrics").body == "# TYPE a_total counter\na_total 1\n")
            #expect(try await get(port, "/else").status == 404)
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
}
