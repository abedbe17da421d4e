import AsyncHTTPClient
import Foundation
import HTTPCalls
import NIOCore
import Synchronization
import UploadDestinations
import Uploads

/// The HTTP clients of the destinations: one for each route.
final class HTTPClients: Sendable {
    private let clients = Mutex<[HTTPRoute: HTTPClient]>([:])

    /// The client of a route, made at its first use.
    /// - Throws: `configuration` when the route's proxy is no URL.
    func client(_ route: HTTPRoute = HTTPRoute()) throws(ProgramError) -> HTTPClient {
        var configuration = HTTPConfiguration.clientConfiguration
        if let seconds = route.connectSeconds {
            configuration.timeout.connect = .nanoseconds(Int64(saturating: seconds * 1e9))
        }
        let proxy = try route.proxy.map(Self.proxy)
        return clients.withLock { clients in
            if let client = clients[route] { return client }
            let plain = HTTPClient(eventLoopGroupProvider: .singleton, configuration: configuration)
            guard let proxy else {
                clients[route] = plain
                return plain
            }
            configuration.proxy = proxy.configuration
            let client = HTTPClient(eventLoopGroupProvider: .singleton, configuration: configuration)
            HTTPProxy.set(proxy, before: client, plain: plain)
            clients[route] = client
            return client
        }
    }

    private static func proxy(_ url: String) throws(ProgramError) -> HTTPProxy {
        guard let components = URLComponents(string: url), let host = components.encodedHost, !host.isEmpty,
            components.hasValidPort
        else {
            throw ProgramError(.configuration, "proxy: expected a URL such as http://proxy.example:3128")
        }
        // The client wants an IPv6 address without its brackets.
        let name = host.hasPrefix("[") ? String(host.dropFirst().dropLast()) : host
        return HTTPProxy(
            host: name, port: components.port ?? 80, login: components.user.map { ($0, components.password ?? "") })
    }

    /// Connections for small requests; nil where requests go through a proxy.
    func connections(_ route: HTTPRoute) -> HTTPConnections? {
        guard route.proxy == nil else { return nil }
        return route.connectSeconds.map { HTTPConnections(connectSeconds: $0) } ?? .shared
    }

    /// Closes the connections.
    func shutdown() async throws {
        for client in takeAll() { try await client.shutdown() }
    }

    /// Closes the connections, for callers that cannot wait asynchronously.
    func syncShutdown() {
        for client in takeAll() { try? client.syncShutdown() }
    }

    private func takeAll() -> [HTTPClient] {
        clients.withLock { clients in
            defer { clients = [:] }
            return clients.values.flatMap { [$0, HTTPProxy.forget($0)].compactMap(\.self) }
        }
    }
}
