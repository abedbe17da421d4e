import Foundation
import Testing
import UploadTesting
import Uploads

@testable import UploadDestinations

/// The server's position decides which bytes are sent, exactly.
@Suite(.timeLimit(.minutes(10)))
struct TusResumeTests {
    private static let part = TusBench.partBytes

    @Test func `another worker goes on in the middle of a part, at the byte where the server stopped`() async throws {
        try await TusBench.with { bench in
            let job = try bench.job(parts: 3.5)
            let session = try await bench.destination().open(job, resuming: nil)
            bench.proxy.setRule { request in
                request.header("upload-offset") == String(Self.part) ? .cutAfterRequestBytes(700_000) : .forward
            }
            let error = await #expect(throws: UploadError.self) { try await bench.send(of: job, to: session) }
            #expect(error?.code == .networkFailure)
            bench.proxy.setRule { _ in .forward }
            bench.proxy.forget()
            // The server notices a moment later that no more bytes come.
            try await eventually("the server has counted what came") {
                try bench.uploads().first?.offset ?? 0 > Self.part
            }
            let offset = try #require(try bench.uploads().first?.offset)
            #expect(offset < 2 * Self.part)

            let second = try await bench.destination().open(job, resuming: session.state)
            #expect(second.missing.map(\.number) == [2, 3, 4])
            #expect(second.missing.first?.range == Int64(offset)..<Int64(2 * Self.part))
            try await bench.send(of: job, to: second)
            let completed = try await second.complete(.none)
            #expect(bench.offsetsSent == [offset, 2 * Self.part, 3 * Self.part])
            #expect(bench.bytesSent == Int(job.size) - offset, "no byte went twice")
            #expect(completed.object.digests.confirms(job.digests))
            #expect(try server(bench) == DestinationConformance.bytes(Int(job.size)))
        }
    }

    private func server(_ bench: TusBench) throws -> [UInt8]? { try bench.server.stored("\(bench.folder)/file") }

    @Test func `after a lost answer the same part is asked for, and not sent again`() async throws {
        try await TusBench.with { bench in
            let job = try bench.job(parts: 3)
            let session = try await bench.destination().open(job, resuming: nil)
            bench.proxy.setRule { request in
                request.header("upload-offset") == String(Self.part) ? .forwardThenCut : .forward
            }
            let error = await #expect(throws: UploadError.self) { try await bench.send(of: job, to: session) }
            #expect(error?.code == .networkFailure)
            bench.proxy.setRule { _ in .forward }
            guard case .claimed(let source) = try await bench.conformance().sources.claim(job) else {
                throw DidNotHappen("an inline source can always be claimed")
            }
            // Like the engine: the same part once more, then the next.
            for number in 2...3 { try await session.upload(session.plan.part(number), from: source) { _ in } }
            _ = try await session.complete(.none)
            #expect(bench.offsetsSent == [0, Self.part, 2 * Self.part])
            #expect(bench.bytesSent == Int(job.size))
            #expect(bench.proxy.requests.count { $0.method == "HEAD" } == 1)
            #expect(try server(bench) == DestinationConformance.bytes(Int(job.size)))
        }
    }

    @Test func `a lost answer to the last part is found out by looking, and what is complete is never removed`()
        async throws
    {
        try await TusBench.with { bench in
            let job = try bench.job(parts: 2)
            let session = try await bench.destination().open(job, resuming: nil)
            let state = try #require(session.state)
            bench.proxy.setRule { request in
                request.header("upload-offset") == String(Self.part) ? .forwardThenCut : .forward
            }
            await #expect(throws: UploadError.self) { try await bench.send(of: job, to: session) }
            bench.proxy.setRule { _ in .forward }
            guard case .complete(let found) = try await bench.destination().probe(job, state: state) else {
                Issue.record("the finished upload is not recognised")
                return
            }
            #expect(found.object.size == job.size)
            #expect(found.object.digests == job.digests)
            // A job that ends discards the session that its baton names.
            try await bench.destination().discard(state, of: job)
            #expect(try server(bench) == DestinationConformance.bytes(Int(job.size)))
            #expect(try await session.complete(.none).object == found.object)
        }
    }

    @Test func `a lost answer to the creation leaves an empty upload behind, and the next one is made anew`()
        async throws
    {
        try await TusBench.with { bench in
            let job = try bench.job(parts: 1.5)
            bench.proxy.setRule { $0.method == "POST" ? .forwardThenCut : .forward }
            let error = await #expect(throws: UploadError.self) {
                try await bench.destination().open(job, resuming: nil)
            }
            #expect(error?.code == .networkFailure)
            #expect(error?.retry == .afterBackoff)
            bench.proxy.setRule { _ in .forward }
            try await bench.conformance().carry(job)
            #expect(try bench.uploads().map(\.offset) == [0, Int(job.size)])
        }
    }

    @Test func `a session that fell behind asks when it is told a conflict, and sends what is missing only`()
        async throws
    {
        try await TusBench.with { bench in
            let job = try bench.job(parts: 4)
            let slow = try await bench.destination().open(job, resuming: nil)
            let fast = try await bench.destination().open(job, resuming: slow.state)
            try await bench.send(2, of: job, to: fast)
            bench.proxy.forget()
            guard case .claimed(let source) = try await bench.conformance().sources.claim(job) else {
                throw DidNotHappen("an inline source can always be claimed")
            }
            // The server answers before it has the body and closes the connection: its answer may not arrive, and the part is tried again.
            try? await slow.upload(slow.plan.part(1), from: source) { _ in }
            for number in 1...4 { try await slow.upload(slow.plan.part(number), from: source) { _ in } }
            _ = try await slow.complete(.none)
            #expect(bench.offsetsSent == [0, 2 * Self.part, 3 * Self.part])
            #expect(try server(bench) == DestinationConformance.bytes(Int(job.size)))
        }
    }

    @Test func `what is told of the offset decides: less than was sent, nothing, or the impossible`() async throws {
        try await TusBench.with { bench in
            let job = try bench.job(parts: 3)
            bench.proxy.setRule { request in
                switch (request.method, request.header("upload-offset")) {
                // The answer to PATCH contains no offset, so the driver asks by HEAD.
                case ("PATCH", "0"): .rewriteAnswer { $0.setHeader("upload-offset", nil) }
                default: .forward
                }
            }
            let session = try await bench.destination().open(job, resuming: nil)
            try await bench.send(1, of: job, to: session)
            #expect(bench.offsetsSent == [0])
            #expect(bench.proxy.requests.count { $0.method == "HEAD" } == 1)
            #expect(session.missing.map(\.number) == [2, 3])
            // An offset beyond the file is not trusted: the driver asks the server.
            bench.proxy.setRule { request in
                request.method == "PATCH"
                    ? .rewriteAnswer { $0.setHeader("upload-offset", String(9 * Self.part)) } : .forward
            }
            let error = await #expect(throws: UploadError.self) { try await bench.send(1, of: job, to: session) }
            #expect(error?.code == .invalidResponse)
            bench.proxy.setRule { _ in .forward }
            try await bench.send(of: job, to: bench.destination().open(job, resuming: session.state))
            #expect(try server(bench) == DestinationConformance.bytes(Int(job.size)))
            #expect(bench.bytesSent == Int(job.size))
        }
    }

    @Test func `a server that keeps nothing of what it takes is not fed for ever`() async throws {
        try await TusBench.with { bench in
            let job = try bench.job(parts: 1)
            let session = try await bench.destination().open(job, resuming: nil)
            bench.proxy.setRule { request in
                request.method == "PATCH" ? .answer(status: 204, headers: [("Upload-Offset", "0")]) : .forward
            }
            let error = await #expect(throws: UploadError.self) {
                guard case .claimed(let source) = try await bench.conformance().sources.claim(job) else { return }
                try await session.upload(session.plan.part(1), from: source) { _ in }
            }
            #expect(error?.code == .invalidResponse)
            #expect(bench.offsetsSent.count == Standstills.maximum + 1)
        }
    }

    @Test func `uploads survive the server's restart`() async throws {
        let server = try await TusServer.start()
        try await TusBench.with(server) { bench in
            let job = try bench.job(parts: 3)
            let session = try await bench.destination().open(job, resuming: nil)
            try await bench.send(1, of: job, to: session)
            try await server.stop()
            let error = await #expect(throws: UploadError.self) { try await bench.send(1, of: job, to: session) }
            #expect(error?.code == .networkFailure)
            try await server.restart()
            let resumed = try await bench.destination().open(job, resuming: session.state)
            #expect(resumed.missing.map(\.number) == [2, 3])
            try await bench.send(of: job, to: resumed)
            _ = try await resumed.complete(.none)
            #expect(try self.server(bench) == DestinationConformance.bytes(Int(job.size)))
        }
    }
}
