import Foundation
import Testing
import UploadTesting
import Uploads

@testable import UploadDestinations

/// The error for each status (RFC 4918, section 11; RFC 9110, section 15).
@Suite(.timeLimit(.minutes(10)))
struct WebDAVStatusTests {
    typealias Expected = (status: Int, code: UploadError.Code, retry: UploadError.Retry)

    @Test(arguments: [
        (301, UploadError.Code.rejected, UploadError.Retry.never), (400, .rejected, .never),
        (401, .notAuthenticated, .never), (403, .accessDenied, .never), (404, .destinationNotFound, .afterBackoff),
        (405, .rejected, .never), (408, .networkFailure, .afterBackoff), (409, .rejected, .afterBackoff),
        (412, .preconditionFailed, .never), (413, .rejected, .never), (414, .rejected, .never),
        (415, .rejected, .never), (423, .serverFailure, .afterBackoff), (424, .serverFailure, .afterBackoff),
        (429, .rateLimited, .after(seconds: 7)), (500, .serverFailure, .afterBackoff),
        (502, .serverFailure, .afterBackoff), (503, .serverFailure, .after(seconds: 7)),
        (507, .noSpace, .afterBackoff),
    ])
    func `each status has its meaning where the bytes go`(expected: Expected) async throws {
        try await WebDAVBench.with(.nginx) { bench in
            let error = try await failure(bench, "PUT", expected.status)
            #expect(error?.code == expected.code)
            #expect(error?.retry == expected.retry)
            #expect(error?.response?.status == expected.status)
            #expect(error?.response?.body == "because")
            #expect(!bench.methods.contains("MOVE"))
            let shown = "\(error as Any) \(error?.response as Any)"
            #expect(!shown.contains("swordfish"))
        }
    }

    @Test(arguments: [
        (301, UploadError.Code.rejected, UploadError.Retry.never), (400, .misconfigured, .afterBackoff),
        (401, .notAuthenticated, .never), (403, .accessDenied, .never), (404, .destinationNotFound, .never),
        (405, .rejected, .never), (409, .rejected, .afterBackoff), (423, .serverFailure, .afterBackoff),
        (424, .serverFailure, .afterBackoff), (429, .rateLimited, .after(seconds: 7)),
        (500, .serverFailure, .afterBackoff), (502, .misconfigured, .afterBackoff),
        (503, .serverFailure, .after(seconds: 7)), (507, .noSpace, .afterBackoff),
    ])
    func `each status has its meaning where the file is moved`(expected: Expected) async throws {
        try await WebDAVBench.with(.wsgidav) { bench in
            let error = try await failure(bench, "MOVE", expected.status)
            #expect(error?.code == expected.code)
            #expect(error?.retry == expected.retry)
            #expect(error?.response?.status == expected.status)
            #expect(bench.stored("file") == nil)
            #expect(bench.names().count == 1, "what has arrived waits for the next attempt")
        }
    }

    private func failure(_ bench: WebDAVBench, _ method: String, _ status: Int) async throws -> UploadError? {
        var configuration = bench.configuration
        configuration.headers = ["X-Key": "swordfish-1234"]
        bench.proxy.setRule { request in
            guard request.method == method else { return .forward }
            let headers = [429, 503].contains(status) ? [("Retry-After", "7")] : []
            return .answer(
                status: status, headers: headers + [("Location", "http://127.0.0.1:1/?key=swordfish-1234")],
                body: "because")
        }
        let job = try bench.job()
        let session = try await bench.destination(configuration).open(job, resuming: nil)
        guard case .claimed(let source) = try await bench.conformance().sources.claim(job) else { return nil }
        return await #expect(throws: UploadError.self) {
            try await session.upload(session.plan.part(1), from: source) { _ in }
            _ = try await session.complete(.none)
        }
    }

    @Test(arguments: [(423, UploadError.Code.serverFailure), (507, .noSpace), (403, .accessDenied)])
    func `what a list says inside of 207 counts`(status: Int, code: UploadError.Code) async throws {
        try await WebDAVBench.with(.wsgidav) { bench in
            // The lists of RFC 4918, section 9.9.5, and 9.6.1 for DELETE.
            let list = """
                <?xml version="1.0" encoding="utf-8" ?><d:multistatus xmlns:d="DAV:">\
                <d:response><d:href>/a</d:href><d:status>HTTP/1.1 424 Failed Dependency</d:status></d:response>\
                <d:response><d:href>/a/b</d:href><d:status>HTTP/1.1 \(status) No</d:status></d:response></d:multistatus>
                """
            bench.proxy.setRule { request in
                ["MOVE", "DELETE"].contains(request.method) ? .answer(status: 207, body: list) : .forward
            }
            let job = try bench.job()
            let session = try await bench.destination().open(job, resuming: nil)
            try await bench.send(job, to: session)
            let moving = await #expect(throws: UploadError.self) { try await session.complete(.none) }
            let state = try #require(session.state)
            let removing = await #expect(throws: UploadError.self) {
                try await bench.destination().discard(state, of: job)
            }
            for error in [moving, removing] {
                #expect(error?.code == code, "\(error as Any)")
                #expect(error?.message.contains(String(status)) == true)
            }
        }
    }

    @Test func `a folder that cannot be made says why`() async throws {
        try await WebDAVBench.with(.wsgidav) { bench in
            for (status, code) in [
                (507, UploadError.Code.noSpace), (423, .serverFailure), (401, .notAuthenticated),
            ] {
                bench.proxy.setRule { $0.method == "MKCOL" ? .answer(status: status) : .forward }
                let job = try bench.job(key: "a/b")
                let session = try await bench.destination().open(job, resuming: nil)
                let error = await #expect(throws: UploadError.self) { try await bench.send(job, to: session) }
                #expect(error?.code == code)
                #expect(error?.message.contains("MKCOL") == true)
            }
            // Credentials that may not make folders may still write into existing ones.
            bench.proxy.setRule { $0.method == "MKCOL" ? .answer(status: 403) : .forward }
            try bench.server.makeFolder("\(bench.folder)/a")
            try await bench.conformance().carry(bench.job(key: "a/b"))
            #expect(bench.stored("a/b") != nil)
        }
    }

    @Test(arguments: WebDAVServer.Kind.allCases)
    func `a url that leads nowhere is told, and nothing is made there`(kind: WebDAVServer.Kind) async throws {
        try await WebDAVBench.with(kind) { bench in
            var configuration = bench.configuration
            configuration.url += "typo/"
            let job = try bench.job(key: "a/b/c")
            let session = try await bench.destination(configuration).open(job, resuming: nil)
            let error = await #expect(throws: UploadError.self) { try await bench.send(job, to: session) }
            #expect(error?.code == .destinationNotFound, "\(error as Any)")
            #expect(bench.names() == [])
        }
    }

    @Test func `a server that compares no ETags in If is found out, and asked by looking`() async throws {
        try await WebDAVBench.with(.rclone) { bench in
            let destination = try bench.destination()
            var conformance = bench.conformance()
            conformance.destination = { destination }
            var etag = try #require(try await conformance.carry(bench.job(10)).object.etag)
            for count in 11...12 {
                etag = try #require(
                    try await conformance.carry(bench.job(count), condition: .unchanged(etag: etag)).object.etag)
            }
            let tagged = bench.proxy.requests.filter { $0.request.header("if") != nil }
            #expect(tagged.map(\.serverStatus) == [412], "once")
            #expect(bench.stored("file")?.count == 12)
        }
    }

    @Test func `where the server compares ETags, what comes between looking and moving is not replaced`() async throws {
        try await WebDAVBench.with(.apache) { bench in
            let etag = try #require(try await bench.conformance().carry(bench.job(10)).object.etag)
            let job = try bench.job(11)
            let session = try await bench.destination().open(job, resuming: nil)
            try await bench.send(job, to: session)
            let (server, path) = (bench.server, "\(bench.folder)/file")
            bench.proxy.setRule { request in
                if request.method == "MOVE" { try? server.put([9, 9, 9], at: path) }
                return .forward
            }
            let error = await #expect(throws: UploadError.self) { try await session.complete(.unchanged(etag: etag)) }
            #expect(error?.code == .preconditionFailed)
            #expect(bench.stored("file") == [9, 9, 9])
        }
    }
}
