import Foundation
import NIOHTTP1
import ResumableTesting
import Testing
import UploadTesting
import Uploads

@testable import UploadDestinations

/// The server's position decides which bytes are sent, exactly.
@Suite(.timeLimit(.minutes(10)))
struct ResumableResumeTests {
    private static let part = ResumableBench.partBytes

    private func with(
        _ interop: ResumableInterop,
        _ body: (ResumableBench, @escaping @Sendable () throws -> any Destination) async throws -> Void
    ) async throws {
        try await ResumableConformanceTests.with(interop) { bench, conformance in
            try await body(bench, conformance.destination)
        }
    }

    private func stored(_ bench: ResumableBench, _ job: UploadJob) -> Bool {
        bench.server.stored("file") == DestinationConformance.bytes(Int(job.size))
    }

    @Test(arguments: ResumableInterop.allCases)
    func `another worker goes on in the middle of a part, at the byte where the server stopped`(
        interop: ResumableInterop
    ) async throws {
        try await with(interop) { bench, destination in
            let job = try bench.job(parts: 3.5)
            let session = try await destination().open(job, resuming: nil)
            bench.proxy.setRule { request in
                request.header("upload-offset") == String(Self.part) ? .cutAfterRequestBytes(700_000) : .forward
            }
            let error = await #expect(throws: UploadError.self) { try await bench.send(of: job, to: session) }
            #expect(error?.code == .networkFailure)
            bench.proxy.setRule { _ in .forward }
            bench.proxy.forget()
            var offset = 0
            try await eventually("the server has counted what came") {
                offset = try await bench.offset(of: session)
                return offset > Self.part
            }
            #expect(offset < 2 * Self.part)

            let second = try await destination().open(job, resuming: session.state)
            #expect(second.missing.map(\.number) == [2, 3, 4])
            let start = Int(try #require(second.missing.first?.range.lowerBound))
            #expect(start >= offset)
            try await bench.send(of: job, to: second)
            let completed = try await second.complete(.none)
            #expect(bench.offsetsSent == [start, 2 * Self.part, 3 * Self.part])
            #expect(bench.bytesSent == Int(job.size) - start, "no byte went twice")
            #expect(completed.object.digests.confirms(job.digests))
            #expect(stored(bench, job))
        }
    }

    @Test(arguments: ResumableInterop.allCases)
    func `after a lost answer the same part is asked for, and not sent again`(interop: ResumableInterop) async throws {
        try await with(interop) { bench, destination in
            let job = try bench.job(parts: 3)
            let session = try await destination().open(job, resuming: nil)
            bench.proxy.forget()
            bench.proxy.setRule { request in
                request.header("upload-offset") == String(Self.part) ? .forwardThenCut : .forward
            }
            let error = await #expect(throws: UploadError.self) { try await bench.send(of: job, to: session) }
            #expect(error?.code == .networkFailure)
            bench.proxy.setRule { _ in .forward }
            let source = try await bench.source(of: job)
            // Like the engine: the same part once more, then the next.
            for number in 2...3 { try await session.upload(session.plan.part(number), from: source) { _ in } }
            _ = try await session.complete(.none)
            #expect(bench.offsetsSent == [0, Self.part, 2 * Self.part])
            #expect(bench.bytesSent == Int(job.size))
            #expect(bench.requests("HEAD").count == 1)
            #expect(stored(bench, job))
        }
    }

    @Test(arguments: [ResumableInterop.v7, .v8])
    func `a lost answer to the last part is found out by looking, and what is complete is never removed`(
        interop: ResumableInterop
    ) async throws {
        try await with(interop) { bench, destination in
            let job = try bench.job(parts: 2)
            let session = try await destination().open(job, resuming: nil)
            let state = try #require(session.state)
            bench.proxy.setRule { request in
                request.header("upload-offset") == String(Self.part) ? .forwardThenCut : .forward
            }
            await #expect(throws: UploadError.self) { try await bench.send(of: job, to: session) }
            bench.proxy.setRule { _ in .forward }
            guard case .complete(let found) = try await destination().probe(job, state: state) else {
                Issue.record("the finished upload is not recognised")
                return
            }
            #expect(found.object.size == job.size)
            #expect(found.object.digests == job.digests)
            #expect(found.response?.status == 204)
            // A job that ends discards the session that its baton names.
            try await destination().discard(state, of: job)
            #expect(bench.requests("DELETE").isEmpty)
            #expect(try await session.complete(.none).object == found.object)
            #expect(stored(bench, job))
        }
    }

    /// swift-nio-extras has then forgotten the upload, and no answer tells whether it was completed: the file is sent again.
    @Test(arguments: [ResumableInterop.v3, .v5, .v6])
    func `a lost answer to the last part, where the server forgets what is complete, sends the file again`(
        interop: ResumableInterop
    ) async throws {
        try await with(interop) { bench, destination in
            let job = try bench.job(parts: 2)
            let session = try await destination().open(job, resuming: nil)
            bench.proxy.setRule { request in
                request.header("upload-offset") == String(Self.part) ? .forwardThenCut : .forward
            }
            await #expect(throws: UploadError.self) { try await bench.send(of: job, to: session) }
            bench.proxy.setRule { _ in .forward }
            var answer = ProbeAnswer.unknowable
            try await eventually("the server sees that the connection is gone") {
                answer = try await destination().probe(job, state: session.state)
                return answer == .nothing
            }
            let error = await #expect(throws: UploadError.self) {
                try await destination().open(job, resuming: session.state)
            }
            #expect(error?.code == .sessionExpired)
            let again = try await destination().open(job, resuming: nil)
            try await bench.send(of: job, to: again)
            #expect(try await again.complete(.none).object.size == job.size)
            #expect(stored(bench, job))
        }
    }

    @Test(arguments: ResumableInterop.allCases)
    func `a lost answer to the creation leaves an empty upload behind, and the next one is made anew`(
        interop: ResumableInterop
    ) async throws {
        try await with(interop) { bench, destination in
            let job = try bench.job(parts: 1.5)
            bench.proxy.setRule { $0.method == "PUT" ? .forwardThenCut : .forward }
            let error = await #expect(throws: UploadError.self) { try await destination().open(job, resuming: nil) }
            #expect(error?.code == .networkFailure)
            #expect(error?.retry == .afterBackoff)
            bench.proxy.setRule { _ in .forward }
            let session = try await destination().open(job, resuming: nil)
            try await bench.send(of: job, to: session)
            _ = try await session.complete(.none)
            #expect(stored(bench, job))
            if let server = bench.server as? DraftServer {
                #expect(server.uploads.map(\.bytes.count) == [0, Int(job.size)])
            }
        }
    }

    @Test(arguments: [ResumableInterop.v7, .v8])
    func `a session that fell behind asks when it is told a conflict, and sends what is missing only`(
        interop: ResumableInterop
    ) async throws {
        try await with(interop) { bench, destination in
            let job = try bench.job(parts: 4)
            let slow = try await destination().open(job, resuming: nil)
            let fast = try await destination().open(job, resuming: slow.state)
            try await bench.send(2, of: job, to: fast)
            bench.proxy.forget()
            let source = try await bench.source(of: job)
            for number in 1...4 { try await slow.upload(slow.plan.part(number), from: source) { _ in } }
            _ = try await slow.complete(.none)
            #expect(bench.offsetsSent == [0, 2 * Self.part, 3 * Self.part])
            #expect(stored(bench, job))
        }
    }

    /// On this server a wrong offset destroys the upload.
    @Test(arguments: [ResumableInterop.v3, .v5, .v6])
    func `a conflict at swift-nio-extras is the end of the upload`(interop: ResumableInterop) async throws {
        try await with(interop) { bench, destination in
            let job = try bench.job(parts: 3)
            let slow = try await destination().open(job, resuming: nil)
            let fast = try await destination().open(job, resuming: slow.state)
            try await bench.send(2, of: job, to: fast)
            let source = try await bench.source(of: job)
            var codes: [UploadError.Code] = []
            // The server answers before it has the body and closes the connection: its answer may not arrive. The next try first asks for
            // the offset.
            while codes.last != .sessionExpired, codes.count < 2 {
                let error = await #expect(throws: UploadError.self) {
                    try await slow.upload(slow.plan.part(1), from: source) { _ in }
                }
                codes.append(error?.code ?? .unknown)
            }
            #expect(codes.last == .sessionExpired)
        }
    }

    @Test func `all bytes without the word that they are all are completed by that word`() async throws {
        let server = try DraftServer()
        try await ResumableBench.with(server) { bench in
            let job = try bench.job(parts: 2)
            let session = try await bench.destination().open(job, resuming: nil)
            // The last part arrives as a whole, but its completeness is lost on the way: the server holds every byte and calls the upload
            // incomplete.
            let state = try #require(session.state)
            let known = try ResumableState(state)
            let client = try ResumableClient(bench.configuration, client: bench.client)
            let source = try await bench.source(of: job)
            for offset in [0, Self.part] {
                let range = Int64(offset)..<Int64(offset + Self.part)
                let reply = try await client.send(
                    .PATCH, known.url, .v8,
                    headers: [
                        ("upload-complete", "?0"), ("upload-offset", String(offset)),
                        ("content-type", "application/partial-upload"),
                    ], body: HTTPBody(source: source.read(range), size: Int64(Self.part)) { _ in })
                #expect(reply.status == 204)
            }
            #expect(try await bench.destination().probe(job, state: state) == .partial(state, beside: nil))
            bench.proxy.forget()
            let second = try await bench.destination().open(job, resuming: state)
            #expect(second.missing.isEmpty)
            #expect(server.stored("file") == nil)
            #expect(try await second.complete(.none).response?.body == "processed")
            #expect(bench.offsetsSent == [2 * Self.part])
            #expect(bench.bytesSent == 0)
            #expect(stored(bench, job))
        }
    }

    @Test func `an answer that does not say whether the upload is complete is asked about`() async throws {
        for keeps in [true, false] {
            var behaviour = DraftServer.Behaviour()
            behaviour.saysComplete = false
            behaviour.keepsComplete = keeps
            try await ResumableBench.with(DraftServer(behaviour)) { bench in
                let job = try bench.job(parts: 1.5)
                let completed = try await bench.conformance().carry(job)
                #expect(completed.response?.status == 201)
                #expect(bench.proxy.requests.map(\.method).suffix(2) == ["PATCH", "HEAD"])
                #expect(stored(bench, job))
            }
        }
    }

    @Test func `what is told of the offset decides: nothing, less than was sent, or the impossible`() async throws {
        try await ResumableBench.with(DraftServer()) { bench in
            let job = try bench.job(parts: 3)
            let session = try await bench.destination().open(job, resuming: nil)
            bench.proxy.forget()
            try await bench.send(1, of: job, to: session)
            #expect(bench.requests("HEAD").isEmpty, "from draft -06 on an answer need not say it")
            // An offset beyond the sent bytes is not trusted: the driver asks the server.
            bench.proxy.setRule { request in
                request.method == "PATCH"
                    ? .rewriteAnswer { $0.setHeader("upload-offset", String(9 * Self.part)) } : .forward
            }
            let error = await #expect(throws: UploadError.self) { try await bench.send(1, of: job, to: session) }
            #expect(error?.code == .invalidResponse)
            // An answer to HEAD that calls a short upload complete is not trusted either.
            bench.proxy.setRule { request in
                request.method == "HEAD" ? .rewriteAnswer { $0.setHeader("upload-complete", "?1") } : .forward
            }
            let state = try #require(session.state)
            #expect(try await bench.destination().probe(job, state: state) == .partial(state, beside: nil))
            bench.proxy.setRule { _ in .forward }
            let second = try await bench.destination().open(job, resuming: state)
            try await bench.send(of: job, to: second)
            _ = try await second.complete(.none)
            #expect(stored(bench, job))
            #expect(bench.bytesSent == Int(job.size))
        }
    }

    @Test func `a server that keeps nothing of what it takes is not fed for ever`() async throws {
        try await ResumableBench.with(DraftServer()) { bench in
            let job = try bench.job(parts: 1)
            let session = try await bench.destination().open(job, resuming: nil)
            let source = try await bench.source(of: job)
            for status in [204, 409] {
                bench.proxy.forget()
                bench.proxy.setRule { request in
                    request.method == "PATCH" ? .answer(status: status, headers: [("Upload-Offset", "0")]) : .forward
                }
                let error = await #expect(throws: UploadError.self) {
                    try await session.upload(session.plan.part(1), from: source) { _ in }
                }
                #expect(error?.code == (status == 204 ? .invalidResponse : .serverFailure))
                #expect(error?.retry == .afterBackoff)
                #expect(bench.offsetsSent.count == Standstills.maximum + 1)
            }
        }
    }
}
