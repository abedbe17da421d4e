import AsyncHTTPClient
import Foundation
import NIOCore
import NIOHTTP1
import Uploads

/// Asks the notifier over its HTTP API.
struct NotifierClient: Sendable {
    /// The most bytes of an answer.
    private static let answerBytesMaximum = 64 << 20

    /// Without a trailing slash.
    let address: String
    private let token: String?
    /// Why there is no token, if one is configured and cannot be read.
    let tokenHint: String?
    private let client: HTTPClient

    /// Runs the body with a client, and closes the client's connections.
    /// - Parameter silence: how long a connection may be silent before it counts as broken; nil for ever.
    static func with<Value>(
        _ configuration: UploadConfiguration, silence: TimeAmount? = nil, _ body: (NotifierClient) async throws -> Value
    ) async throws -> Value {
        let (token, hint) = try configuration.clientToken()
        let address = String(configuration.apiAddress.reversed().drop { $0 == "/" }.reversed())
        guard URL(string: address)?.hasValidPort != false else {
            throw ProgramError(.configuration, "the notifier's address \(address) names a port that is none")
        }
        var settings = HTTPClient.Configuration(
            // The token must not go to another address.
            redirectConfiguration: .disallow, timeout: .init(connect: .seconds(5), read: silence))
        settings.httpVersion = .http1Only
        let client = HTTPClient(eventLoopGroupProvider: .singleton, configuration: settings)
        do {
            let value = try await body(NotifierClient(address: address, token: token, tokenHint: hint, client: client))
            try await client.shutdown()
            return value
        } catch {
            try? await client.shutdown()
            throw error
        }
    }

    /// Sends a request, and reads the JSON of its answer.
    /// - Throws: `ProgramError` for every status but success.
    func ask<Answer: Decodable>(
        _ method: HTTPMethod = .GET, _ path: String, _ query: [(name: String, value: String)] = [],
        body: JSONValue? = nil, as type: Answer.Type = Answer.self, patience: TimeAmount = .seconds(30)
    ) async throws -> Answer {
        var request = request(method, path, query)
        if let body {
            let type = method == .PATCH ? "application/merge-patch+json" : "application/json"
            request.headers.add(name: "Content-Type", value: type)
            request.body = .bytes(try WireJSON.encode(body))
        }
        let data: Data
        do {
            let response = try await client.execute(request, timeout: patience)
            let body = try await response.body.collect(upTo: Self.answerBytesMaximum)
            data = Data(body.readableBytesView)
            try check(response, data)
        } catch {
            throw problem(error)
        }
        do { return try WireJSON.decode(Answer.self, from: data) } catch {
            throw foreign("its answer is not understood")
        }
    }

    /// Why the notifier does not do its work now, by its `/readyz`; nil if it does its work, or gives no reason.
    func unreadiness() async -> String? {
        guard let response = try? await client.execute(request(.GET, "/readyz", []), timeout: .seconds(10)),
            response.status == .serviceUnavailable, let body = try? await response.body.collect(upTo: 64 << 10)
        else { return nil }
        let text = String(buffer: body)
        let prefix = "not ready: "
        return text.hasPrefix(prefix)
            ? text.dropFirst(prefix.count).trimmingCharacters(in: .whitespacesAndNewlines) : nil
    }

    /// All items of a list, page by page, up to a limit.
    /// - Parameter cursor: the parameter that takes the place of the next page.
    func items<Item: Decodable>(
        _ path: String, _ query: [(name: String, value: String)] = [], limit: Int, page: Int, cursor: String
    ) async throws -> [Item] {
        var items: [Item] = []
        try await pages(path, query, limit: limit, page: page, cursor: cursor) { (page: [Item]) in
            items += page
            return true
        }
        return items
    }

    /// Passes a list to the body page by page, each before the next one is asked for, up to a limit.
    /// - Parameters:
    ///   - cursor: the parameter that takes the place of the next page.
    ///   - body: returns whether it wants more.
    func pages<Item: Decodable>(
        _ path: String, _ query: [(name: String, value: String)] = [], limit: Int, page: Int, cursor: String,
        _ body: ([Item]) throws -> Bool
    ) async throws {
        var count = 0
        var next: String?
        repeat {
            var query = query + [("limit", String(min(page, limit - count)))]
            if let next { query.append((cursor, next)) }
            let found = try await ask(.GET, path, query, as: ListPage<Item>.self)
            count += found.items.count
            guard try body(found.items) else { return }
            // A page may be empty though more pages follow; a page that names itself as the next one would be asked for
            // without end.
            next = found.next == next ? nil : found.next
        } while next != nil && count < limit
    }

    /// Passes the bytes of a stream to the body until the stream ends.
    func stream(
        _ path: String, _ query: [(name: String, value: String)], lastID: String,
        _ body: (ByteBuffer) async throws -> Void
    ) async throws {
        var request = request(.GET, path, query)
        request.headers.add(name: "Accept", value: "text/event-stream")
        if !lastID.isEmpty { request.headers.add(name: "Last-Event-ID", value: lastID) }
        let response: HTTPClientResponse
        do {
            response = try await client.execute(request, deadline: .distantFuture)
            if response.status != .ok {
                let body = try await response.body.collect(upTo: Self.answerBytesMaximum)
                try check(response, Data(body.readableBytesView))
            }
        } catch {
            throw problem(error)
        }
        for try await buffer in response.body { try await body(buffer) }
    }

    private func request(
        _ method: HTTPMethod, _ path: String, _ query: [(name: String, value: String)]
    ) -> HTTPClientRequest {
        let parameters = query.map { "\(Self.encoded($0.name))=\(Self.encoded($0.value))" }.joined(separator: "&")
        var request = HTTPClientRequest(url: address + path + (parameters.isEmpty ? "" : "?\(parameters)"))
        request.method = method
        request.headers.add(name: "User-Agent", value: "uploadctl")
        // The server may close an idle connection just as the next request is sent.
        request.headers.add(name: "Connection", value: "close")
        if let token { request.headers.add(name: "Authorization", value: "Bearer \(token)") }
        return request
    }

    /// Percent-encodes all but the unreserved characters of RFC 3986, section 2.3.
    static func encoded(_ text: String) -> String {
        let unreserved = CharacterSet(
            charactersIn: "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~")
        return text.addingPercentEncoding(withAllowedCharacters: unreserved) ?? ""
    }
}
