import Foundation
import Hummingbird
public import Logging
import NIOCore
import NIOPosix
public import ServiceLifecycle

/// `/healthz` (the process is alive), `/readyz` (it does its work; 503 with the reason otherwise) and `/metrics`.
public struct HealthServer: Service {
    private let address: HTTPAddress
    private let readiness: Readiness
    private let registry: PrometheusRegistry
    private let logger: Logger

    public init(_ address: HTTPAddress, readiness: Readiness, registry: PrometheusRegistry, logger: Logger) {
        self.address = address
        self.readiness = readiness
        self.registry = registry
        self.logger = logger
    }

    /// - Throws: `ProgramError`, `configuration`, when it cannot listen there.
    public func run() async throws {
        guard case .listen(let host, let port) = address else {
            try? await gracefulShutdown()
            return
        }
        var quiet = logger
        // A request is worth no line, and the server's own "started" is said below with the port that it got.
        quiet.logLevel = max(.warning, logger.logLevel)
        let application = Application(
            router: router,
            configuration: ApplicationConfiguration(address: .hostname(host, port: port), serverName: nil),
            onServerRunning: { [logger] channel in
                logger.info(
                    "serving health and metrics",
                    metadata: ["address": "\(HTTPAddress.listen(host: host, port: channel.localAddress?.port ?? port))"]
                )
            }, logger: quiet)
        do {
            try await application.run()
        } catch let error as IOError {
            throw ProgramError(.configuration, Self.problem(error, address))
        } catch is NIOConnectionError {
            throw ProgramError(
                .configuration,
                "\(address): cannot listen there: no such host; choose another address with --http HOST:PORT")
        }
    }

    private var router: Router<BasicRequestContext> {
        let router = Router()
        router.get("/healthz") { _, _ in "alive\n" }
        router.get("/readyz") { [readiness] _, _ in
            guard let reason = await readiness.reason else { return Self.text(.ok, "ready\n") }
            return Self.text(.serviceUnavailable, "not ready: \(reason)\n")
        }
        router.get("/metrics") { [registry] _, _ in
            Response(
                status: .ok, headers: [.contentType: PrometheusText.contentType],
                body: ResponseBody(byteBuffer: ByteBuffer(string: registry.exposition)))
        }
        return router
    }

    private static func text(_ status: HTTPResponse.Status, _ body: String) -> Response {
        Response(
            status: status, headers: [.contentType: "text/plain; charset=utf-8"],
            body: ResponseBody(byteBuffer: ByteBuffer(string: body)))
    }

    /// bind(2): EADDRINUSE, EADDRNOTAVAIL, EACCES.
    private static func problem(_ error: IOError, _ address: HTTPAddress) -> String {
        let why =
            switch error.errnoCode {
            case EADDRINUSE: "another program listens there"
            case EADDRNOTAVAIL: "this host has no such address"
            case EACCES: "ports below 1024 need privileges"
            default: String(cString: strerror(error.errnoCode))
            }
        return "\(address): cannot listen there: \(why); choose another address with --http HOST:PORT, or --http off"
    }
}
