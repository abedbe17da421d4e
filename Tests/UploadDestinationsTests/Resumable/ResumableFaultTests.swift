import Foundation
import NIOHTTP1
import ResumableTesting
import Testing
import UploadTesting
import Uploads

@testable import UploadDestinations

/// Error answers of servers.
@Suite(.timeLimit(.minutes(10)))
struct ResumableFaultTests {
    private static let part = ResumableBench.partBytes

    private func failure(
        _ bench: ResumableBench, _ job: UploadJob, at session: any UploadSession
    ) async -> UploadError? {
        await #expect(throws: UploadError.self) { try await bench.send(1, of: job, to: session) }
    }

    @Test(arguments: [
        (307, UploadError.Code.rejected, UploadError.Retry.never), (401, .notAuthenticated, .never),
        (403, .accessDenied, .never), (404, .destinationNotFound, .never), (408, .networkFailure, .afterBackoff),
        (409, .serverFailure, .afterBackoff), (410, .destinationNotFound, .never), (413, .rejected, .never),
        (423, .serverFailure, .afterBackoff), (429, .rateLimited, .after(seconds: 7)),
        (500, .serverFailure, .afterBackoff), (503, .serverFailure, .after(seconds: 7)),
        (507, .noSpace, .afterBackoff),
    ])
    func `each status has its meaning where an upload is made`(
        status: Int, code: UploadError.Code, retry: UploadError.Retry
    ) async throws {
        try await ResumableBench.with(DraftServer()) { bench in
            bench.proxy.setRule { request in
                guard request.method == "PUT" else { return .forward }
                let headers = [429, 503].contains(status) ? [("Retry-After", "7")] : []
                return .answer(
                    status: status, headers: headers + [("Location", "http://127.0.0.1:1/?q=swordfish")],
                    body: "because")
            }
            let error = await #expect(throws: UploadError.self) {
                try await bench.destination().open(bench.job(parts: 1), resuming: nil)
            }
            #expect(error?.code == code)
            #expect(error?.retry == retry)
            #expect(error?.response?.status == status)
            #expect(error?.response?.body == "because")
            let shown = "\(error as Any) \(error?.response as Any)"
            #expect(!shown.contains("swordfish"))
        }
    }

    @Test(arguments: [
        (404, UploadError.Code.sessionExpired), (410, .sessionExpired), (413, .rejected), (429, .rateLimited),
        (400, .rejected), (415, .rejected), (500, .serverFailure), (503, .serverFailure), (401, .notAuthenticated),
    ])
    func `each status has its meaning in the middle of an upload, which goes on where it stands`(
        status: Int, code: UploadError.Code
    ) async throws {
        try await ResumableBench.with(DraftServer()) { bench in
            let job = try bench.job(parts: 3)
            let session = try await bench.destination().open(job, resuming: nil)
            try await bench.send(1, of: job, to: session)
            bench.proxy.setRule { $0.method == "PATCH" ? .answer(status: status, body: "because") : .forward }
            let error = await failure(bench, job, at: session)
            #expect(error?.code == code)
            if (400..<500).contains(status), status != 429, code != .sessionExpired { #expect(error?.retry == .never) }
            bench.proxy.setRule { _ in .forward }
            try await bench.send(of: job, to: session)
            #expect(try await session.complete(.none).object.size == job.size)
        }
    }

    @Test(arguments: [ResumableInterop.v3, .v6, .v8])
    func `an upload that has gone makes the session expire`(interop: ResumableInterop) async throws {
        try await ResumableConformanceTests.with(interop) { bench, conformance in
            let job = try bench.job(parts: 3)
            // Over connections of its own: swift-nio-extras stops reading after it has refused a body, so that a later request over the
            // same connection would get no answer.
            let session = try await ResumableDestination(
                bench.configuration(interop), client: HTTPConfiguration.sharedClient
            ).open(job, resuming: nil)
            try await bench.send(1, of: job, to: session)
            let state = try #require(session.state)
            let client = try ResumableClient(bench.configuration, client: bench.client)
            _ = try await client.send(.DELETE, ResumableState(state).url, interop)
            #expect(await failure(bench, job, at: session)?.code == .sessionExpired)
            let error = await #expect(throws: UploadError.self) {
                try await conformance.destination().open(job, resuming: state)
            }
            #expect(error?.code == .sessionExpired)
            #expect(try await conformance.destination().probe(job, state: state) == .nothing)
            try await conformance.destination().discard(state, of: job)
            try await conformance.carry(job)
            #expect(bench.server.stored("file") == DestinationConformance.bytes(Int(job.size)))
        }
    }

    @Test func `a token goes with every request, and a wrong one is told apart`() async throws {
        try await ResumableBench.with(DraftServer()) { bench in
            bench.proxy.setRule { request in
                request.header("authorization") == "Bearer swordfish-1234"
                    ? .forward
                    : .answer(status: 401, body: "not \(request.header("authorization") ?? "")", drains: false)
            }
            var configuration = bench.configuration
            configuration.headers = ["Authorization": "Bearer swordfish-1234"]
            try await bench.conformance(configuration).carry(bench.job(parts: 2.5))
            #expect(bench.proxy.requests.allSatisfy { $0.status ?? 500 < 300 })
            for interop in [nil, ResumableInterop.v8] {
                configuration.interop = interop
                configuration.headers = ["Authorization": "Bearer jellyfish-1234"]
                let conformance = bench.conformance(configuration)
                let error = await #expect(throws: UploadError.self) { try await conformance.carry(bench.job(parts: 1)) }
                #expect(error?.code == .notAuthenticated)
                #expect(error?.retry == .never)
                let shown = "\(error as Any) \(String(describing: error?.response))"
                #expect(shown.contains("[hidden]") && !shown.contains("jellyfish"), "\(shown)")
            }
        }
    }

    @Test func `a file that was taken whole and refused is not gone on with, whatever HEAD says of it`() async throws {
        for (status, code) in [("422 No cat", UploadError.Code.rejected), ("500 Broken", .serverFailure)] {
            var behaviour = DraftServer.Behaviour()
            behaviour.outcome = status
            let server = try DraftServer(behaviour)
            try await ResumableBench.with(server) { bench in
                let job = try bench.job(parts: 1.5)
                let session = try await bench.destination().open(job, resuming: nil)
                let error = await #expect(throws: UploadError.self) { try await bench.send(of: job, to: session) }
                #expect(error?.code == code)
                #expect(error?.message.contains("did not take it") == true)
                #expect(error?.response?.body == "processed")
                #expect(server.uploads.isEmpty)
                let again = await #expect(throws: UploadError.self) { try await bench.send(of: job, to: session) }
                #expect(again?.code == .sessionExpired)
                let state = try #require(session.state)
                #expect(try await bench.destination().probe(job, state: state) == .nothing)
            }
        }
    }

    @Test func `silence ends in a failure that is worth a retry, and little was taken from the source by then`()
        async throws
    {
        try await ResumableBench.with(DraftServer()) { bench in
            var impatient = bench.configuration(.v8)
            impatient.times.firstByteSeconds = 1
            impatient.times.stallSeconds = 1
            impatient.partBytes = 64 << 20
            let job = UploadJob(
                source: .inline(Data()), destination: .named(DestinationName(unchecked: "resumable"), key: "large"),
                size: 128 << 20)
            for action in [HTTPFaultProxy.Action.stallAnswer, .stallRequest(afterBytes: 100_000)] {
                let isStalled = if case .stallRequest = action { true } else { false }
                bench.proxy.setRule { _ in .forward }
                let session = try await bench.destination(impatient).open(job, resuming: nil)
                bench.proxy.setRule { $0.method == "PATCH" ? action : .forward }
                let source = CountedSource(size: job.size)
                let error = await #expect(throws: UploadError.self) {
                    try await session.upload(session.plan.part(1), from: source) { _ in }
                }
                #expect(error?.code == .networkFailure)
                #expect(error?.retry == .afterBackoff)
                // The socket buffers between the driver and the point where it stopped, and the bytes that wait to be written.
                if isStalled { #expect(source.bytesRead <= 24 << 20) }
            }
        }
    }

    @Test func `what the source says goes through, and a part of which it said so is never whole`() async throws {
        let server = try DraftServer()
        try await ResumableBench.with(server) { bench in
            let job = UploadJob(
                source: .inline(Data()), destination: .named(DestinationName(unchecked: "resumable"), key: "changed"),
                size: Int64(3 * Self.part))
            let session = try await bench.destination().open(job, resuming: nil)
            let source = CountedSource(size: job.size, changesAt: Int64(2 * Self.part))
            for number in 1...2 { try await session.upload(session.plan.part(number), from: source) { _ in } }
            let error = await #expect(throws: UploadError.self) {
                try await session.upload(session.plan.part(3), from: source) { _ in }
            }
            #expect(error?.code == .sourceChanged)
            #expect(error?.message == "it is another one: enqueue it again")
            #expect(server.stored("changed") == nil)
            #expect(server.uploads.map(\.isComplete) == [false])
        }
    }

    @Test func `an upload elsewhere than at the server is neither made nor gone on with, unless it is allowed`()
        async throws
    {
        try await ResumableBench.with(DraftServer()) { bench in
            let other = "http://localhost:\(bench.proxy.port)"
            bench.proxy.setRule { request in
                guard request.method == "PUT" else { return .forward }
                return .rewriteAnswer { answer in
                    let location = answer.headers.first { $0.name.lowercased() == "location" }?.value ?? ""
                    answer.setHeader("location", "\(other)\(location)?token=swordfish-1234")
                    answer.setHeader("upload-complete", "?0")
                }
            }
            let job = try bench.job(parts: 1.5)
            let refused = await #expect(throws: UploadError.self) {
                try await bench.destination(bench.configuration(.v8)).open(job, resuming: nil)
            }
            #expect(refused?.code == .misconfigured)
            #expect(refused?.message.contains("uploadOrigins") == true)

            var configuration = bench.configuration(.v8)
            configuration.uploadOrigins = [other]
            let session = try await bench.destination(configuration).open(job, resuming: nil)
            let state = try #require(session.state)
            #expect(state.payload["url"]?.string?.hasSuffix("?token=swordfish-1234") == true)
            bench.proxy.forget()
            // A state that names another server: the driver must send no request, because it would carry the headers.
            for step in ["probe", "open", "discard"] {
                let error = await #expect(throws: UploadError.self) {
                    switch step {
                    case "probe": _ = try await bench.destination().probe(job, state: state)
                    case "open": _ = try await bench.destination().open(job, resuming: state)
                    default: try await bench.destination().discard(state, of: job)
                    }
                }
                #expect(error?.code == .misconfigured)
                let shown = "\(error as Any)"
                #expect(!shown.contains("swordfish"))
            }
            #expect(bench.proxy.requests.isEmpty)
            // The query goes with every request, and is never shown.
            bench.proxy.setRule { request in
                request.method == "PATCH" ? .answer(status: 500, body: "no \(request.target)") : .forward
            }
            let error = await failure(bench, job, at: session)
            #expect(error?.response?.body?.hasSuffix("?[hidden]") == true, "\(error?.response as Any)")
            let shown = "\(error as Any)"
            #expect(!shown.contains("swordfish"))
            #expect(bench.requests("PATCH").allSatisfy { $0.target.hasSuffix("?token=swordfish-1234") })
        }
    }

    @Test func `an upload of another size is not gone on with`() async throws {
        try await ResumableBench.with(DraftServer()) { bench in
            let state = try await bench.destination().open(bench.job(parts: 2), resuming: nil).state
            let longer = try bench.job(parts: 3)
            #expect(try await bench.destination().probe(longer, state: state) == .nothing)
            let error = await #expect(throws: UploadError.self) {
                try await bench.destination().open(longer, resuming: state)
            }
            #expect(error?.code == .sessionExpired)
        }
    }

    @Test func `a server that takes a part, forgets it and takes it again is given up`() async throws {
        try await ResumableBench.with(DraftServer()) { bench in
            let job = try bench.job(parts: 3)
            let session = try await bench.destination().open(job, resuming: nil)
            bench.proxy.setRule { request in
                switch request.method {
                case "HEAD": .answer(status: 200, headers: [("Upload-Offset", "0"), ("Upload-Complete", "?0")])
                // Ends the test even if the driver sends without end.
                case "PATCH" where request.number > 50: .answer(status: 500)
                case "PATCH" where request.header("upload-offset") == "0":
                    .answer(status: 204, headers: [("Upload-Offset", "\(Self.part)"), ("Upload-Complete", "?0")])
                case "PATCH": .answer(status: 409)
                default: .forward
                }
            }
            let source = try await bench.source(of: job)
            let error = await #expect(throws: UploadError.self) {
                try await session.upload(session.plan.part(2), from: source) { _ in }
            }
            #expect(error?.retry == .afterBackoff)
            #expect(bench.offsetsSent.count <= 2 * (Standstills.maximum + 1))
        }
    }

    @Test func `what the protocol cannot say is refused before anything is sent`() async throws {
        try await ResumableBench.with(DraftServer()) { bench in
            for ifExists in [IfExists.fail, .skip] {
                var job = try bench.job(parts: 1)
                job.ifExists = ifExists
                let error = await #expect(throws: UploadError.self) {
                    try await bench.destination().open(job, resuming: nil)
                }
                #expect(error?.code == .rejected)
                #expect(error?.message.contains("--if-exists replace") == true)
            }
            var job = try bench.job(parts: 1)
            job.destination = .url("http://127.0.0.1:\(bench.proxy.port)/files/")
            let error = await #expect(throws: UploadError.self) {
                try await bench.destination().open(job, resuming: nil)
            }
            #expect(error?.code == .misconfigured)
            #expect(bench.proxy.requests.isEmpty)
        }
    }
}
