import AsyncHTTPClient
import Foundation
import Synchronization
import Testing
import UploadDestinations
import UploadSources
import UploadTesting
import Uploads

/// Against servers that misbehave.
@Suite(.timeLimit(.minutes(10)))
struct HTTPFaultTests {
    private static let secret = "topsecret-signature-0123456789"
    private static let large = 32 << 20

    private func put(
        _ count: Int = 1000, port: Int, condition: WriteCondition = .none, limitSeconds: Double = 60,
        properties: ObjectProperties = ObjectProperties()
    ) async throws -> (result: Result<CompletedUpload, any Error>, shown: String) {
        let client = HTTPClient(configuration: HTTPConfiguration.clientConfiguration)
        let destination = HTTPDestination(
            HTTPConfiguration(
                headers: ["Authorization": "Bearer \(Self.secret)"],
                times: HTTPTimes(firstByteSeconds: limitSeconds, stallSeconds: limitSeconds)),
            client: client)
        let bytes = [UInt8](repeating: 42, count: count)
        var job = UploadJob(
            source: .inline(Data(bytes)),
            destination: .url("http://user:\(Self.secret)@127.0.0.1:\(port)/x?X-Signature=\(Self.secret)&n=1"),
            size: Int64(count))
        job.properties = properties
        let result: Result<CompletedUpload, any Error>
        do {
            guard case .claimed(let source) = try await LocalSources(areas: [], roots: []).claim(job) else {
                throw DidNotHappen.unclaimed
            }
            let session = try await destination.open(job, resuming: nil)
            session.prepare(for: condition)
            try await session.upload(session.plan.part(1), from: source) { _ in }
            result = .success(try await session.complete(condition))
        } catch {
            result = .failure(error)
        }
        try await client.shutdown()
        var shown = ""
        switch result {
        case .success(let completed): shown = "\(completed)"
        case .failure(let error as UploadError): shown = "\(error) \(String(describing: error.response))"
        case .failure(let error): shown = "\(error)"
        }
        #expect(!shown.contains(Self.secret), "no credential is shown")
        return (result, shown)
    }

    private func failure(
        _ count: Int = 1000, limitSeconds: Double = 60,
        _ script: @escaping @Sendable (ScriptedServer.Connection) -> Void
    ) async throws -> UploadError {
        let server = try ScriptedServer(script)
        let result = try await put(count, port: server.port, limitSeconds: limitSeconds).result
        return try #require(throws: UploadError.self) { try result.get() }
    }

    @Test(arguments: [
        (401, UploadError.Code.notAuthenticated, UploadError.Retry.never), (403, .accessDenied, .never),
        (404, .destinationNotFound, .never), (410, .destinationNotFound, .never), (307, .rejected, .never),
        (408, .networkFailure, .afterBackoff), (409, .rejected, .afterBackoff), (412, .preconditionFailed, .never),
        (413, .rejected, .never), (415, .rejected, .never), (422, .rejected, .never),
        (425, .rateLimited, .afterBackoff),
        (429, .rateLimited, .afterBackoff), (500, .serverFailure, .afterBackoff), (503, .serverFailure, .afterBackoff),
        (507, .noSpace, .afterBackoff),
    ])
    func `each status has its meaning`(status: Int, code: UploadError.Code, retry: UploadError.Retry) async throws {
        let error = try await failure { connection in
            _ = connection.readHead()
            connection.read(1000)
            connection.answer("\(status) Whatever", headers: ["Location: http://127.0.0.1:1/?q=\(Self.secret)"])
        }
        #expect(error.code == code)
        #expect(error.retry == retry)
        #expect(error.response?.status == status)
    }

    @Test func `what the job says of its object goes with the PUT`() async throws {
        let heads = Mutex<[String]>([])
        let server = try ScriptedServer { connection in
            let head = connection.readHead().lowercased()
            heads.withLock { $0.append(head) }
            connection.read(1000)
            connection.answer("201 Created")
        }
        let properties = ObjectProperties(
            cacheControl: "no-store", contentDisposition: "inline", contentEncoding: "gzip", contentLanguage: "de",
            storageClass: "GLACIER", tags: ["team": "web"])
        _ = try await put(port: server.port, properties: properties).result.get()
        let head = try #require(heads.withLock { $0.first })
        for (name, value) in properties.headers { #expect(head.contains("\r\n\(name): \(value)\r\n"), "\(head)") }
        #expect(properties.headers.count == 4)
        #expect(!head.contains("glacier"))
    }

    /// Faults in the body of an answer whose status and headers have come.
    enum Body: CaseIterable { case neverComes, drips, isCutOff }

    @Test(arguments: Body.allCases)
    func `a success whose body does not come is a success, and is not asked for again`(body: Body) async throws {
        let requests = Atomic<Int>(0)
        let server = try ScriptedServer { connection in
            _ = connection.readHead()
            connection.read(1000)
            requests.add(1, ordering: .relaxed)
            connection.write("HTTP/1.1 201 Created\r\nETag: \"e1\"\r\nContent-Length: 100000\r\n\r\n")
            switch body {
            case .neverComes: connection.waitForHangUp()
            case .drips: while !connection.isHungUp(after: 100) { connection.write("x") }
            case .isCutOff: connection.reset()
            }
        }
        let upload = try await put(port: server.port).result.get()
        #expect(upload.object.etag == "\"e1\"")
        #expect(upload.response?.status == 201)
        #expect(requests.load(ordering: .relaxed) == 1)
    }

    @Test func `a success whose body does not come is the answer, too, to a request that is called off`() async throws {
        let isRead = Atomic<Bool>(false)
        let server = try ScriptedServer { connection in
            _ = connection.readHead()
            connection.read(1000)
            connection.write("HTTP/1.1 201 Created\r\nETag: \"e1\"\r\nContent-Length: 100000\r\n\r\n")
            connection.waitUntilRead()
            isRead.store(true, ordering: .relaxed)
            connection.waitForHangUp()
        }
        let upload = Task { try await put(port: server.port).result }
        try await eventually { isRead.load(ordering: .relaxed) }
        upload.cancel()
        #expect(try await upload.value.get().object.etag == "\"e1\"")
    }

    @Test func `a server that takes a body slowly and steadily gets to answer`() async throws {
        let count = 4_000_000
        let server = try ScriptedServer { connection in
            _ = connection.readHead()
            // Longer than the limit for a body that has arrived, but shorter than the limit for one that may still be in the buffers.
            for _ in 0..<40 {
                usleep(250_000)
                connection.read(count / 40)
            }
            connection.answer("201 Created")
        }
        _ = try await put(count, port: server.port, limitSeconds: 6).result.get()
    }

    /// The server takes three times as long as it may be silent.
    @Test func `a server that says it is at work is waited for, and learns nothing of how that is seen`() async throws {
        let heads = Mutex<[String]>([])
        let server = try ScriptedServer { connection in
            heads.withLock { $0.append("") }
            let head = connection.readHead()
            heads.withLock { $0.append(head) }
            connection.read(1000)
            for _ in 0..<30 {
                usleep(500_000)
                connection.write("HTTP/1.1 102 Processing\r\n\r\n")
            }
            connection.answer("201 Created")
        }
        _ = try await put(port: server.port, limitSeconds: 5).result.get()
        let seen = heads.withLock { $0 }
        #expect(seen.count == 2)
        #expect(!(seen.last ?? "").contains("longshore"), "\(seen)")
    }

    @Test func `an answer before the body is read is the answer`() async throws {
        for isAbrupt in [false, true] {
            let error = try await failure(Self.large) { connection in
                _ = connection.readHead()
                connection.answer("403 Forbidden", body: "the signature has expired")
                if isAbrupt { connection.read(100_000) } else { connection.waitForClose() }
            }
            #expect(error.code == .accessDenied, "abrupt: \(isAbrupt)")
            #expect(error.response?.body == "the signature has expired")
        }
    }

    @Test func `a refusal before the body is read is the answer though its own body does not come`() async throws {
        let error = try await failure(Self.large, limitSeconds: 0.5) { connection in
            _ = connection.readHead()
            connection.write("HTTP/1.1 403 Forbidden\r\nContent-Length: 1000\r\n\r\nthe signature")
            connection.waitForHangUp()
        }
        #expect(error.code == .accessDenied)
        #expect(error.response?.status == 403)
    }

    @Test func `Retry-After is understood in seconds and as a date`() async throws {
        let error = try await failure { connection in
            _ = connection.readHead()
            connection.answer("503 Busy", headers: ["Retry-After: 7"])
        }
        #expect(error.retry == .after(seconds: 7))
        let formatter = DateFormatter()
        formatter.locale = Locale(identifier: "en_US_POSIX")
        formatter.timeZone = TimeZone(identifier: "GMT")
        formatter.dateFormat = "EEE, dd MMM yyyy HH:mm:ss 'GMT'"
        let date = formatter.string(from: Date() + 3600)
        let later = try await failure { connection in
            _ = connection.readHead()
            connection.answer("429 Slow down", headers: ["Retry-After: \(date)"])
        }
        guard case .after(let seconds) = later.retry else {
            Issue.record("the date was not understood: \(later.retry)")
            return
        }
        #expect((3000...3600).contains(seconds))
        let nonsense = try await failure { connection in
            _ = connection.readHead()
            connection.answer("503 Busy", headers: ["Retry-After: soon"])
        }
        #expect(nonsense.retry == .afterBackoff)
    }

    @Test func `a connection cut in the body, after it, or refused is worth another try`() async throws {
        for count in [100_000, Self.large] {
            let error = try await failure(Self.large) { connection in
                _ = connection.readHead()
                connection.read(count)
                connection.reset()
            }
            #expect(error.code == .networkFailure)
            #expect(error.retry == .afterBackoff)
        }
        let result = try await put(port: Ports.free()).result
        let refused = try #require(throws: UploadError.self) { try result.get() }
        #expect(refused.code == .networkFailure)
        #expect(refused.message.contains("cannot be reached"))
    }

    @Test func `a server that stops reading, and one that never answers, are given up`() async throws {
        let stalled = try await failure(Self.large, limitSeconds: 0.5) { connection in
            _ = connection.readHead()
            connection.waitForHangUp()
        }
        #expect(stalled.code == .networkFailure)
        #expect(stalled.message.contains("took no bytes"))
        let silent = try await failure(1000, limitSeconds: 5) { connection in
            _ = connection.readHead()
            connection.waitForClose()
        }
        #expect(silent.code == .networkFailure)
        #expect(silent.message.contains("did not answer"))
    }

    @Test func `what a server echoes of credentials is blotted out, and cookies are dropped`() async throws {
        let server = try ScriptedServer { connection in
            let head = connection.readHead()
            connection.read(1000)
            connection.answer(
                "200 OK", headers: ["Set-Cookie: \(Self.secret)", "ETag: \"abc\"", "X-Request-Id: \(Self.secret)"],
                body: head)
        }
        let (result, shown) = try await put(port: server.port)
        let completed = try result.get()
        #expect(completed.object.etag == "\"abc\"")
        #expect(completed.response?.headers["set-cookie"] == nil)
        #expect(completed.response?.body?.lowercased().contains("content-length: 1000") == true)
        #expect(shown.contains("[hidden]"))
    }

    @Test func `conditions travel as headers`() async throws {
        for (condition, header) in [
            (WriteCondition.absent, "if-none-match: *"), (.unchanged(etag: "\"e1\""), "if-match: \"e1\""),
        ] {
            let server = try ScriptedServer { connection in
                let head = connection.readHead()
                connection.read(1000)
                connection.answer(head.lowercased().contains(header) ? "201 Created" : "400 Bad")
            }
            _ = try await put(port: server.port, condition: condition).result.get()
        }
    }

    @Test func `an answer of any length is read within bounds`() async throws {
        let server = try ScriptedServer { connection in
            _ = connection.readHead()
            connection.read(1000)
            connection.answer("200 OK", body: String(repeating: "a", count: 3 << 20))
        }
        let completed = try await put(port: server.port).result.get()
        #expect(completed.response?.body?.utf8.count == ServerResponse.bodyBytesMaximum)
    }

    @Test func `a success before the whole body was sent is no success`() async throws {
        let error = try await failure(Self.large, limitSeconds: 0.5) { connection in
            _ = connection.readHead()
            connection.answer("200 OK")
            connection.waitForHangUp()
        }
        #expect(error.code == .invalidResponse || error.code == .networkFailure)
    }
}
