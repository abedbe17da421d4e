import AsyncHTTPClient
import Foundation
import Synchronization
import Testing
import UploadTesting
import Uploads

@testable import UploadDestinations
@testable import UploadSources

/// Objects of web servers that send less than the requested range, or other bytes than they announce.
@Suite(.timeLimit(.minutes(10)))
struct OriginAnswerTests {
    private static let bytes: [UInt8] = (0..<20_000).map { UInt8(truncatingIfNeeded: $0 * 7 + $0 / 256) }

    /// The request that a script answers.
    struct Question: Sendable {
        var method: String
        /// The requested range of the object; nil for the whole.
        var range: Range<Int>?

        init(_ head: String) {
            method = String(head.prefix { $0 != " " })
            guard let line = head.lowercased().split(separator: "\r\n").first(where: { $0.hasPrefix("range: bytes=") })
            else { return }
            let ends = line.dropFirst("range: bytes=".count).split(separator: "-").compactMap { Int($0) }
            guard let begin = ends.first else { return }
            range = begin..<(ends.count == 2 ? ends[1] + 1 : OriginAnswerTests.bytes.count)
        }
    }

    private static func text(_ range: Range<Int>) -> String {
        String(decoding: bytes[range].map { $0 & 0x7f }, as: UTF8.self)
    }

    private static func sent(_ range: Range<Int>) -> [UInt8] { bytes[range].map { $0 & 0x7f } }

    /// - Parameter script: answers one question on each connection.
    private func with(
        _ script: @escaping @Sendable (ScriptedServer.Connection, Question) -> Void,
        _ body: (HTTPDestination, UploadJob) async throws -> Void
    ) async throws {
        let server = try ScriptedServer { connection in script(connection, Question(connection.readHead())) }
        let client = HTTPClient(configuration: HTTPConfiguration.clientConfiguration)
        let job = UploadJob(source: .inline(Data()), destination: .url("http://127.0.0.1:\(server.port)/x"), size: 0)
        do {
            try await body(HTTPDestination(HTTPConfiguration(), client: client), job)
        } catch {
            try await client.shutdown()
            throw error
        }
        try await client.shutdown()
    }

    private func read(_ range: Range<Int64>, of job: UploadJob, at origin: HTTPDestination) async throws -> [UInt8] {
        let found = try #require(try await origin.find(job))
        #expect(found.object.size == Int64(Self.bytes.count))
        let taken = Mutex<[UInt8]>([])
        try await origin.read(found.object, of: job, range) { buffer throws(UploadError) in
            taken.withLock { $0 += buffer }
        }
        return taken.withLock { $0 }
    }

    enum EarlyEnd: CaseIterable { case oldProtocol, chunked, labelled }

    @Test(arguments: EarlyEnd.allCases)
    func `where an answer ends early the rest is asked for`(kind: EarlyEnd) async throws {
        try await with { connection, question in
            guard let range = question.range else { return connection.answer("405 Not Allowed") }
            let total = Self.bytes.count
            let sent = range.lowerBound..<min(range.upperBound, range.lowerBound + 3000)
            let label = kind == .labelled ? sent : range
            let head = "Content-Range: bytes \(label.lowerBound)-\(label.upperBound - 1)/\(total)\r\nETag: \"e\"\r\n"
            let text = Self.text(sent)
            switch kind {
            case .oldProtocol: connection.write("HTTP/1.0 206 Partial\r\n\(head)\r\n\(text)")
            case .chunked:
                connection.write(
                    "HTTP/1.1 206 Partial\r\n\(head)Transfer-Encoding: chunked\r\nConnection: close\r\n\r\n")
                connection.write("\(String(sent.count, radix: 16))\r\n\(text)\r\n0\r\n\r\n")
            case .labelled:
                connection.write(
                    "HTTP/1.1 206 Partial\r\n\(head)Content-Length: \(sent.count)\r\nConnection: close\r\n\r\n\(text)")
            }
        } _: { origin, job in
            let taken = try await read(100..<15_100, of: job, at: origin)
            #expect(taken == Self.sent(100..<15_100))
        }
    }

    @Test func `a connection that is lost within a range is no changed source`() async throws {
        try await with { connection, question in
            guard let range = question.range else { return connection.answer("405 Not Allowed") }
            let total = Self.bytes.count
            let head =
                "Content-Range: bytes \(range.lowerBound)-\(range.upperBound - 1)/\(total)\r\nETag: \"e\"\r\n"
            let text = Self.text(range.prefix(3000))
            connection.write("HTTP/1.1 206 Partial\r\n\(head)Content-Length: \(range.count)\r\n\r\n\(text)")
        } _: { origin, job in
            // Bytes that arrived before the loss was noticed are kept, and the next request asks for the rest.
            do {
                let taken = try await read(0..<15_000, of: job, at: origin)
                #expect(taken == Self.sent(0..<15_000))
            } catch let error as UploadError {
                #expect(error.code == .networkFailure && error.retry == .afterBackoff, "\(error)")
            }
        }
    }

    @Test func `a server that sends nothing of a range is no changed source`() async throws {
        try await with { connection, question in
            guard let range = question.range else { return connection.answer("405 Not Allowed") }
            let isFirst = range == 0..<1
            connection.answer(
                "206 Partial Content",
                headers: [
                    "Content-Range: bytes \(range.lowerBound)-\(range.upperBound - 1)/\(Self.bytes.count)"
                ], body: isFirst ? "a" : "")
        } _: { origin, job in
            let error = await #expect(throws: UploadError.self) { _ = try await read(0..<100, of: job, at: origin) }
            #expect(error?.code == .networkFailure && error?.retry == .afterBackoff, "\(String(describing: error))")
        }
    }

    /// The server gives no ETag, and replaces the file between two ranges by another one of the same size.
    @Test func `two versions are told apart by the time of the last change`() async throws {
        let answers = Atomic<Int>(0)
        try await with { connection, question in
            guard let range = question.range else { return connection.answer("405 Not Allowed") }
            let count = answers.add(1, ordering: .relaxed).newValue
            connection.answer(
                "206 Partial Content",
                headers: [
                    "Content-Range: bytes \(range.lowerBound)-\(range.upperBound - 1)/\(Self.bytes.count)",
                    "Last-Modified: Tue, 24 Nov 2026 12:00:0\(count > 2 ? 1 : 0) GMT",
                ], body: Self.text(range))
        } _: { origin, job in
            let found = try #require(try await origin.find(job))
            try await origin.read(found.object, of: job, 0..<100) { _ throws(UploadError) in }
            let error = await #expect(throws: UploadError.self) {
                try await origin.read(found.object, of: job, 100..<200) { _ throws(UploadError) in }
            }
            #expect(error?.code == .sourceChanged)
        }
    }

    @Test func `HEAD is not believed where it disagrees with GET`() async throws {
        try await with { connection, question in
            guard question.method != "HEAD", let range = question.range else {
                return connection.write("HTTP/1.1 200 OK\r\nContent-Length: 1000\r\nConnection: close\r\n\r\n")
            }
            connection.answer(
                "206 Partial Content",
                headers: [
                    "Content-Range: bytes \(range.lowerBound)-\(range.upperBound - 1)/\(Self.bytes.count)",
                    "ETag: \"e\"",
                ], body: Self.text(range))
        } _: { origin, job in
            let taken = try await read(0..<20_000, of: job, at: origin)
            #expect(taken == Self.sent(0..<20_000))
        }
    }

    /// GET reports no length, and HEAD a length that is too short.
    @Test func `more than HEAD has told is no whole object`() async throws {
        try await with { connection, question in
            guard question.method == "GET" else {
                return connection.write("HTTP/1.1 200 OK\r\nContent-Length: 1000\r\nConnection: close\r\n\r\n")
            }
            connection.write("HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n\(Self.text(0..<20_000))")
        } _: { origin, job in
            let found = try #require(try await origin.find(job))
            #expect(found.object.size == 1000)
            let error = await #expect(throws: UploadError.self) {
                try await origin.read(found.object, of: job, 0..<1000) { _ throws(UploadError) in }
            }
            #expect(error?.code == .sourceChanged)
        }
    }

    private struct Provider: DestinationProvider {
        let origin: HTTPDestination

        func destination(for reference: DestinationReference) throws(UploadError) -> (any Destination)? { origin }
        func origin(for reference: DestinationReference) throws(UploadError) -> (any OriginDestination)? { origin }
    }

    private func sources(_ origin: HTTPDestination) -> ObjectSources {
        ObjectSources(beside: LocalSources(areas: [], roots: []), at: Provider(origin: origin))
    }

    private func examined(_ job: UploadJob, at origin: HTTPDestination) async throws -> UploadJob {
        let job = UploadJob(source: .object(job.destination, seen: nil), destination: .url("file:///nowhere"), size: 0)
        guard case .found(let found) = try await sources(origin).examine(job) else { throw DidNotHappen("found") }
        return found
    }

    private func collect(_ source: any UploadSource, _ range: Range<Int64>) async throws -> [UInt8] {
        var bytes: [UInt8] = []
        for try await buffer in source.read(range) { bytes += buffer.bytes }
        return bytes
    }

    /// The server gives neither an ETag nor a time, and from the third reading on another file of the same size.
    @Test func `what nothing tells from a later one is read in one request, and compared with what it was`()
        async throws
    {
        let readings = Atomic<Int>(0)
        try await with { connection, question in
            guard let range = question.range else { return connection.answer("405 Not Allowed") }
            let label = "Content-Range: bytes \(range.lowerBound)-\(range.upperBound - 1)/\(Self.bytes.count)"
            var text = Self.text(range)
            if range.count > 1, readings.add(1, ordering: .relaxed).newValue > 2 {
                text.removeLast()
                text.append("!")
            }
            connection.answer("206 Partial Content", headers: [label], body: text)
        } _: { origin, job in
            let job = try await examined(job, at: origin)
            #expect(readings.load(ordering: .relaxed) == 1)
            #expect(job.digests.crc64nvme != nil)
            guard case .claimed(let source) = try await sources(origin).claim(job) else {
                throw DidNotHappen("claimed")
            }
            #expect(readings.load(ordering: .relaxed) == 2)
            for range in [10_000..<20_000, 0..<10_000, 0..<20_000] as [Range<Int64>] {
                #expect(try await collect(source, range) == Self.sent(Int(range.lowerBound)..<Int(range.upperBound)))
            }
            try await source.verifyUnchanged()
            #expect(readings.load(ordering: .relaxed) == 2, "parts are read of the copy")
            await source.close()
            let error = await #expect(throws: UploadError.self) { _ = try await sources(origin).claim(job) }
            #expect(error?.code == .sourceChanged)
        }
    }

    /// One of two servers behind the same name does not have the file, or its last version, yet.
    @Test(arguments: ["404 Not Found", "200 OK"])
    func `one answer that lags behind fails no job for good`(answer: String) async throws {
        let lags = Atomic<Int>(0)
        try await with { connection, question in
            guard let range = question.range else { return connection.answer("405 Not Allowed") }
            guard lags.load(ordering: .relaxed) == 0 else {
                lags.subtract(1, ordering: .relaxed)
                return connection.answer(answer, headers: ["ETag: \"old\""], body: "old")
            }
            let label = "Content-Range: bytes \(range.lowerBound)-\(range.upperBound - 1)/\(Self.bytes.count)"
            connection.answer("206 Partial Content", headers: [label, "ETag: \"e\""], body: Self.text(range))
        } _: { origin, job in
            let examined = try await examined(job, at: origin)
            guard case .object(_, let seen?) = examined.source else { throw DidNotHappen("seen") }
            var atOrigin = examined
            atOrigin.destination = job.destination
            let source = ObjectSource(seen, of: atOrigin, at: origin, secondLookPause: .milliseconds(1))
            lags.store(1, ordering: .relaxed)
            try await source.verifyUnchanged()
            #expect(lags.load(ordering: .relaxed) == 0)
            lags.store(1, ordering: .relaxed)
            let error = await #expect(throws: UploadError.self) { _ = try await collect(source, 0..<100) }
            #expect(error?.code == .serverFailure && error?.retry == .afterBackoff, "\(String(describing: error))")
            #expect(try await collect(source, 0..<100) == Self.sent(0..<100))
            lags.store(2, ordering: .relaxed)
            await #expect(throws: UploadError.self) { try await source.verifyUnchanged() }
            lags.store(2, ordering: .relaxed)
            let last = await #expect(throws: UploadError.self) { _ = try await collect(source, 0..<100) }
            #expect(last?.code == .sourceChanged && last?.retry == .never)
        }
    }

    @Test(arguments: [(300, "leaves the choice"), (302, "the URL that it leads to"), (304, "has changed")])
    func `what is no redirect is not called one`(status: Int, words: String) async throws {
        try await with { connection, _ in
            connection.answer("\(status) So", headers: ["Location: /elsewhere"], body: "")
        } _: { origin, job in
            let error = await #expect(throws: UploadError.self) { _ = try await origin.find(job) }
            #expect(error?.message.contains(words) == true, "\(error?.message ?? "")")
        }
    }

    @Test func `what is compressed on the way is not taken for the object`() async throws {
        try await with { connection, question in
            guard let range = question.range else { return connection.answer("405 Not Allowed") }
            connection.answer(
                "206 Partial Content",
                headers: [
                    "Content-Range: bytes \(range.lowerBound)-\(range.upperBound - 1)/\(Self.bytes.count)",
                    "Content-Encoding: gzip",
                ], body: Self.text(range))
        } _: { origin, job in
            let error = await #expect(throws: UploadError.self) { _ = try await read(0..<100, of: job, at: origin) }
            #expect(error?.code == .invalidResponse)
            #expect(error?.message.contains("gzip") == true)
            // Uploaded objects are compared byte by byte, with their own coding.
            let taken = Mutex(0)
            try await origin.read(StoredObject(location: "x"), of: job, from: 1) { buffer throws(UploadError) in
                taken.withLock { $0 += buffer.count }
            }
            #expect(taken.withLock { $0 } == Self.bytes.count - 1)
        }
    }
}
