import Foundation
import NIOCore
import NIOHTTP1
import NIOSSL
import Synchronization
import Testing
import UploadTesting
import Uploads

@testable import HTTPCalls
@testable import UploadDestinations

/// Small requests over kept connections, to misbehaving servers.
@Suite(.timeLimit(.minutes(5)))
struct HTTPConnectionsTests {
    private static let large = 4 << 20

    private func send(
        _ connections: HTTPConnections, to port: Int, _ method: HTTPMethod = .PUT, body: String = "four",
        headers: HTTPHeaders = [:], limitSeconds: Double = 60, keeping: Int = 64
    ) async throws -> HTTPReply {
        let origin = try #require(HTTPOrigin(scheme: "http", authority: "127.0.0.1:\(port)"))
        return try await send(connections, to: origin, method, body, headers, limitSeconds, keeping)
    }

    private func send(
        _ connections: HTTPConnections, to origin: HTTPOrigin, _ method: HTTPMethod = .PUT, _ body: String = "four",
        _ headers: HTTPHeaders = [:], _ limitSeconds: Double = 60, _ keeping: Int = 64
    ) async throws -> HTTPReply {
        let exchange = HTTPExchange(
            client: HTTPConfiguration.sharedClient,
            times: HTTPTimes(firstByteSeconds: limitSeconds, stallSeconds: limitSeconds),
            displayURL: "http://\(origin.host):\(origin.port)/x", keptBytesMaximum: keeping)
        let head = HTTPRequestHead(version: .http1_1, method: method, uri: "/x", headers: headers)
        return try await exchange.run(head, body: .bytes(ByteBuffer(string: body)), over: connections, to: origin)
    }

    private func failure(
        limitSeconds: Double = 60, headers: HTTPHeaders = [:],
        _ script: @escaping @Sendable (ScriptedServer.Connection) -> Void
    ) async throws -> UploadError {
        let server = try ScriptedServer(script)
        return try await #require(throws: UploadError.self) {
            _ = try await send(HTTPConnections(), to: server.port, headers: headers, limitSeconds: limitSeconds)
        }
    }

    @Test func `a success whose body does not come is a success, and is not asked for again`() async throws {
        let requests = Atomic<Int>(0)
        let server = try ScriptedServer { connection in
            _ = connection.readHead()
            connection.read(4)
            requests.add(1, ordering: .relaxed)
            connection.write("HTTP/1.1 201 Created\r\nETag: e1\r\nContent-Length: 100000\r\n\r\n")
            while !connection.isHungUp(after: 100) { connection.write("x") }
        }
        let reply = try await send(HTTPConnections(), to: server.port)
        #expect(reply.status == 201 && reply.header("etag") == "e1" && !reply.isWhole)
        #expect(requests.load(ordering: .relaxed) == 1)
    }

    @Test func `a server that says that it is at work is waited for`() async throws {
        let server = try ScriptedServer { connection in
            _ = connection.readHead()
            connection.read(4)
            for _ in 0..<20 {
                usleep(500_000)
                connection.write("HTTP/1.1 102 Processing\r\n\r\n")
            }
            connection.answer("201 Created")
        }
        let reply = try await send(HTTPConnections(), to: server.port, limitSeconds: 2)
        #expect(reply.status == 201)
    }

    @Test func `a request that is called off after its status has come was answered`() async throws {
        let head = HTTPRequestHead(version: .http1_1, method: .PUT, uri: "/x")
        for isAnswered in [true, false] {
            let limits = HTTPCall.Limits(keptBytes: 64, readBytes: 64)
            let call = HTTPCall(head, body: .bytes(ByteBuffer()), limits, mayBeRepeated: true)
            call.noteSent()
            if isAnswered { call.noteAnswer(HTTPResponseHead(version: .http1_1, status: .created)) }
            call.giveUp(CancellationError())
            let outcome = await call.outcome()
            #expect((try? outcome.get().status) == (isAnswered ? 201 : nil))
        }
    }

    /// Answers requests of four bytes on one connection until it is closed; counts connections and requests.
    private func counting(_ answer: String) throws -> (ScriptedServer, counts: Counts) {
        let counts = Counts()
        let server = try ScriptedServer { connection in
            counts.connections.add(1, ordering: .relaxed)
            while !connection.readHead().isEmpty {
                connection.read(4)
                counts.requests.add(1, ordering: .relaxed)
                connection.write(answer)
                if answer.contains("close") { return }
            }
        }
        return (server, counts)
    }

    private final class Counts: Sendable {
        let connections = Atomic(0)
        let requests = Atomic(0)
    }

    @Test func `one request after the other goes over the same connection`() async throws {
        let (server, counts) = try counting("HTTP/1.1 200 OK\r\nContent-Length: 2\r\nETag: \"a\"\r\n\r\nok")
        let connections = HTTPConnections()
        for _ in 0..<5 {
            let reply = try await send(connections, to: server.port)
            #expect(reply.status == 200)
            #expect(reply.header("etag") == "\"a\"")
            #expect(reply.body == Data("ok".utf8))
            #expect(reply.isWhole)
        }
        #expect(counts.connections.load(ordering: .relaxed) == 1)
        #expect(counts.requests.load(ordering: .relaxed) == 5)
    }

    @Test func `requests at once have a connection each`() async throws {
        let (server, counts) = try counting("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")
        let connections = HTTPConnections()
        let statuses = try await withThrowingTaskGroup(of: Int.self) { group in
            for _ in 0..<40 { group.addTask { try await send(connections, to: server.port).status } }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(statuses == Array(repeating: 200, count: 40))
        #expect(counts.requests.load(ordering: .relaxed) == 40)
        #expect(counts.connections.load(ordering: .relaxed) <= 40)
    }

    @Test func `a server that closes gets a new connection for the next one`() async throws {
        let (server, counts) = try counting(
            "HTTP/1.1 200 OK\r\nContent-Length: 2\r\nConnection: close\r\n\r\nok")
        let connections = HTTPConnections()
        for _ in 0..<3 {
            let reply = try await send(connections, to: server.port)
            #expect(reply.status == 200 && reply.body == Data("ok".utf8))
            #expect(reply.isWhole, "that the connection ends takes nothing from an answer that has ended")
        }
        #expect(counts.connections.load(ordering: .relaxed) == 3)
    }

    /// Answers the first request of each connection, and closes the connection when the second arrives.
    private func closingAtTheSecond() throws -> (ScriptedServer, counts: Counts) {
        let counts = Counts()
        let server = try ScriptedServer { connection in
            counts.connections.add(1, ordering: .relaxed)
            _ = connection.readHead()
            connection.read(4)
            connection.write("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")
            _ = connection.readHead()
            counts.requests.add(1, ordering: .relaxed)
        }
        return (server, counts)
    }

    @Test func `what comes as a kept connection is closed goes over a new one`() async throws {
        let (server, counts) = try closingAtTheSecond()
        let connections = HTTPConnections()
        for _ in 0..<4 { #expect(try await send(connections, to: server.port).status == 200) }
        #expect(counts.connections.load(ordering: .relaxed) == 4)
    }

    /// Like a body after an answer to HEAD.
    @Test func `what comes over a kept connection and is no HTTP may belong to the answer before`() async throws {
        let counts = Counts()
        let server = try ScriptedServer { connection in
            counts.connections.add(1, ordering: .relaxed)
            for answer in ["HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n", "<ht>"] {
                _ = connection.readHead()
                connection.read(4)
                connection.write(answer)
            }
            connection.waitForClose()
        }
        let connections = HTTPConnections()
        for _ in 0..<3 { #expect(try await send(connections, to: server.port).status == 200) }
        #expect(counts.connections.load(ordering: .relaxed) == 3)
    }

    @Test(arguments: [(.POST, [:]), (.PUT, ["if-none-match": "*"])] as [(HTTPMethod, HTTPHeaders)])
    func `but not what the server may have carried out once`(method: HTTPMethod, headers: HTTPHeaders) async throws {
        let (server, counts) = try closingAtTheSecond()
        let connections = HTTPConnections()
        #expect(try await send(connections, to: server.port, method, headers: headers).status == 200)
        try await Task.sleep(for: HTTPConnections.restMinimum)
        let error = await #expect(throws: UploadError.self) {
            try await send(connections, to: server.port, method, headers: headers)
        }
        #expect(error?.code == .networkFailure && error?.cause is IdleConnectionClosed)
        #expect(counts.requests.load(ordering: .relaxed) == 1)
        #expect(counts.connections.load(ordering: .relaxed) == 1)
    }

    @Test func `an idle connection is closed`() async throws {
        let (server, counts) = try counting("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")
        let connections = HTTPConnections(
            idleLimit: .milliseconds(50), tls: .success(try NIOSSLContext(configuration: .makeClientConfiguration())))
        for count in 1...2 {
            #expect(try await send(connections, to: server.port).status == 200)
            #expect(counts.connections.load(ordering: .relaxed) == count)
            try await eventually("the idle connection is closed") { connections.idleCount == 0 }
        }
    }

    @Test func `TLS, to a server whose certificate is trusted`() async throws {
        let server = try await NginxServer(isSecure: true)
        let origin = try #require(HTTPOrigin(scheme: "https", authority: "localhost:\(server.port)"))
        var configuration = TLSConfiguration.makeClientConfiguration()
        configuration.additionalTrustRoots = [.file(server.certificatePath)]
        let trusting = HTTPConnections(tls: .success(try NIOSSLContext(configuration: configuration)))
        for status in [201, 204] {
            #expect(try await send(trusting, to: origin, .PUT, "four", ["host": "localhost"]).status == status)
        }
        #expect(server.stored("x") == Array("four".utf8))
        // Many at once, so that some handshakes fail before their connection is known to be made.
        let connections = HTTPConnections()
        await withDiscardingTaskGroup { group in
            for _ in 0..<50 {
                group.addTask {
                    let error = await #expect(throws: UploadError.self) { try await self.send(connections, to: origin) }
                    #expect(error?.code == .misconfigured, "\(String(reflecting: error?.cause))")
                    #expect(error?.message.contains("certificate") == true)
                }
            }
        }
    }

    @Test func `a request is sent as it is given, with its length`() async throws {
        let head = Mutex("")
        let server = try ScriptedServer { connection in
            let text = connection.readHead()
            head.withLock { $0 = text }
            connection.read(4)
            connection.answer("204 No Content")
        }
        let reply = try await send(HTTPConnections(), to: server.port, headers: ["host": "somewhere", "x-n": "1"])
        #expect(reply.status == 204)
        let lines = head.withLock { $0 }.components(separatedBy: "\r\n")
        #expect(lines.first == "PUT /x HTTP/1.1")
        #expect(Set(lines.dropFirst().filter { !$0.isEmpty }) == ["host: somewhere", "x-n: 1", "content-length: 4"])
    }

    @Test func `an answer to HEAD has no body, whatever its length`() async throws {
        let server = try ScriptedServer { connection in
            while !connection.readHead().isEmpty {
                connection.write("HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n")
            }
        }
        let connections = HTTPConnections()
        for _ in 0..<2 {
            let reply = try await send(connections, to: server.port, .HEAD, body: "")
            #expect(reply.header("content-length") == "1000")
            #expect(reply.body.isEmpty)
        }
    }

    @Test func `a server that hangs up without an answer is a failure of the network`() async throws {
        let error = try await failure { connection in
            _ = connection.readHead()
            connection.read(4)
        }
        #expect(error.code == .networkFailure)
        #expect(error.message.contains("closed the connection before it answered"))
    }

    @Test func `a reset is a failure of the network`() async throws {
        let error = try await failure { connection in
            _ = connection.readHead()
            connection.reset()
        }
        #expect(error.code == .networkFailure)
        #expect(error.retry == .afterBackoff)
    }

    @Test func `a port without a server cannot be reached`() async throws {
        let port = try Ports.free()
        let error = try await #require(throws: UploadError.self) { _ = try await send(HTTPConnections(), to: port) }
        #expect(error.code == .networkFailure)
        #expect(error.message.contains("cannot be reached"))
    }

    @Test func `what is no HTTP is a failure`() async throws {
        let error = try await failure { connection in
            _ = connection.readHead()
            connection.read(4)
            connection.write("220 mail.example ESMTP\r\n")
            connection.waitForClose()
        }
        #expect(error.code == .invalidResponse)
        #expect(error.message.contains("other than HTTP/1.1") && error.retry == .after(seconds: 5))
    }

    @Test func `a header that cannot be sent fails before anything is`() async throws {
        let error = try await failure(headers: ["x-n": "a\r\nb: c"]) { #expect($0.readHead() == "") }
        #expect(error.code == .networkFailure)
    }

    @Test func `a server that is silent for too long is given up`() async throws {
        let error = try await failure(limitSeconds: 0.3) { $0.waitForClose() }
        #expect(error.code == .networkFailure)
        #expect(error.message.contains("did not answer within 1 s"))
    }

    @Test func `an answer that breaks off is one all the same`() async throws {
        let server = try ScriptedServer { connection in
            _ = connection.readHead()
            connection.read(4)
            connection.write("HTTP/1.1 503 Busy\r\nContent-Length: 100\r\n\r\nbut")
        }
        let reply = try await send(HTTPConnections(), to: server.port)
        #expect(reply.status == 503)
        #expect(reply.body == Data("but".utf8))
        #expect(!reply.isWhole)
    }

    @Test func `of a long answer the beginning is kept, and of one without an end no more is read`() async throws {
        let text = String(repeating: "x", count: 1000)
        let (server, _) = try counting("HTTP/1.1 400 No\r\nContent-Length: 1000\r\n\r\n\(text)")
        let reply = try await send(HTTPConnections(), to: server.port)
        #expect(reply.body.count == 64)
        #expect(!reply.isWhole)
        let endless = try ScriptedServer { connection in
            _ = connection.readHead()
            connection.read(4)
            connection.write("HTTP/1.1 500 No\r\nContent-Length: \(Self.large)\r\n\r\n")
            connection.write(String(repeating: "x", count: 2 << 20))
            connection.waitForHangUp()
        }
        #expect(try await send(HTTPConnections(), to: endless.port).status == 500)
    }

    @Test func `a cancelled caller is let go, and its connection is closed`() async throws {
        let isAsked = Door()
        let isGone = Door()
        let server = try ScriptedServer { connection in
            _ = connection.readHead()
            connection.read(4)
            isAsked.open()
            connection.waitForHangUp()
            isGone.open()
        }
        let task = Task { try await send(HTTPConnections(), to: server.port) }
        await isAsked.wait()
        task.cancel()
        let error = await #expect(throws: UploadError.self) { try await task.value }
        #expect(error?.code == .interrupted)
        await isGone.wait()
    }

    @Test(arguments: [
        ("http", "s3.example", "s3.example", 80), ("https", "s3.example", "s3.example", 443),
        ("http", "s3.example:9000", "s3.example", 9000), ("http", "[::1]:9000", "::1", 9000),
        ("https", "[::1]", "::1", 443),
    ])
    func `an authority names host and port`(scheme: String, authority: String, host: String, port: Int) throws {
        let origin = try #require(HTTPOrigin(scheme: scheme, authority: authority))
        #expect(origin.host == host)
        #expect(origin.port == port)
        #expect(origin.isSecure == (scheme == "https"))
    }

    @Test(arguments: ["s3.example:0", "s3.example:65536", "s3.example:99999999999999999999", "s3.example:", ":80", ""])
    func `an authority without a host, or with a port that is none, is no origin`(authority: String) {
        #expect(HTTPOrigin(scheme: "http", authority: authority) == nil)
    }
}
