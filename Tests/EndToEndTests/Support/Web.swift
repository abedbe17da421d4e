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

    struct Answer: Equatable {
        let status: Int
        /// Names in lower case.
        let headers: [String: String]
        let body: String
    }

    /// Posts JSON.
    /// - Returns: nil if there is no answer within 60 s, because the server died perhaps.
    static func post(_ url: String, _ body: String, _ headers: [String: String] = [:]) async throws -> Answer? {
        var request = HTTPClientRequest(url: url)
        request.method = .POST
        request.headers.add(name: "connection", value: "close")
        request.headers.add(name: "content-type", value: "application/json")
        for (name, value) in headers { request.headers.replaceOrAdd(name: name, value: value) }
        request.body = .bytes(ByteBuffer(string: body))
        guard let answer = try? await client.execute(request, timeout: .seconds(60)) else { return nil }
        let fields = answer.headers.map { ($0.name.lowercased(), $0.value) }
        return Answer(
            status: Int(answer.status.code), headers: Dictionary(fields) { first, _ in first },
            body: String(buffer: try await answer.body.collect(upTo: 16 << 20)))
    }

    /// - Returns: the body of the answer, whatever its status; empty if there is no answer within 30 s.
    static func page(_ url: String) async throws -> String {
        var request = HTTPClientRequest(url: url)
        // The next request opens a connection of its own: the server may have been killed and started again meanwhile.
        request.headers.add(name: "connection", value: "close")
        guard let answer = try? await client.execute(request, timeout: .seconds(30)) else { return "" }
        return String(buffer: try await answer.body.collect(upTo: 16 << 20))
    }
}
