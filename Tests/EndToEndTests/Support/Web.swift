import AsyncHTTPClient
import NIOCore
import NIOHTTP1

/// Asks the HTTP servers of the programs under test.
enum Web {
    private static let client = {
        var configuration = HTTPClient.Configuration()
        // A test that waits for a server asks again by itself.
        configuration.connectionPool.retryConnectionEstablishment = false
        return HTTPClient(eventLoopGroupProvider: .singleton, configuration: configuration)
    }()

    /// - Returns: the body of the answer, whatever its status; empty if there is no answer within 30 s.
    static func page(_ url: String) async throws -> String {
        var request = HTTPClientRequest(url: url)
        // The next request opens a connection of its own: the server may have been killed and started again meanwhile.
        request.headers.add(name: "connection", value: "close")
        guard let answer = try? await client.execute(request, timeout: .seconds(30)) else { return "" }
        return String(buffer: try await answer.body.collect(upTo: 16 << 20))
    }
}
