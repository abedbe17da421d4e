import AsyncHTTPClient
import Foundation
import Glibc
import Synchronization
import Testing
import UploadDestinations
import UploadSources
import UploadTesting
import Uploads

/// Jobs that carry objects from one place to another.
@Suite(.timeLimit(.minutes(10)))
struct OriginTests {
    @Test func `files of a directory are carried`() async throws {
        let scratch = try TemporaryDirectory()
        let name = try DestinationName("archive")
        let conformance = DestinationConformance(
            destination: { DirectoryDestination(DirectoryConfiguration(path: scratch.path)) },
            sources: LocalSources(areas: [], roots: []), reference: { .named(name, key: $0) },
            stored: { scratch.read($0) }, partBytes: 1 << 20)
        try FileManager.default.createDirectory(at: scratch.file("from"), withIntermediateDirectories: false)
        let origin = OriginConformance(
            conformance: conformance, put: { try Data($1).write(to: scratch.file($0)) },
            remove: { try FileManager.default.removeItem(at: scratch.file($0)) })
        try await origin.allRules()
    }

    @Test func `objects of a bucket are carried`() async throws {
        try await S3Bench.with(OpenStackSwiftServer.shared().endpoint) { bench in
            let origin = OriginConformance(
                conformance: bench.conformance(), put: { _ = try await bench.observer.put(bench.bucket, $0, $1) },
                remove: { try await bench.observer.delete(bench.bucket, $0) })
            try await origin.allRules()
        }
    }

    private func withNginx(
        _ body: (NginxServer, HTTPClient) async throws -> Void
    ) async throws {
        let server = try await NginxServer()
        let client = HTTPClient(configuration: HTTPConfiguration.clientConfiguration)
        do {
            try await body(server, client)
        } catch {
            try await client.shutdown()
            throw error
        }
        try await client.shutdown()
    }

    private func origin(_ url: String, _ server: NginxServer, _ client: HTTPClient) throws -> OriginConformance {
        let name = try DestinationName("web")
        func conformance(_ url: String) -> DestinationConformance {
            DestinationConformance(
                destination: { HTTPDestination(HTTPConfiguration(url: url), client: client) },
                sources: LocalSources(areas: [], roots: []), reference: { .named(name, key: $0) },
                stored: { server.stored($0) }, partBytes: 1 << 20)
        }
        let straight = conformance(server.url)
        return OriginConformance(
            conformance: conformance(url), put: { _ = try await straight.carry(straight.job($1, key: $0)) },
            remove: { try server.remove($0) })
    }

    @Test func `what a web server has is carried`() async throws {
        try await withNginx { server, client in try await origin(server.url, server, client).allRules() }
    }

    @Test func `without HEAD and ETag the time of the last change tells of another`() async throws {
        try await withNginx { server, client in
            let proxy = try HTTPFaultProxy(to: server.port)
            proxy.setRule { request in
                if request.method == "HEAD" { return .answer(status: 405) }
                return .rewriteAnswer { answer in answer.headers.removeAll { $0.name.lowercased() == "etag" } }
            }
            try await origin("http://127.0.0.1:\(proxy.port)/", server, client).allRules()
            proxy.stop()
        }
    }

    private func withPieces(
        _ body: (NginxServer, HTTPFaultProxy, OriginConformance) async throws -> Void
    ) async throws {
        try await withNginx { server, client in
            let proxy = try HTTPFaultProxy(to: server.port)
            try await body(server, proxy, origin("http://127.0.0.1:\(proxy.port)/", server, client))
            proxy.stop()
        }
    }

    @Test func `a long object is read in several ranges at the same time, and arrives in order`() async throws {
        try await withPieces { _, proxy, origin in
            let bytes = DestinationConformance.bytes(50 << 20 | 5, seed: 4)
            try await origin.put("long", bytes)
            let source = try await origin.source(try await origin.examined("long"))
            proxy.forget()
            // The answer to the second range is held until the third one was asked for.
            let isThird = Mutex(false)
            proxy.setRule { request in
                switch request.header("range") {
                case "bytes=8388608-12582911": isThird.withLock { $0 = true }
                case "bytes=4194304-8388607":
                    while !isThird.withLock({ $0 }) { sched_yield() }
                default: break
                }
                return .forward
            }
            var read: [UInt8] = []
            for try await buffer in source.read(0..<Int64(bytes.count)) { read += buffer.bytes }
            #expect(read == bytes)
            #expect(proxy.requests.count == 13, "\(proxy.requests.count) pieces of 4 MiB")
            await source.close()
        }
    }

    @Test func `of a server without ranges a long object is read in order`() async throws {
        try await withPieces { _, proxy, origin in
            let bytes = DestinationConformance.bytes(40 << 20, seed: 4)
            try await origin.put("long", bytes)
            let source = try await origin.source(try await origin.examined("long"))
            proxy.forget()
            proxy.setRule { _ in .rewriteRequest { $0.removeAll { $0.name.lowercased() == "range" } } }
            var read: [UInt8] = []
            for try await buffer in source.read(0..<Int64(bytes.count)) { read += buffer.bytes }
            #expect(read == bytes)
            #expect(proxy.requests.count == 2, "one answer for the first piece, one for the rest")
            await source.close()
        }
    }

    @Test func `a long object that changes while it is read in ranges is not carried`() async throws {
        try await withPieces { _, _, origin in
            try await origin.put("long", DestinationConformance.bytes(40 << 20, seed: 4))
            let source = try await origin.source(try await origin.examined("long"))
            var count = 0
            let error = await #expect(throws: UploadError.self) {
                for try await buffer in source.read(0..<(40 << 20)) {
                    if count == 0 { try await origin.put("long", DestinationConformance.bytes(40 << 20 | 1, seed: 5)) }
                    count += buffer.count
                }
            }
            #expect(error?.code == .sourceChanged && count < 40 << 20, "\(error as Any)")
            await source.close()
        }
    }

    private static let text = Array("what a server without ranges sends".utf8)

    /// The server knows neither ranges nor conditions: bytes before and after the range are skipped, and another ETag is noticed.
    @Test func `a server without ranges is read from its beginning`() async throws {
        let answers = Mutex(0)
        let server = try ScriptedServer { connection in
            let head = connection.readHead()
            let etag = answers.withLock { count in
                count += 1
                return count <= 3 ? "one" : "two"
            }
            connection.write(
                "HTTP/1.1 200 OK\r\nContent-Length: \(Self.text.count)\r\nETag: \"\(etag)\"\r\nConnection: close\r\n\r\n"
            )
            if !head.hasPrefix("HEAD") { connection.write(String(decoding: Self.text, as: UTF8.self)) }
        }
        let client = HTTPClient(configuration: HTTPConfiguration.clientConfiguration)
        let origin = HTTPDestination(HTTPConfiguration(), client: client)
        let job = UploadJob(source: .inline(Data()), destination: .url("http://127.0.0.1:\(server.port)/x"), size: 0)
        let found = try #require(try await origin.find(job))
        #expect(found.object.size == Int64(Self.text.count))
        for range in [0..<4, 5..<9] as [Range<Int64>] {
            let taken = Mutex<[UInt8]>([])
            try await origin.read(found.object, of: job, range) { buffer throws(UploadError) in
                taken.withLock { $0 += buffer }
            }
            #expect(taken.withLock { $0 } == Array(Self.text[Int(range.lowerBound)..<Int(range.upperBound)]))
        }
        let error = await #expect(throws: UploadError.self) {
            try await origin.read(found.object, of: job, 0..<4) { _ throws(UploadError) in }
        }
        #expect(error?.code == .sourceChanged)
        try await client.shutdown()
    }

    @Test(arguments: ["-5", "-9223372036854775808", "*", "9223372036854775808"])
    func `an object whose server tells no size that can be has none`(total: String) async throws {
        let server = try ScriptedServer { connection in
            let isHead = connection.readHead().hasPrefix("HEAD")
            connection.answer(
                isHead ? "405 No HEAD" : "206 Partial Content",
                headers: isHead ? [] : ["Content-Range: bytes 0-0/\(total)"], body: isHead ? "" : "a")
        }
        let client = HTTPClient(configuration: HTTPConfiguration.clientConfiguration)
        let origin = HTTPDestination(HTTPConfiguration(), client: client)
        let job = UploadJob(source: .inline(Data()), destination: .url("http://127.0.0.1:\(server.port)/x"), size: 0)
        let found = try #require(try await origin.find(job))
        #expect(found.object.size == nil)
        try await client.shutdown()
    }

    /// RFC 9110, section 15.5.17: an empty file has no first byte; `Content-Range` reports its length.
    @Test func `a refusal of the range is no file of the length of its page`() async throws {
        for (headers, expected) in [(["Content-Range: bytes */0"], Int64(0)), ([], nil)] {
            let server = try ScriptedServer { connection in
                let isHead = connection.readHead().hasPrefix("HEAD")
                connection.answer(
                    isHead ? "405 No HEAD" : "416 Range Not Satisfiable", headers: headers,
                    body: isHead ? "" : "a page that says so")
            }
            let client = HTTPClient(configuration: HTTPConfiguration.clientConfiguration)
            let origin = HTTPDestination(HTTPConfiguration(), client: client)
            let url = "http://127.0.0.1:\(server.port)/x"
            let job = UploadJob(source: .inline(Data()), destination: .url(url), size: 0)
            if let expected {
                #expect(try await origin.find(job)?.object.size == expected)
            } else {
                let error = await #expect(throws: UploadError.self) { _ = try await origin.find(job) }
                #expect(error?.code == .rejected && error?.response?.status == 416)
            }
            try await client.shutdown()
        }
    }
}
