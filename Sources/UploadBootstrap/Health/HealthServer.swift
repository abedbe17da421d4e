import Foundation
import Hummingbird
import HummingbirdCore
public import Logging
import NIOCore
import NIOPosix
public import ServiceLifecycle
public import UploadNotifier

/// Serves `/healthz` (the process is alive), `/readyz` (it does its work; 503 with the reason otherwise) and `/metrics` (text, or
/// OpenMetrics for clients that accept it); in a notifier, its HTTP API too.
public struct HealthServer: Service {
    private let address: HTTPAddress
    private let takesAnother: Bool
    private let readiness: Readiness
    private let registry: PrometheusRegistry
    private let api: NotifierAPI?
    private let obstacle: (@Sendable () -> LedgerObstacle?)?
    private let logger: Logger

    /// The paths that need no token, because monitoring systems have none.
    private static let openPaths: Set = ["/healthz", "/readyz", "/metrics"]

    /// - Parameters:
    ///   - takesAnother: whether it takes a free port when another program has this one: for an address that is the default.
    ///   - obstacle: in a notifier: why it does not work with its ledger yet; nil once it does.
    public init(
        _ address: HTTPAddress, takesAnother: Bool = false, readiness: Readiness, registry: PrometheusRegistry,
        api: NotifierAPI? = nil,
        obstacle: (@Sendable () -> LedgerObstacle?)? = nil, logger: Logger
    ) {
        self.api = api
        self.obstacle = obstacle
        self.address = address
        self.takesAnother = takesAnother
        self.readiness = readiness
        self.registry = registry
        self.logger = logger
    }

    /// - Throws: `ProgramError`, `configuration`, when the program cannot listen at the address.
    public func run() async throws {
        guard case .listen(let host, let port) = address else {
            try? await gracefulShutdown()
            return
        }
        do {
            do {
                try await serve(host, port)
            } catch let error as IOError where takesAnother && error.errnoCode == EADDRINUSE {
                logger.notice("another program has the port; taking a free one", metadata: ["address": "\(address)"])
                try await serve(host, 0)
            }
        } catch let error as IOError {
            throw ProgramError(.configuration, Self.problem(error, address))
        } catch is NIOConnectionError {
            throw ProgramError(
                .configuration,
                "\(address): cannot listen there: no such host; choose another address with --http HOST:PORT")
        }
    }

    private func serve(_ host: String, _ port: Int) async throws {
        var quiet = logger
        // The server's line for each request is noise, and its own "started" line appears below, with the port that the system chose.
        quiet.logLevel = max(.warning, logger.logLevel)
        let accepted = AcceptedConnections()
        defer { accepted.end() }
        let application = Application(
            router: router,
            // A client that does not send its request within the idle timeout is disconnected.
            server: accepted.http1(
                .init(
                    additionalChannelHandlers: [BrokenRequestAnswer()],
                    idleTimeout: .seconds(60),
                    httpDecoderConfiguration: .init(
                        maxHeaderFieldSize: NotifierAPI.headerBytesMaximum,
                        maxHeaderListSize: NotifierAPI.headerBytesMaximum, maxHeaderFieldCount: 100))),
            configuration: ApplicationConfiguration(
                address: .hostname(host, port: port), serverName: nil,
                availableConnectionsDelegate: MaximumAvailableConnections(NotifierAPI.connectionsMaximum)),
            onServerRunning: { [api, logger] channel in
                logger.info(
                    api == nil ? "serving health and metrics" : "serving the HTTP API, health and metrics",
                    metadata: ["address": "\(HTTPAddress.listen(host: host, port: channel.localAddress?.port ?? port))"]
                )
            }, logger: quiet)
        try await application.run()
    }

    private var router: Router<APIRequestContext> {
        let router = Router(context: APIRequestContext.self)
        if let obstacle {
            router.add(
                middleware: StandByGuard(openPaths: Self.openPaths.union(StandInPage.assetPaths), obstacle: obstacle))
            if api == nil { StandInPage.addAssets(to: router) }
        }
        api?.add(to: router, openPaths: Self.openPaths)
        router.get("/healthz") { _, _ in "alive\n" }
        router.get("/readyz") { [readiness] _, _ in
            guard let reason = await readiness.reason else { return Self.text(.ok, "ready\n") }
            return Self.text(.serviceUnavailable, "not ready: \(reason)\n")
        }
        router.get("/metrics") { [registry] request, _ in
            await registry.update()
            let format = PrometheusFormat(accept: request.headers[.accept])
            return Response(
                status: .ok, headers: [.contentType: format.contentType, .vary: "Accept"],
                body: ResponseBody(byteBuffer: ByteBuffer(string: registry.exposition(format))))
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
