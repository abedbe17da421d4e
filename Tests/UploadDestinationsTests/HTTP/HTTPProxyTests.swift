import AsyncHTTPClient
import Foundation
import Testing
import UploadSources
import UploadTesting
import Uploads

@testable import UploadDestinations

@Suite(.timeLimit(.minutes(10)))
struct HTTPProxyTests {
    private func with(_ port: Int, _ body: (HTTPClient) async throws -> Void) async throws {
        let proxy = HTTPProxy(host: "127.0.0.1", port: port, login: ("ann", "swordfish-1234"))
        var configuration = HTTPConfiguration.clientConfiguration
        let plain = HTTPClient(eventLoopGroupProvider: .singleton, configuration: configuration)
        configuration.proxy = proxy.configuration
        let client = HTTPClient(eventLoopGroupProvider: .singleton, configuration: configuration)
        HTTPProxy.set(proxy, before: client, plain: plain)
        let shutdown = {
            #expect(HTTPProxy.forget(client) === plain)
            try await plain.shutdown()
            try await client.shutdown()
        }
        do {
            try await body(client)
        } catch {
            try await shutdown()
            throw error
        }
        try await shutdown()
    }

    /// Only the proxy can resolve the server's name.
    @Test func `requests to an http URL go through in absolute form`() async throws {
        let server = try await NginxServer()
        let proxy = try HTTPFaultProxy(to: server.port)
        defer { proxy.stop() }
        try await with(proxy.port) { client in
            let destination = HTTPDestination(HTTPConfiguration(url: "http://files.test:8080/"), client: client)
            let conformance = DestinationConformance(
                destination: { destination }, sources: LocalSources(areas: [], roots: []),
                reference: { .named(DestinationName(unchecked: "web"), key: $0) }, stored: { server.stored($0) },
                partBytes: 1 << 20)
            try await conformance.carry(conformance.job(DestinationConformance.bytes(3 << 20), key: "a b?"))
            let request = try #require(proxy.requests.first?.request)
            #expect(request.target == "http://files.test:8080/a%20b%3F")
            #expect(request.header("host") == "files.test:8080")
            #expect(request.header("proxy-authorization")?.hasPrefix("Basic ") == true)
            #expect(request.header("longshore-exchange") == nil)
        }
    }

    @Test(arguments: [(403, UploadError.Code.networkFailure), (407, .misconfigured)])
    func `what the proxy says of a connection is told`(status: Int, code: UploadError.Code) async throws {
        let server = try ScriptedServer { connection in
            let head = connection.readHead()
            connection.answer(head.hasPrefix("CONNECT files.test:443 ") ? "\(status) No" : "200 OK")
        }
        try await with(server.port) { client in
            let url = "https://files.test/x"
            let exchange = HTTPExchange(client: client, times: HTTPTimes(), displayURL: url)
            let error = await #expect(throws: UploadError.self) {
                _ = try await exchange.run(HTTPClientRequest(url: url), body: nil)
            }
            #expect(error?.code == code && error?.retry == .afterBackoff)
            #expect(error?.message.contains("answered \(status) to CONNECT files.test:443") == true, "\(error as Any)")
            #expect(error?.message.contains("swordfish") == false)
        }
    }
}
