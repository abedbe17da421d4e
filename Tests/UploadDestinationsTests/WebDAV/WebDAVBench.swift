import AsyncHTTPClient
import Foundation
import NIOCore
import NIOHTTP1
import UploadSources
import UploadTesting
import Uploads

@testable import UploadDestinations

/// A real WebDAV server, a proxy before it, and the driver for it.
struct WebDAVBench: Sendable {
    static let partBytes = 1 << 20

    let server: WebDAVServer
    let proxy: HTTPFaultProxy
    let client: HTTPClient
    /// Separates the keys of tests on one server.
    let folder = UniqueNames.make("dav")

    /// Runs the body with the shared server of a kind.
    static func with(
        _ kind: WebDAVServer.Kind, _ body: (WebDAVBench) async throws -> Void
    ) async throws {
        try await with(WebDAVServer.shared(kind), body)
    }

    static func with(_ server: WebDAVServer, _ body: (WebDAVBench) async throws -> Void) async throws {
        let proxy = try HTTPFaultProxy(to: server.port)
        let client = HTTPClient(
            eventLoopGroupProvider: .singleton, configuration: HTTPConfiguration.clientConfiguration)
        let bench = WebDAVBench(server: server, proxy: proxy, client: client)
        do {
            try server.makeFolder(bench.folder)
            try await body(bench)
        } catch {
            proxy.stop()
            try await client.shutdown()
            throw error
        }
        proxy.stop()
        try await client.shutdown()
    }

    /// The configuration through the proxy.
    var configuration: WebDAVConfiguration { WebDAVConfiguration(url: server.url(port: proxy.port) + "\(folder)/") }

    /// A driver as another worker would have it.
    func destination(_ configuration: WebDAVConfiguration? = nil) throws -> WebDAVDestination {
        try WebDAVDestination(configuration ?? self.configuration, client: client)
    }

    /// - Parameter isDirect: whether requests bypass the proxy.
    func conformance(
        _ configuration: WebDAVConfiguration? = nil, isDirect: Bool = false
    ) -> DestinationConformance {
        var used = configuration ?? self.configuration
        if isDirect { used.url = server.url() + "\(folder)/" }
        return DestinationConformance(
            destination: { [used] in try destination(used) }, sources: LocalSources(areas: [], roots: []),
            reference: { .named(DestinationName(unchecked: "dav"), key: $0) }, stored: { stored($0) },
            partBytes: Self.partBytes)
    }

    /// A job of inline bytes.
    func job(_ count: Int = 100_000, key: String = "file", seed: UInt8 = 1) throws -> UploadJob {
        try conformance().job(DestinationConformance.bytes(count, seed: seed), key: key)
    }

    func send(_ job: UploadJob, to session: any UploadSession) async throws {
        try await conformance().send(of: job, to: session)
    }

    /// Repeats a step, as the pool would, while the server answers 423: it still holds a lock for a request that was cut off.
    func untilUnlocked(_ step: () async throws -> Void) async throws {
        try await eventually("\(server.kind) lets go of what was cut off") {
            do {
                try await step()
                return true
            } catch let error as UploadError {
                guard error.response?.status == 423, error.retry == .afterBackoff else { throw error }
                return false
            }
        }
    }

    func stored(_ key: String) -> [UInt8]? { server.stored("\(folder)/\(key)") }

    func names(in path: String = "") -> [String] { server.names(in: "\(folder)/\(path)").sorted() }

    /// The methods of the requests so far, in order.
    var methods: [String] { proxy.requests.map(\.method) }

    /// Sends a request that the driver does not make, bypassing the proxy.
    func ask(
        _ method: HTTPMethod, _ key: String, _ headers: [(String, String)] = [], body: String? = nil
    ) async throws -> (status: Int, headers: HTTPHeaders, body: String) {
        var request = HTTPClientRequest(url: server.url() + "\(folder)/\(key)")
        request.method = method
        for (name, value) in headers { request.headers.add(name: name, value: value) }
        if let body { request.body = .bytes(ByteBuffer(string: body)) }
        let response = try await client.execute(request, timeout: .minutes(5))
        let answer = try await response.body.collect(upTo: 1 << 20)
        return (Int(response.status.code), response.headers, String(buffer: answer))
    }
}
