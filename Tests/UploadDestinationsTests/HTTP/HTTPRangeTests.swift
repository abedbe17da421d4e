import Foundation
import Testing
import UploadTesting
import Uploads

@testable import UploadDestinations

/// Files in ranges: against Apache, which writes them in place, and against servers that do not.
@Suite(.timeLimit(.minutes(10)))
struct HTTPRangeTests {
    private static let part = HTTPBench.partBytes

    private func withApache(
        _ body: (HTTPBench, DestinationConformance, WebDAVServer) async throws -> Void
    ) async throws {
        let server = try await WebDAVServer.start(.apache)
        try await HTTPBench.with(server.port) { bench in
            try await body(bench, bench.conformance(bench.ranges) { server.stored($0) }, server)
        }
    }

    /// The ranges that were sent, in order.
    private func sent(_ bench: HTTPBench) -> [String] {
        bench.proxy.requests.filter { $0.method == "PUT" }.compactMap { $0.request.header("content-range") }
    }

    private func range(_ first: Int, _ end: Int, _ size: Int) -> String { "bytes \(first)-\(end - 1)/\(size)" }

    @Test func `files of all edge sizes arrive`() async throws {
        try await withApache { _, conformance, _ in try await conformance.edgeSizesArrive() }
    }

    @Test func `odd names arrive`() async throws {
        try await withApache { _, conformance, _ in try await conformance.oddNamesArrive() }
    }

    @Test func `many at once arrive`() async throws {
        try await withApache { _, conformance, _ in try await conformance.manyAtOnceArrive() }
    }

    @Test func `the last of two wins`() async throws {
        try await withApache { _, conformance, _ in try await conformance.theLastOfTwoWins() }
    }

    @Test func `objects are read back`() async throws {
        try await withApache { _, conformance, _ in
            try await conformance.objectsAreReadBack()
            try await conformance.readingStopsWhenItIsToldTo()
        }
    }

    @Test func `another worker goes on where one stopped, and sends no byte twice`() async throws {
        try await withApache { bench, conformance, server in
            let bytes = DestinationConformance.bytes(Self.part * 4 + 3)
            let job = bench.job(bytes)
            #expect(bench.destination(bench.ranges).canYield(job))
            #expect(bench.destination(bench.ranges).limits.parts == 1)
            let first = try await bench.destination(bench.ranges).open(job, resuming: nil)
            try await conformance.send(2, of: job, to: first)
            let state = try #require(first.state)
            #expect(server.stored("file.txt") == Array(bytes[..<(2 * Self.part)]))

            #expect(try await bench.destination(bench.ranges).probe(job, state: state) == .partial(state, beside: nil))
            let second = try await bench.destination(bench.ranges).open(job, resuming: state)
            #expect(second.missing.map(\.number) == [3, 4, 5])
            try await conformance.send(of: job, to: second)
            let completed = try await second.complete(.none)
            #expect(server.stored("file.txt") == bytes)
            #expect(completed.object.size == job.size)
            #expect(completed.object.digests == job.digests)
            #expect(sent(bench).count == 5 && Set(sent(bench)).count == 5)
            #expect(bench.proxy.requests.reduce(0) { $0 + $1.bodyBytes } == bytes.count)
            #expect(!bench.proxy.requests.contains { $0.method == "GET" })
            #expect(
                try await second.complete(.none).object.withPlainTag == completed.object.withPlainTag,
                "completing twice is safe")
            guard
                case .complete(let found) = try await bench.destination(bench.ranges)
                    .probe(job, state: second.state)
            else {
                Issue.record("the job's own object is not recognised")
                return
            }
            #expect(found.object.digests == job.digests)
            // Discarding does not remove a complete file.
            try await bench.destination(bench.ranges).discard(try #require(second.state), of: job)
            #expect(server.stored("file.txt") == bytes)
        }
    }

    @Test func `after a worker died in the middle of a range, what is there is compared and only the rest is sent`()
        async throws
    {
        try await withApache { bench, conformance, server in
            let bytes = DestinationConformance.bytes(Self.part * 3 + 500)
            let job = bench.job(bytes)
            let first = try await bench.destination(bench.ranges).open(job, resuming: nil)
            try await conformance.send(2, of: job, to: first)
            let state = try #require(first.state)
            bench.proxy.setRule { $0.method == "PUT" ? .cutAfterRequestBytes(700_000) : .forward }
            let error = await #expect(throws: UploadError.self) { try await conformance.send(of: job, to: first) }
            #expect(error?.code == .networkFailure)
            bench.proxy.setRule { _ in .forward }
            try await eventually("the server has written what came") {
                server.stored("file.txt")?.count ?? 0 > 2 * Self.part
            }
            bench.proxy.forget()
            let second = try await bench.destination(bench.ranges).open(job, resuming: state)
            #expect(second.missing.map(\.number) == [1, 2, 3, 4], "nothing is taken for granted")
            try await sendUnheard(job, to: second)
            _ = try await second.complete(.none)
            #expect(server.stored("file.txt") == bytes)
            #expect(
                sent(bench) == [
                    range(2 * Self.part, 3 * Self.part, bytes.count), range(3 * Self.part, bytes.count, bytes.count),
                ])
        }
    }

    /// Expects that compared bytes are not reported as sent.
    private func sendUnheard(
        _ job: UploadJob, to session: any UploadSession, parts count: Int = .max
    ) async throws {
        guard case .inline(let data) = job.source else { return }
        let source = GivenSource(bytes: Array(data))
        for part in session.missing.prefix(count) { try await session.upload(part, from: source) { _ in } }
    }

    @Test func `in one session a lost answer, and a range that was cut, are gone on with`() async throws {
        try await withApache { bench, conformance, server in
            let bytes = DestinationConformance.bytes(Self.part * 3)
            let job = bench.job(bytes)
            let session = try await bench.destination(bench.ranges).open(job, resuming: nil)
            try await conformance.send(1, of: job, to: session)
            for action in [HTTPFaultProxy.Action.cutAfterRequestBytes(300_000), .forwardThenCut] {
                bench.proxy.setRule { $0.method == "PUT" ? action : .forward }
                await #expect(throws: UploadError.self) { try await conformance.send(of: job, to: session) }
            }
            bench.proxy.setRule { _ in .forward }
            bench.proxy.forget()
            try await sendUnheard(job, to: session)
            _ = try await session.complete(.none)
            #expect(server.stored("file.txt") == bytes)
            #expect(sent(bench) == [range(2 * Self.part, 3 * Self.part, bytes.count)])
        }
    }

    @Test func `another job's object of the same length is not taken for what was sent`() async throws {
        try await withApache { bench, conformance, server in
            let bytes = DestinationConformance.bytes(Self.part * 3)
            let job = bench.job(bytes)
            let first = try await bench.destination(bench.ranges).open(job, resuming: nil)
            try await conformance.send(2, of: job, to: first)
            let state = try #require(first.state)
            // One byte of the sent range differs.
            var other = Array(bytes[..<(2 * Self.part)])
            other[17] ^= 1
            try server.put(other, at: "file.txt")
            let second = try await bench.destination(bench.ranges).open(job, resuming: state)
            try await sendUnheard(job, to: second)
            _ = try await second.complete(.none)
            #expect(server.stored("file.txt") == bytes)

            // A longer or a shorter file counts as another file.
            for count in [Self.part, 4 * Self.part] {
                try server.put([UInt8](repeating: 1, count: count), at: "file.txt")
                let error = await #expect(throws: UploadError.self) {
                    try await bench.destination(bench.ranges).open(job, resuming: state)
                }
                #expect(error?.code == .sessionExpired)
            }
            #expect(await first.failsToComplete())
        }
    }

    @Test func `what lay there before and was longer leaves nothing behind`() async throws {
        try await withApache { bench, conformance, server in
            let bytes = DestinationConformance.bytes(Self.part * 2 + 9)
            for count in [10, Self.part + 1, Self.part * 5] {
                try server.put([UInt8](repeating: 1, count: count), at: "file.txt")
                bench.proxy.forget()
                try await bench.carry(bench.job(bytes), bench.ranges)
                #expect(server.stored("file.txt") == bytes, "\(count)")
                // After the removal, a file that another client stores before the next range is not overwritten.
                let conditions = bench.proxy.requests.filter { $0.method == "PUT" }
                    .map { $0.request.header("if-none-match") }
                #expect(conditions == (count == 10 ? [nil, nil, nil] : [nil, "*", nil, nil]), "\(count)")
            }
        }
    }

    @Test(arguments: [true, false])
    func `a server that removes nothing, or tells an old length, is not asked for ever`(removes: Bool) async throws {
        try await withApache { bench, _, server in
            let old = Self.part * 3
            try server.put([UInt8](repeating: 1, count: old), at: "file.txt")
            bench.proxy.setRule { request in
                switch request.method {
                case "DELETE": removes ? .forward : .answer(status: 204)
                // Like a cache before the server.
                case "HEAD" where removes: .rewriteAnswer { $0.setHeader("content-length", "\(old)") }
                // Ends the test even if the driver sends without end.
                case "PUT" where request.number > 50: .answer(status: 500)
                default: .forward
                }
            }
            let job = bench.job(DestinationConformance.bytes(Self.part * 2))
            let session = try await bench.destination(bench.ranges).open(job, resuming: nil)
            for _ in 1...2 {
                let error = await #expect(throws: UploadError.self) { try await sendUnheard(job, to: session) }
                #expect(error?.code == .invalidResponse && error?.retry == .afterBackoff)
                #expect(error?.message.contains("DELETE") == true)
            }
            #expect(sent(bench).count == 3)
            #expect(bench.proxy.requests.filter { $0.method == "DELETE" }.count == 1)
        }
    }

    @Test func `without a tag each slice compares what is there, sends more, and the next one finds that`()
        async throws
    {
        try await withApache { bench, _, server in
            bench.proxy.setRule { $0.method == "HEAD" ? .rewriteAnswer { $0.setHeader("etag", nil) } : .forward }
            let bytes = DestinationConformance.bytes(Self.part * 4 + 3)
            let job = bench.job(bytes)
            let destination = bench.destination(bench.ranges)
            var state: UploadState?
            for part in 1...5 {
                let session = try await destination.open(job, resuming: state)
                #expect(session.bytesHeld == Int64((part - 1) * Self.part))
                #expect(session.missing.map(\.number) == Array(1...5), "nothing is taken for granted")
                try await sendUnheard(job, to: session, parts: part)
                let left = try #require(session.state)
                #expect(try await destination.probe(job, state: left) == .partial(left, beside: nil))
                state = left
                // A session that compares only, and not to the end, loses no progress.
                let short = try await destination.open(job, resuming: state)
                try await sendUnheard(job, to: short, parts: part - 1)
                let kept = try #require(short.state)
                #expect(try await destination.probe(job, state: kept) == .partial(kept, beside: nil))
                state = kept
            }
            let last = try await destination.open(job, resuming: state)
            try await sendUnheard(job, to: last)
            _ = try await last.complete(.none)
            #expect(server.stored("file.txt") == bytes)
            #expect(sent(bench).count == 5 && Set(sent(bench)).count == 5)
        }
    }

    @Test func `without a tag, what is there and is something else does not count as held any more`() async throws {
        try await withApache { bench, _, server in
            bench.proxy.setRule { $0.method == "HEAD" ? .rewriteAnswer { $0.setHeader("etag", nil) } : .forward }
            let bytes = DestinationConformance.bytes(Self.part * 3)
            let job = bench.job(bytes)
            let destination = bench.destination(bench.ranges)
            let first = try await destination.open(job, resuming: nil)
            try await sendUnheard(job, to: first, parts: 2)
            try server.put([UInt8](repeating: 1, count: Self.part * 2), at: "file.txt")
            let second = try await destination.open(job, resuming: first.state)
            try await sendUnheard(job, to: second, parts: 1)
            #expect(second.bytesHeld == Int64(Self.part))
            try await destination.discard(#require(second.state), of: job)
            #expect(server.stored("file.txt") == nil, "its first range shows that it is this upload's")
        }
    }

    @Test func `conditions hold for the first range`() async throws {
        try await withApache { bench, _, server in
            try server.put([1], at: "file.txt")
            let job = bench.job(DestinationConformance.bytes(Self.part * 2))
            let session = try await bench.destination(bench.ranges).open(job, resuming: nil)
            session.prepare(for: .absent)
            let error = await #expect(throws: UploadError.self) { try await sendUnheard(job, to: session) }
            #expect(error?.code == .preconditionFailed)
            #expect(server.stored("file.txt") == [1])
        }
    }

    @Test func `a cancelled upload is removed, and another job's object is not`() async throws {
        try await withApache { bench, conformance, server in
            let bytes = DestinationConformance.bytes(Self.part * 3)
            let job = bench.job(bytes)
            let destination = bench.destination(bench.ranges)
            let first = try await destination.open(job, resuming: nil)
            try await conformance.send(1, of: job, to: first)
            let state = try #require(first.state)
            // The state that a worker leaves which was stopped in the middle of a range.
            bench.proxy.setRule { $0.method == "PUT" ? .cutAfterRequestBytes(300_000) : .forward }
            await #expect(throws: UploadError.self) { try await conformance.send(of: job, to: first) }
            bench.proxy.setRule { _ in .forward }
            try await destination.discard(state, of: job)
            try await destination.discard(state, of: job)
            #expect(server.stored("file.txt") == nil)
            #expect(try await destination.probe(job, state: state) == .nothing)
            let error = await #expect(throws: UploadError.self) { try await destination.open(job, resuming: state) }
            #expect(error?.code == .sessionExpired)

            let other = [UInt8](repeating: 9, count: Self.part + 5)
            try server.put(other, at: "file.txt")
            try await destination.discard(state, of: job)
            #expect(server.stored("file.txt") == other)
        }
    }

    @Test func `nginx, which knows no ranges, is told apart, and nothing is lost`() async throws {
        let server = try await NginxServer()
        try await HTTPBench.with(server.port) { bench in
            try await bench.carry(bench.job([1, 2, 3]), bench.ranges)
            let error = try await bench.failure(
                bench.job(DestinationConformance.bytes(Self.part * 2)), bench.ranges)
            #expect(error.code == .misconfigured)
            #expect(error.retry == .never)
            #expect(error.response?.status == 501)
            #expect(error.message.contains("remove 'ranges'"))
            #expect(server.stored("file.txt") == [1, 2, 3])
        }
    }

    @Test func `a server that takes a range for the whole is told apart`() async throws {
        let server = try await WebDAVServer.start(.rclone)
        try await HTTPBench.with(server.port) { bench in
            let error = try await bench.failure(
                bench.job(DestinationConformance.bytes(Self.part * 3)), bench.ranges)
            #expect(error.code == .misconfigured)
            #expect(error.message.contains("took a range for the whole file"))
            #expect(sent(bench).count == 2)
        }
    }

    @Test func `a source that changes is not stored to its end`() async throws {
        try await withApache { bench, _, server in
            let source = CountedSource(size: Int64(Self.part * 3), changesAt: Int64(Self.part * 2))
            var job = bench.job()
            job.size = source.size
            let session = try await bench.destination(bench.ranges).open(job, resuming: nil)
            let error = await #expect(throws: UploadError.self) {
                for part in session.missing { try await session.upload(part, from: source) { _ in } }
            }
            #expect(error?.code == .sourceChanged)
            #expect(server.stored("file.txt")?.count ?? 0 <= 2 * Self.part)
        }
    }
}

extension UploadSession {
    fileprivate func failsToComplete() async -> Bool {
        do {
            _ = try await complete(.none)
            return false
        } catch {
            return error.code == .sessionExpired
        }
    }
}

/// A source of bytes in memory.
private struct GivenSource: UploadSource {
    let bytes: [UInt8]

    var size: Int64 { Int64(bytes.count) }

    func read(_ range: Range<Int64>) -> any AsyncSequence<any SourceBuffer, any Error> & Sendable {
        AsyncThrowingStream<any SourceBuffer, any Error> { continuation in
            continuation.yield(Array(bytes[Int(range.lowerBound)..<Int(range.upperBound)]))
            continuation.finish()
        }
    }

    func verifyUnchanged() async throws(UploadError) {}

    func close() async {}
}
