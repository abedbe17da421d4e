import AsyncHTTPClient
import Foundation
import HTTPCalls
import NIOHTTP1
import Synchronization
import Testing
import UploadSources
import UploadTesting
import Uploads

@testable import UploadDestinations

/// A server that closes a connection while the next request comes over it.
@Suite(.timeLimit(.minutes(10)))
struct IdleConnectionTests {
    private static let count = 600_000

    /// Answers only the first request of each connection.
    /// - Parameter isAbrupt: whether the connection is reset.
    private static func server(isAbrupt: Bool, _ heads: @escaping @Sendable (String) -> Void) throws -> ScriptedServer {
        try ScriptedServer { connection in
            for number in 1...2 {
                let head = connection.readHead()
                guard !head.isEmpty else { return }
                heads(head)
                if number == 2 {
                    if isAbrupt { connection.reset() }
                    return
                }
                if head.hasPrefix("PUT") || head.hasPrefix("POST") { connection.read(count) }
                connection.write("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")
            }
        }
    }

    private func send(
        _ method: HTTPMethod, headers: HTTPHeaders = [:], to port: Int, by client: HTTPClient
    ) async throws -> HTTPReply {
        let url = "http://127.0.0.1:\(port)/x"
        let exchange = HTTPExchange(client: client, times: HTTPTimes(), displayURL: url)
        var request = HTTPClientRequest(url: url)
        request.method = method
        request.headers = headers
        guard method == .PUT || method == .POST else { return try await exchange.run(request, body: nil) }
        let job = UploadJob(
            source: .inline(Data(repeating: 7, count: Self.count)), destination: .url(url), size: Int64(Self.count))
        guard case .claimed(let source) = try await LocalSources(areas: [], roots: []).claim(job) else {
            throw DidNotHappen("claimed")
        }
        let body = HTTPBody(source: source.read(0..<job.size), size: job.size) { _ in }
        let reply = try await exchange.run(request, body: body)
        #expect(body.isComplete)
        return reply
    }

    private func with(_ body: (HTTPClient) async throws -> Void) async throws {
        let client = HTTPClient(configuration: HTTPConfiguration.clientConfiguration)
        do {
            try await body(client)
        } catch {
            try await client.shutdown()
            throw error
        }
        try await client.shutdown()
    }

    @Test(arguments: [HTTPMethod.PUT, .GET, .HEAD, .DELETE], [false, true])
    func `what may be sent again is sent again over a new connection`(method: HTTPMethod, isAbrupt: Bool) async throws {
        let requests = Atomic<Int>(0)
        let server = try Self.server(isAbrupt: isAbrupt) { _ in requests.add(1, ordering: .relaxed) }
        try await with { client in
            for _ in 1...3 {
                let reply = try await send(method, to: server.port, by: client)
                #expect(reply.status == 200)
            }
        }
        // The second and the third request each came over a connection that was then closed, and again over another one.
        #expect(requests.load(ordering: .relaxed) == 5)
    }

    /// RFC 9110, section 9.3.2, forbids such a body; WsgiDAV sends one.
    /// - Parameter isLate: whether the body comes with the next request, instead of with the answer.
    @Test(arguments: [HTTPMethod.GET, .PUT], [false, true])
    func `a body behind an answer to HEAD costs the next request nothing`(
        method: HTTPMethod, isLate: Bool
    ) async throws {
        let server = try ScriptedServer { connection in
            while true {
                let head = connection.readHead()
                if head.isEmpty { return }
                if head.hasPrefix("PUT") { connection.read(Self.count) }
                connection.write("HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\n")
                if isLate, head.hasPrefix("HEAD"), connection.readHead().isEmpty { return }
                connection.write("<ht>")
            }
        }
        try await with { client in
            // It is a race whether a connection is closed before or after it gets the next request.
            for _ in 0..<(method == .PUT ? 20 : 200) {
                for method in [.HEAD, method] {
                    let reply = try await send(method, to: server.port, by: client)
                    #expect(reply.status == 200)
                }
            }
        }
    }

    @Test(arguments: [(HTTPMethod.POST, nil), (.PUT, "if-match"), (.PUT, "if-none-match")])
    func `what may have been done by then is not`(method: HTTPMethod, condition: String?) async throws {
        let server = try Self.server(isAbrupt: false) { _ in }
        try await with { client in
            let headers: HTTPHeaders = condition.map { [$0: "*"] } ?? [:]
            let reply = try await send(method, headers: headers, to: server.port, by: client)
            #expect(reply.status == 200)
            try await Task.sleep(for: HTTPConnections.restMinimum)
            let error = await #expect(throws: UploadError.self) {
                _ = try await send(method, headers: headers, to: server.port, by: client)
            }
            // The failure is no evidence about the destination: jobs do not wait for it.
            #expect(error?.code == .networkFailure && error?.retry == .afterBackoff)
            let reference = DestinationReference.named(DestinationName(unchecked: "web"), key: "x")
            #expect(error.flatMap { CircuitEvidence($0, of: reference, isWrite: true) } == nil)
        }
    }

    /// The connection was not idle, so the server closes it because of the request.
    @Test func `a connection that is used at once, and closed, says something of the server`() async throws {
        let server = try Self.server(isAbrupt: false) { _ in }
        try await with { client in
            let first = try await send(.POST, to: server.port, by: client)
            #expect(first.status == 200)
            let error = await #expect(throws: UploadError.self) {
                _ = try await send(.POST, to: server.port, by: client)
            }
            let reference = DestinationReference.named(DestinationName(unchecked: "web"), key: "x")
            #expect(error.flatMap { CircuitEvidence($0, of: reference, isWrite: true) } != nil)
        }
    }

    @Test func `a new connection that is closed says something of the server`() async throws {
        let requests = Atomic<Int>(0)
        let server = try ScriptedServer { connection in
            _ = connection.readHead()
            requests.add(1, ordering: .relaxed)
        }
        try await with { client in
            let error = await #expect(throws: UploadError.self) {
                _ = try await send(.GET, to: server.port, by: client)
            }
            #expect(error?.code == .networkFailure)
        }
        #expect(requests.load(ordering: .relaxed) == 1)
    }
}
