import AsyncHTTPClient
import Foundation
import HTTPCalls
import NIOCore
import NIOHTTP1
import Testing
import UploadTesting
import Uploads

@testable import UploadDestinations

/// The end of an answer that may take minutes.
@Suite(.timeLimit(.minutes(5))) struct HTTPExchangeTests {
    enum Way: CaseIterable { case client, keptConnection }
    enum Body: CaseIterable { case isSilent, drips }

    /// A silent answer is given up long before its time limit; a dripping one at its time limit, though not because it is slow.
    @Test(arguments: Way.allCases, Body.allCases)
    func `an answer that does not end is given up and counts`(way: Way, body: Body) async throws {
        let server = try ScriptedServer { connection in
            _ = connection.readHead()
            connection.write("HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n\r\n")
            switch body {
            case .isSilent: connection.waitForHangUp()
            case .drips: while !connection.isHungUp(after: 100) { connection.write(" ") }
            }
        }
        let client = HTTPClient(configuration: HTTPConfiguration.clientConfiguration)
        let url = "http://127.0.0.1:\(server.port)/"
        let isSilent = body == .isSilent
        let exchange = HTTPExchange(
            client: client,
            times: HTTPTimes(firstByteSeconds: isSilent ? 1 : 60, stallSeconds: 60, bytesPerSecondMinimum: 1 << 20),
            displayURL: url, restSeconds: isSilent ? 3600 : 3)
        let reply: HTTPReply
        switch way {
        case .client: reply = try await exchange.run(HTTPClientRequest(url: url), body: nil)
        case .keptConnection:
            let origin = try #require(HTTPOrigin(scheme: "http", authority: "127.0.0.1:\(server.port)"))
            let head = HTTPRequestHead(
                version: .http1_1, method: .GET, uri: "/", headers: ["host": "127.0.0.1:\(server.port)"])
            reply = try await exchange.run(head, body: .bytes(ByteBuffer()), over: .shared, to: origin)
        }
        #expect(reply.status == 200 && !reply.isWhole)
        try await client.shutdown()
    }

    @Test(arguments: ["http://127.0.0.1:99999/x", "https://[::1]:0/x", "http://localhost:65536/x"])
    func `a port that is none ends the request, not the process`(url: String) async throws {
        let exchange = HTTPExchange(client: HTTPConfiguration.sharedClient, times: HTTPTimes(), displayURL: url)
        let error = await #expect(throws: UploadError.self) {
            _ = try await exchange.run(HTTPClientRequest(url: url), body: nil)
        }
        #expect(error?.code == .misconfigured && error?.message.contains("port") == true)
        #expect(throws: UploadError.self) { _ = try UploadAddress(url, others: []) }
        #expect(throws: UploadError.self) { try TicketEndpoint.check(url) }
        let job = UploadJob(source: .inline(Data([1])), destination: .url(url), size: 1)
        #expect(throws: UploadError.self) { _ = try HTTPTarget(job, HTTPConfiguration()) }
        #expect(throws: UploadError.self) { _ = try S3Address(S3Configuration(endpoint: url, bucket: "b")) }
    }
}
