import AsyncHTTPClient
import Foundation
import Synchronization
import UploadDestinations

/// The HTTP clients of the destinations: one for all, and one more for each proxy.
final class HTTPClients: Sendable {
    private let clients = Mutex<[String?: HTTPClient]>([:])

    /// - Parameter proxy: a URL such as `http://proxy.example:3128`.
    /// - Throws: `configuration` when it is none.
    func client(proxy: String? = nil) throws(ProgramError) -> HTTPClient {
        var configuration = HTTPConfiguration.clientConfiguration
        if let proxy {
            guard let components = URLComponents(string: proxy), let host = components.encodedHost, !host.isEmpty else {
                throw ProgramError(.configuration, "proxy: expected a URL such as http://proxy.example:3128")
            }
            configuration.proxy = .server(
                host: host, port: components.port ?? 80,
                authorization: components.user.map { .basic(username: $0, password: components.password ?? "") })
        }
        return clients.withLock { clients in
            if let client = clients[proxy] { return client }
            let client = HTTPClient(eventLoopGroupProvider: .singleton, configuration: configuration)
            clients[proxy] = client
            return client
        }
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
