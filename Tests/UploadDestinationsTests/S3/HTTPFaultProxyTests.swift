import AsyncHTTPClient
import Foundation
import NIOCore
import NIOHTTP1
import Testing
import UploadTesting

/// Tests each fault of the proxy, between one of this project's clients and an nginx.
@Suite(.timeLimit(.minutes(10)))
struct HTTPFaultProxyTests {
    private static func bytes(_ count: Int) -> [UInt8] { [UInt8]((0..<1024).flatMap { _ in 0...255 }.prefix(count)) }

    private static let body = bytes(100_000)

    private func with(
        _ rule: @escaping HTTPFaultProxy.Rule, viaProxySetting: Bool = false,
        _ body: (HTTPClient, HTTPFaultProxy, NginxServer) async throws -> Void
    ) async throws {
        let server = try await NginxServer()
        let proxy = try HTTPFaultProxy(to: server.port, rule: rule)
        var configuration = HTTPClient.Configuration(timeout: .init(connect: .seconds(20)))
        if viaProxySetting { configuration.proxy = .server(host: "127.0.0.1", port: proxy.port) }
        configuration.connectionPool.concurrentHTTP1ConnectionsPerHostSoftLimit = 1
        let client = HTTPClient(configuration: configuration)
        do {
            try await body(client, proxy, server)
        } catch {
            try await client.shutdown()
            throw error
        }
        try await client.shutdown()
    }

    @discardableResult
    private func send(
        _ client: HTTPClient, _ url: String, _ method: HTTPMethod = .PUT, _ body: [UInt8]? = nil,
        within limit: TimeAmount = .seconds(60), isChunked: Bool = false
    ) async throws -> (status: Int, headers: HTTPHeaders, body: [UInt8]) {
        var request = HTTPClientRequest(url: url)
        request.method = method
        if let body, isChunked {
            let (stream, more) = AsyncStream<ByteBuffer>.makeStream()
            for start in stride(from: 0, to: body.count, by: 30_000) {
                more.yield(ByteBuffer(bytes: body[start..<min(start + 30_000, body.count)]))
            }
            more.finish()
            request.body = .stream(stream, length: .unknown)
        } else if let body {
            request.body = .bytes(ByteBuffer(bytes: body))
        }
        let response = try await client.execute(request, timeout: limit)
        let answered = try await response.body.collect(upTo: 128 << 20)
        return (Int(response.status.code), response.headers, Array(answered.readableBytesView))
    }

    @Test func `64 MiB go through unharmed, there and back, on one connection`() async throws {
        try await with({ _ in .forward }) { client, proxy, server in
            var large = [UInt8](repeating: 0, count: 64 << 20)
            for index in stride(from: 0, to: large.count, by: 4096) {
                large[index] = UInt8.random(in: 0...255)
            }
            #expect(try await send(client, "\(proxy.url)/large", .PUT, large).status == 201)
            #expect(server.stored("large") == large)
            #expect(try await send(client, "\(proxy.url)/large", .GET).body == large)
            let head = try await send(client, "\(proxy.url)/large", .HEAD)
            #expect(head.headers.first(name: "Content-Length") == "\(large.count)")
            #expect(proxy.connections == 1)
            #expect(proxy.bodyBytesSent == large.count)
            #expect(proxy.requests.map(\.method) == ["PUT", "GET", "HEAD"])
            #expect(proxy.requests.map(\.status) == [201, 200, 200])
            #expect(proxy.requests.map(\.request.number) == [1, 2, 3])
        }
    }

    @Test func `several connections at once keep apart`() async throws {
        let server = try await NginxServer()
        let proxy = try HTTPFaultProxy(to: server.port)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 1...16 {
                group.addTask {
                    let body = [UInt8](repeating: UInt8(number), count: 300_000 + number)
                    var request = HTTPClientRequest(url: "\(proxy.url)/file-\(number)?partNumber=\(number)&uploadId=u")
                    request.method = .PUT
                    request.body = .bytes(ByteBuffer(bytes: body))
                    let response = try await HTTPClient.shared.execute(request, timeout: .seconds(60))
                    _ = try await response.body.collect(upTo: 1 << 20)
                    #expect(server.stored("file-\(number)") == body)
                }
            }
            try await group.waitForAll()
        }
        #expect(proxy.partsSent == Dictionary(uniqueKeysWithValues: (1...16).map { ($0, 1) }))
    }

    @Test func `a chunked body goes through`() async throws {
        try await with({ _ in .forward }) { client, proxy, server in
            let answer = try await send(client, "\(proxy.url)/chunked", .PUT, Self.body, isChunked: true)
            #expect(answer.status == 201)
            #expect(server.stored("chunked") == Self.body)
            #expect(proxy.requests.first?.bodyBytes == Self.body.count)
            #expect(proxy.requests.first?.isBodyWhole == true)
        }
    }

    @Test(arguments: [true, false])
    func `it answers itself`(drains: Bool) async throws {
        let rule: HTTPFaultProxy.Rule = { request in
            guard request.number == 1 else { return .forward }
            return .answer(status: 503, headers: [("Retry-After", "7")], body: "slow down", drains: drains)
        }
        try await with(rule) { client, proxy, server in
            let answer = try await send(client, "\(proxy.url)/x", .PUT, Self.body)
            #expect(answer.status == 503)
            #expect(answer.headers.first(name: "Retry-After") == "7")
            #expect(answer.body == Array("slow down".utf8))
            #expect(server.stored("x") == nil)
            #expect(try await send(client, "\(proxy.url)/x", .PUT, Self.body).status == 201)
            #expect(proxy.connections == (drains ? 1 : 2))
            #expect(proxy.requests.map(\.serverStatus) == [nil, 201])
            #expect(proxy.requests.map(\.bodyBytes) == [0, Self.body.count])
        }
    }

    @Test func `the server's answer is lost`() async throws {
        try await with({ _ in .forwardThenCut }) { client, proxy, server in
            await #expect(throws: (any Error).self) { try await send(client, "\(proxy.url)/lost", .PUT, Self.body) }
            #expect(server.stored("lost") == Self.body)
            #expect(proxy.requests.map(\.serverStatus) == [201])
            #expect(proxy.requests.map(\.status) == [nil])
            #expect(proxy.requests.first?.isBodyWhole == true)
        }
    }

    @Test func `the request is cut at a byte`() async throws {
        try await with({ _ in .cutAfterRequestBytes(12_345) }) { client, proxy, server in
            await #expect(throws: (any Error).self) { try await send(client, "\(proxy.url)/cut", .PUT, Self.body) }
            #expect(server.stored("cut") == nil)
            #expect(proxy.requests.map(\.bodyBytes) == [12_345])
            #expect(proxy.requests.first?.isBodyWhole == false)
        }
    }

    @Test func `the connection is cut before anything passes`() async throws {
        try await with({ _ in .cut }) { client, proxy, server in
            await #expect(throws: (any Error).self) { try await send(client, "\(proxy.url)/cut", .PUT, Self.body) }
            #expect(server.stored("cut") == nil)
            #expect(proxy.bodyBytesSent == 0)
        }
    }

    @Test func `the answer ends early`() async throws {
        let rule: HTTPFaultProxy.Rule = { $0.method == "GET" ? .truncateAnswer(bytes: 5000) : .forward }
        try await with(rule) { client, proxy, _ in
            try await send(client, "\(proxy.url)/file", .PUT, Self.body)
            let response = try await client.execute(HTTPClientRequest(url: "\(proxy.url)/file"), timeout: .seconds(60))
            #expect(response.headers.first(name: "Content-Length") == "\(Self.body.count)")
            var taken = 0
            await #expect(throws: (any Error).self) {
                for try await chunk in response.body { taken += chunk.readableBytes }
            }
            #expect(taken <= 5000)
        }
    }

    @Test func `the answer never comes`() async throws {
        try await with({ _ in .stallAnswer }) { client, proxy, server in
            await #expect(throws: (any Error).self) {
                try await send(client, "\(proxy.url)/stalled", .PUT, Self.body, within: .milliseconds(500))
            }
            try await eventually("the server answers") { proxy.requests.first?.serverStatus == 201 }
            #expect(server.stored("stalled") == Self.body)
            #expect(proxy.requests.first?.status == nil)
        }
    }

    @Test func `the request is taken no further`() async throws {
        try await with({ _ in .stallRequest(afterBytes: 1000) }) { client, proxy, server in
            await #expect(throws: (any Error).self) {
                try await send(client, "\(proxy.url)/stalled", .PUT, Self.body, within: .milliseconds(500))
            }
            #expect(proxy.requests.map(\.bodyBytes) == [1000])
            #expect(server.stored("stalled") == nil)
        }
    }

    @Test func `a slow network is slow`() async throws {
        try await with({ _ in .throttle(bytesPerSecond: 100_000) }) { client, proxy, server in
            // A busy machine can only be slower.
            let start = ContinuousClock.now
            let answer = try await send(client, "\(proxy.url)/slow", .PUT, Self.body)
            #expect(answer.status == 201)
            #expect(ContinuousClock.now - start > .seconds(Double(Self.body.count) / 100_000 / 2))
            #expect(proxy.bodyBytesSent == Self.body.count)
            #expect(server.stored("slow") == Self.body)
        }
    }

    @Test func `an answer is changed`() async throws {
        let rule: HTTPFaultProxy.Rule = { request in
            guard request.method == "GET" else { return .forward }
            return .rewriteAnswer { answer in
                answer.setHeader("Date", "Thu, 01 Jan 2015 00:00:00 GMT")
                answer.status = 404
                answer.body = Array(answer.body.prefix(3))
            }
        }
        try await with(rule) { client, proxy, _ in
            try await send(client, "\(proxy.url)/file", .PUT, Self.body)
            let answer = try await send(client, "\(proxy.url)/file", .GET)
            #expect(answer.status == 404)
            #expect(answer.headers["Date"] == ["Thu, 01 Jan 2015 00:00:00 GMT"])
            #expect(answer.body == [0, 1, 2])
            #expect(proxy.requests.map(\.serverStatus) == [201, 200])
        }
    }

    @Test func `a server that refuses a body early is heard`() async throws {
        // nginx answers 403 here without reading the body.
        try await with({ _ in .forward }) { client, proxy, _ in
            let answer = try await send(client, "\(proxy.url)/forbidden/x", .PUT, Self.body)
            #expect(answer.status == 403)
        }
    }

    @Test func `it is a plain HTTP proxy, for hosts that nothing resolves too`() async throws {
        try await with({ _ in .forward }, viaProxySetting: true) { client, proxy, server in
            #expect(try await send(client, "http://bucket.s3.test/key?a=b%20c", .PUT, Self.body).status == 201)
            #expect(server.stored("key") == Self.body)
            // This client opens a tunnel first; other clients name the host in the request's target.
            #expect(proxy.requests.first?.target == "bucket.s3.test:80")
            let request = try #require(proxy.requests.last?.request)
            #expect(request.path == "/key")
            #expect(request.query == ["a": "b c"])
            #expect(request.header("HOST") == "bucket.s3.test")
        }
    }

    @Test func `a whole URL as the target is forwarded as a path`() async throws {
        let server = try await NginxServer()
        let proxy = try HTTPFaultProxy(to: nil)
        let script = """
            import sys, urllib.request as u
            u.install_opener(u.build_opener(u.ProxyHandler({"http": sys.argv[1]})))
            print(u.urlopen(u.Request(sys.argv[2], data=b"by proxy", method="PUT")).status)
            """
        let printed = try await Spawn.output(
            of: "/usr/bin/python3", ["-c", script, proxy.url, server.url + "key?a=b%20c"])
        #expect(printed.text == "201\n")
        #expect(server.stored("key") == Array("by proxy".utf8))
        let request = try #require(proxy.requests.first?.request)
        #expect(request.target == server.url + "key?a=b%20c")
        #expect(request.path == "/key")
        #expect(request.query == ["a": "b c"])
    }

    @Test func `a plain HTTP proxy goes to the port that the client names`() async throws {
        let server = try await NginxServer()
        let proxy = try HTTPFaultProxy(to: nil)
        var configuration = HTTPClient.Configuration()
        configuration.proxy = .server(host: "127.0.0.1", port: proxy.port)
        let client = HTTPClient(configuration: configuration)
        let status = try? await send(client, server.url + "key", .PUT, Self.body).status
        try await client.shutdown()
        #expect(status == 201)
        #expect(server.stored("key") == Self.body)
    }

    @Test func `a server that is gone resets its clients`() async throws {
        let proxy = try HTTPFaultProxy(to: Ports.free())
        var request = HTTPClientRequest(url: "\(proxy.url)/x")
        request.method = .PUT
        request.body = .bytes(ByteBuffer(string: "x"))
        await #expect(throws: (any Error).self) {
            try await HTTPClient.shared.execute(request, timeout: .seconds(60))
        }
        #expect(proxy.requests.map(\.status) == [nil])
    }
}
