import AsyncHTTPClient
import Foundation
import HTTPCalls
import NIOCore
import NIOHTTP1
import Testing
import UploadSources
import UploadTesting
import Uploads

@testable import UploadDestinations

/// Answers that no HTTP/1.1 client can accept, sent to both clients that the drivers use.
@Suite(.timeLimit(.minutes(10)))
struct HTTPMalformedTests {
    private static let answers = [
        "HTTP/1.1 200 OK\r\nContent-Length: 2\r\nContent-Length: 3\r\n\r\nabc",
        "HTTP/1.1 200 OK\r\nX-Folded: a\r\n b\r\nBad Name: c\r\nContent-Length: 0\r\n\r\n",
        "HTTP/1.1 200 OK\r\nX-Long: \(String(repeating: "x", count: 200_000))\r\nContent-Length: 0\r\n\r\n",
        "<html>HTTP/0.9 has no head</html>", "SSH-2.0-OpenSSH_9.2\r\n",
    ]

    private func with(
        _ answer: String, _ body: (Int, HTTPClient) async throws -> Void
    ) async throws {
        let server = try ScriptedServer { connection in
            _ = connection.readHead()
            connection.write(answer)
            connection.waitForClose()
        }
        let client = HTTPClient(configuration: HTTPConfiguration.clientConfiguration)
        do {
            try await body(server.port, client)
        } catch {
            try await client.shutdown()
            throw error
        }
        try await client.shutdown()
    }

    @Test(arguments: answers.indices)
    func `what is no HTTP is called so, and not sent again at once`(number: Int) async throws {
        try await with(Self.answers[number]) { port, client in
            let url = "http://127.0.0.1:\(port)/x"
            let exchange = HTTPExchange(client: client, times: HTTPTimes(), displayURL: url)
            let streaming = await #expect(throws: UploadError.self) {
                _ = try await exchange.run(HTTPClientRequest(url: url), body: nil)
            }
            let head = HTTPRequestHead(version: .http1_1, method: .GET, uri: "/x", headers: ["host": "127.0.0.1"])
            let origin = try #require(HTTPOrigin(scheme: "http", authority: "127.0.0.1:\(port)"))
            let small = await #expect(throws: UploadError.self) {
                _ = try await exchange.run(head, body: .bytes(ByteBuffer()), over: HTTPConnections(), to: origin)
            }
            for error in [streaming, small] {
                #expect(error?.code == .invalidResponse && error?.retry == .after(seconds: 5), "\(error as Any)")
                #expect(error?.message.contains("other than HTTP/1.1") == true, "\(error as Any)")
            }
        }
    }

    private func http(_ port: Int, _ client: HTTPClient, _ change: (inout HTTPConfiguration) -> Void) -> HTTPDestination
    {
        var configuration = HTTPConfiguration(url: "http://127.0.0.1:\(port)/")
        change(&configuration)
        return HTTPDestination(configuration, client: client)
    }

    private var job: UploadJob {
        UploadJob(
            source: .inline(Data([1])), destination: .named(DestinationName(unchecked: "web"), key: "x"), size: 1)
    }

    @Test func `a server that refuses HEAD does not thereby refuse PUT`() async throws {
        try await with("HTTP/1.1 405 Not Allowed\r\nContent-Length: 0\r\nConnection: close\r\n\r\n") { port, client in
            let destination = http(port, client) { $0.answersHead = true }
            let error = await #expect(throws: UploadError.self) { _ = try await destination.probe(job, state: nil) }
            #expect(error?.code == .misconfigured && error?.message.contains("answersHead") == true, "\(error as Any)")
            #expect(error?.message.contains("PUT") == false)
        }
    }

    @Test func `an answer that is too long is not called something else`() async throws {
        let text = "{\"url\": \"https://store.test/\(String(repeating: "x", count: 200_000))\"}"
        try await with("HTTP/1.1 200 OK\r\nContent-Length: \(text.utf8.count)\r\n\r\n\(text)") { port, client in
            let destination = try PresignedDestination(
                PresignedConfiguration(url: "http://127.0.0.1:\(port)/sign"), client: client)
            let session = try await destination.open(job, resuming: nil)
            guard case .claimed(let source) = try await LocalSources(areas: [], roots: []).claim(job) else {
                throw DidNotHappen("claimed")
            }
            let error = await #expect(throws: UploadError.self) {
                try await session.upload(session.plan.part(1), from: source) { _ in }
            }
            #expect(error?.code == .invalidResponse && error?.message.contains("more than") == true, "\(error as Any)")
        }
    }
}
