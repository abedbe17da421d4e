import AsyncHTTPClient
import Foundation
import NIOCore
import Synchronization
import UploadDestinations

/// The HTTP clients of the destinations: one for each route.
final class HTTPClients: Sendable {
    private let clients = Mutex<[HTTPRoute: HTTPClient]>([:])

    /// - Throws: `configuration` when its proxy is no URL.
    func client(_ route: HTTPRoute = HTTPRoute()) throws(ProgramError) -> HTTPClient {
        var configuration = HTTPConfiguration.clientConfiguration
        if let seconds = route.connectSeconds {
            configuration.timeout.connect = .nanoseconds(Int64(seconds * 1e9))
        }
        if let proxy = route.proxy {
            guard let components = URLComponents(string: proxy), let host = components.encodedHost, !host.isEmpty else {
                throw ProgramError(.configuration, "proxy: expected a URL such as http://proxy.example:3128")
            }
            configuration.proxy = .server(
                host: host, port: components.port ?? 80,
                authorization: components.user.map { .basic(username: $0, password: components.password ?? "") })
        }
        return clients.withLock { clients in
            if let client = clients[route] { return client }
            let client = HTTPClient(eventLoopGroupProvider: .singleton, configuration: configuration)
            clients[route] = client
            return client
        }
    }

    /// For small requests; nil where they go through a proxy.
    func connections(_ route: HTTPRoute) -> HTTPConnections? {
        guard route.proxy == nil else { return nil }
        return route.connectSeconds.map { HTTPConnections(connectSeconds: $0) } ?? .shared
    }

    /// Closes the connections.
    func shutdown() async throws {
        for client in takeAll() { try await client.shutdown() }
    }

    /// The same where nobody can wait.
    func syncShutdown() {
        for client in takeAll() { try? client.syncShutdown() }
    }

    private func takeAll() -> [HTTPClient] {
        clients.withLock { clients in
            defer { clients = [:] }
            return Array(clients.values)
        }
    }
}
