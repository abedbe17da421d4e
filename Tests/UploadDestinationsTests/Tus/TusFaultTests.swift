import Foundation
import Synchronization
import Testing
import UploadTesting
import Uploads

@testable import UploadDestinations

/// Error answers of servers.
@Suite(.timeLimit(.minutes(10)))
struct TusFaultTests {
    private static let part = TusBench.partBytes

    private func failure(
        _ bench: TusBench, _ job: UploadJob, at session: any UploadSession
    ) async -> UploadError? {
        await #expect(throws: UploadError.self) { try await bench.send(1, of: job, to: session) }
    }

    @Test(arguments: [
        (307, UploadError.Code.rejected, UploadError.Retry.never), (400, .rejected, .never),
        (401, .notAuthenticated, .never), (403, .accessDenied, .never), (404, .destinationNotFound, .never),
        (405, .rejected, .never), (408, .networkFailure, .afterBackoff), (409, .serverFailure, .afterBackoff),
        (410, .destinationNotFound, .never), (412, .rejected, .never), (413, .rejected, .never),
        (415, .rejected, .never), (423, .serverFailure, .afterBackoff), (429, .rateLimited, .after(seconds: 7)),
        (431, .rejected, .never), (460, .checksumMismatch, .afterBackoff), (500, .serverFailure, .afterBackoff),
        (503, .serverFailure, .after(seconds: 7)), (507, .noSpace, .afterBackoff), (200, .rejected, .never),
    ])
    func `each status has its meaning where an upload is made`(
        status: Int, code: UploadError.Code, retry: UploadError.Retry
    ) async throws {
        try await TusBench.with { bench in
            bench.proxy.setRule { request in
                guard request.method == "POST" else { return .forward }
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
        (460, .checksumMismatch), (500, .serverFailure), (412, .rejected), (401, .notAuthenticated),
    ])
    func `each status has its meaning in the middle of an upload`(status: Int, code: UploadError.Code) async throws {
        try await TusBench.with { bench in
            let job = try bench.job(parts: 3)
            let session = try await bench.destination().open(job, resuming: nil)
            try await bench.send(1, of: job, to: session)
            bench.proxy.setRule { $0.method == "PATCH" ? .answer(status: status, body: "because") : .forward }
            #expect(await failure(bench, job, at: session)?.code == code)
            // After any error, the next try asks for the offset and continues there.
            bench.proxy.setRule { _ in .forward }
            try await bench.send(of: job, to: session)
            #expect(try await session.complete(.none).object.size == job.size)
        }
    }

    @Test func `an upload that was removed, or has expired, makes the session expire`() async throws {
        try await TusBench.with { bench in
            for isExpired in [false, true] {
                let job = try bench.job(parts: 3, key: "expired-\(isExpired)")
                let session = try await bench.destination().open(job, resuming: nil)
                try await bench.send(1, of: job, to: session)
                let upload = try #require(try bench.uploads().last)
                if isExpired { try bench.server.expire(upload.id) } else { try bench.server.remove(upload.id) }
                var refused = await failure(bench, job, at: session)
                // The server answers before it has the body and closes the connection: its answer may not arrive. The next try first asks
                // for the offset.
                if refused?.code == .networkFailure { refused = await failure(bench, job, at: session) }
                #expect(refused?.code == .sessionExpired)
                let error = await #expect(throws: UploadError.self) {
                    try await bench.destination().open(job, resuming: session.state)
                }
                #expect(error?.code == .sessionExpired)
                #expect(try await bench.destination().probe(job, state: session.state) == .nothing)
                let state = try #require(session.state)
                try await bench.destination().discard(state, of: job)
            }
        }
    }

    @Test func `403 means gone where HEAD says so, and forbidden where it does not`() async throws {
        try await TusBench.with { bench in
            let job = try bench.job(parts: 2)
            let session = try await bench.destination().open(job, resuming: nil)
            bench.proxy.setRule { $0.method == "PATCH" ? .answer(status: 403) : .forward }
            #expect(await failure(bench, job, at: session)?.code == .accessDenied)
            bench.proxy.setRule { _ in .answer(status: 403) }
            #expect(await failure(bench, job, at: session)?.code == .sessionExpired)
        }
    }

    @Test func `a locked upload is asked for again shortly, and waits on the broker if that does not help`()
        async throws
    {
        try await TusBench.with { bench in
            let job = try bench.job(parts: 2)
            let session = try await bench.destination().open(job, resuming: nil)
            let refused = Mutex<Set<String>>([])
            bench.proxy.setRule { request in
                guard ["PATCH", "HEAD"].contains(request.method) else { return .forward }
                let isFirst = refused.withLock { $0.insert(request.method).inserted }
                return isFirst ? .answer(status: 423) : .forward
            }
            // The server refuses one PATCH and one HEAD.
            guard case .claimed(let source) = try await bench.conformance().sources.claim(job) else { return }
            for part in session.missing { try await session.upload(part, from: source) { _ in } }
            #expect(try bench.uploads().map(\.isComplete) == [true])

            bench.proxy.setRule { $0.method == "OPTIONS" || $0.method == "POST" ? .forward : .answer(status: 423) }
            let second = try await bench.destination().open(bench.job(parts: 2, key: "second"), resuming: nil)
            let error = await #expect(throws: UploadError.self) {
                try await second.upload(second.plan.part(1), from: source) { _ in }
            }
            #expect(error?.code == .serverFailure)
            #expect(error?.retry == .afterBackoff)
            #expect(error?.response?.status == 423)
            let state = try #require(second.state)
            let discarded = await #expect(throws: UploadError.self) {
                try await bench.destination().discard(state, of: job)
            }
            #expect(discarded?.response?.status == 423, "it is tried again")
        }
    }

    @Test func `a conflict without end is given up`() async throws {
        try await TusBench.with { bench in
            let job = try bench.job(parts: 1)
            let session = try await bench.destination().open(job, resuming: nil)
            bench.proxy.setRule { $0.method == "PATCH" ? .answer(status: 409) : .forward }
            let error = await failure(bench, job, at: session)
            #expect(error?.code == .serverFailure)
            #expect(error?.retry == .afterBackoff)
        }
    }

    @Test func `a server that takes a part, forgets it and takes it again is given up`() async throws {
        try await TusBench.with { bench in
            let job = try bench.job(parts: 2)
            let session = try await bench.destination().open(job, resuming: nil)
            bench.proxy.setRule { request in
                switch request.method {
                case "HEAD": .answer(status: 200, headers: [("Upload-Offset", "0")])
                // Ends the test even if the driver sends without end.
                case "PATCH" where request.number > 50: .answer(status: 500)
                case "PATCH" where request.header("upload-offset") == "0":
                    .answer(status: 204, headers: [("Upload-Offset", "\(Self.part)")])
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

    @Test func `silence ends in a failure that is worth a retry`() async throws {
        try await TusBench.with { bench in
            var impatient = bench.configuration
            impatient.times.firstByteSeconds = 1
            impatient.times.stallSeconds = 1
            // Each action has its own upload: until this server notices that no more bytes come, it answers no other request for the same upload.
            for (number, action) in [HTTPFaultProxy.Action.stallAnswer, .stallRequest(afterBytes: 100_000)].enumerated()
            {
                let job = try bench.job(parts: 2, key: "\(number)")
                let state = try #require(try await bench.destination().open(job, resuming: nil).state)
                let known = try TusState(state)
                guard case .whole(let url) = known.place else { throw DidNotHappen("it is one upload") }
                bench.proxy.setRule { $0.method == "PATCH" ? action : .forward }
                let upload = TusUpload(
                    client: try TusClient(impatient, client: bench.client), job: job, url: url, range: 0..<job.size)
                let error = await failure(bench, job, at: TusSession(TusStream(upload, reached: 0), known))
                #expect(error?.code == .networkFailure)
                #expect(error?.retry == .afterBackoff)
                bench.proxy.setRule { _ in .forward }
            }
        }
    }

    @Test func `parts carry a checksum where the server offers one, and what arrives broken is sent again`()
        async throws
    {
        try await TusBench.with { bench in
            let checksums = Mutex<[String?]>([])
            bench.proxy.setRule { request in
                switch request.method {
                case "OPTIONS":
                    return .rewriteAnswer { answer in
                        answer.setHeader("tus-extension", "creation,checksum,checksum-trailer")
                        answer.setHeader("tus-checksum-algorithm", "crc32,sha1,md5")
                    }
                case "PATCH":
                    let isFirst = checksums.withLock { checksums in
                        checksums.append(request.header("upload-checksum"))
                        return checksums.count == 1
                    }
                    return isFirst ? .answer(status: 460) : .forward
                default: return .forward
                }
            }
            let bytes = Array("abc".utf8)
            let job = try bench.conformance().job(bytes, key: "file")
            let session = try await bench.destination().open(job, resuming: nil)
            let error = await failure(bench, job, at: session)
            #expect(error?.code == .checksumMismatch)
            #expect(error?.retry == .afterBackoff)
            try await bench.send(of: job, to: session)
            // FIPS 180-2, appendix A.1.
            #expect(checksums.withLock { $0 } == Array(repeating: "sha1 qZk+NkcGgWq6PiVxeFDCbJzQ2J0=", count: 2))

            checksums.withLock { $0 = [nil] }
            var configuration = bench.configuration
            configuration.sendsChecksums = false
            try await bench.conformance(configuration).carry(bench.job(parts: 1.5))
            #expect(checksums.withLock { $0 } == [nil, nil, nil])
        }
    }

    @Test func `a server that tells nothing of itself is taken as it is, one of another version is refused`()
        async throws
    {
        try await TusBench.with { bench in
            bench.proxy.setRule { $0.method == "OPTIONS" ? .answer(status: 405) : .forward }
            try await bench.conformance().carry(bench.job(parts: 1.5))
            let asked = bench.proxy.requests.filter { $0.method == "OPTIONS" }
            #expect(asked.allSatisfy { $0.request.header("tus-resumable") == nil })
            #expect(
                bench.proxy.requests.allSatisfy {
                    $0.method == "OPTIONS" || $0.request.header("tus-resumable") == "1.0.0"
                })
            bench.proxy.setRule { request in
                request.method == "OPTIONS" ? .rewriteAnswer { $0.setHeader("tus-version", "2.1.0,2.0.0") } : .forward
            }
            let error = await #expect(throws: UploadError.self) {
                try await bench.destination().open(bench.job(parts: 1), resuming: nil)
            }
            #expect(error?.code == .rejected)
            #expect(error?.message.contains("2.1.0") == true)
        }
    }

    @Test func `an upload elsewhere than at the server is neither made nor gone on with, unless it is allowed`()
        async throws
    {
        try await TusBench.with { bench in
            let other = "http://localhost:\(bench.proxy.port)"
            bench.proxy.setRule { request in
                guard request.method == "POST" else { return .forward }
                return .rewriteAnswer { answer in
                    let location = answer.headers.first { $0.name.lowercased() == "location" }?.value ?? ""
                    let path = location.replacing("http://127.0.0.1:\(bench.proxy.port)", with: "")
                    answer.setHeader("location", "\(other)\(path)?token=swordfish-1234")
                }
            }
            let job = try bench.job(parts: 1.5)
            let refused = await #expect(throws: UploadError.self) {
                try await bench.destination().open(job, resuming: nil)
            }
            #expect(refused?.code == .misconfigured)
            #expect(refused?.message.contains("uploadOrigins") == true)

            var configuration = bench.configuration
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
                request.method == "PATCH"
                    ? .answer(status: 500, body: "no \(request.target)") : .forward
            }
            let error = await failure(bench, job, at: session)
            #expect(error?.response?.body?.hasSuffix("?[hidden]") == true, "\(error?.response as Any)")
            bench.proxy.setRule { _ in .forward }
            try await bench.send(of: job, to: session)
            let completed = try await session.complete(.none)
            let shown = "\(completed)"
            #expect(!shown.contains("swordfish"))
            #expect(bench.proxy.requests.allSatisfy { $0.target.hasSuffix("?token=swordfish-1234") })
        }
    }

    @Test func `a location may be relative, and one that is none is refused`() async throws {
        try await TusBench.with { bench in
            for (prefix, isGood) in [("/files/", true), ("", true), ("//127.0.0.1:1/", false)] {
                bench.proxy.setRule { request in
                    guard request.method == "POST" else { return .forward }
                    return .rewriteAnswer { answer in
                        let location = answer.headers.first { $0.name.lowercased() == "location" }?.value ?? ""
                        answer.setHeader("location", prefix + (location.split(separator: "/").last ?? ""))
                    }
                }
                let job = try bench.job(parts: 1.5, key: "relative\(prefix.count)")
                if isGood {
                    try await bench.conformance().carry(job)
                } else {
                    let error = await #expect(throws: UploadError.self) { try await bench.conformance().carry(job) }
                    #expect(error?.code == .misconfigured)
                }
            }
            bench.proxy.setRule { request in
                request.method == "POST" ? .rewriteAnswer { $0.setHeader("location", nil) } : .forward
            }
            let error = await #expect(throws: UploadError.self) {
                try await bench.destination().open(bench.job(parts: 1), resuming: nil)
            }
            #expect(error?.code == .invalidResponse)
            #expect(error?.retry == .never)
        }
    }

    @Test func `an upload that is another job's, or of another size, is not gone on with`() async throws {
        try await TusBench.with { bench in
            let job = try bench.job(parts: 2)
            let state = try await bench.destination().open(job, resuming: nil).state
            let longer = try bench.job(parts: 3)
            #expect(try await bench.destination().probe(longer, state: state) == .nothing)
            let error = await #expect(throws: UploadError.self) {
                try await bench.destination().open(longer, resuming: state)
            }
            #expect(error?.code == .sessionExpired)
            bench.proxy.setRule { request in
                guard request.method == "HEAD" else { return .forward }
                return .rewriteAnswer { $0.setHeader("upload-metadata", "longshore-job c29tZWJvZHk=") }
            }
            #expect(try await bench.destination().probe(job, state: state) == .nothing)
        }
    }

    @Test func `what the protocol cannot say is refused before anything is sent`() async throws {
        try await TusBench.with { bench in
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
            #expect(try bench.destination() as? any ReadableDestination == nil, "the protocol gives nothing back")
        }
    }
}
