import Foundation
import Testing
import UploadTesting
import Uploads

@testable import UploadDestinations

/// Runs against a server whose parser of forms is not ours.
@Suite(.timeLimit(.minutes(10)))
struct HTTPFormTests {
    private func withServer(
        authorization: String? = nil, _ body: (HTTPBench, FormServer) async throws -> Void
    ) async throws {
        let server = try await FormServer.start(authorization: authorization)
        try await HTTPBench.with(server.port) { bench in try await body(bench, server) }
    }

    private func withConformance(_ body: (DestinationConformance) async throws -> Void) async throws {
        try await withServer { bench, server in
            try await body(
                bench.conformance(try bench.form()) { key in
                    try server.uploads().last { $0.fields["key"] == [key] }?.bytes
                })
        }
    }

    @Test func `files of all edge sizes arrive`() async throws {
        try await withConformance { try await $0.edgeSizesArrive() }
    }

    @Test func `odd names arrive`() async throws { try await withConformance { try await $0.oddNamesArrive() } }

    @Test func `the last of two is the last`() async throws {
        try await withConformance { try await $0.theLastOfTwoWins() }
    }

    @Test func `many at once arrive`() async throws {
        try await withConformance { try await $0.manyAtOnceArrive() }
    }

    @Test func `fields of templates, secrets and names that hurt arrive exactly`() async throws {
        try await withServer { bench, server in
            let hard = "\"quotes\", semi;colon\r\nContent-Type: text/html\r\n\r\n--x-- Grüße 日本語 % %22 \\ "
            var configuration = try bench.form(
                [
                    "title": "{metadata.title} ({size})", "left out": "{metadata.none}",
                    "a \"b\"": "{{x}} {stem}.{ext}",
                    "empty": "{metadata.empty}",
                ], secretFields: ["token": "sw\"ordfish\n"], filename: "{metadata.title}/{name}")
            configuration.jobHeaders = ["X-Job": try JobTemplate("{job}"), "X-None": try JobTemplate("{batch}")]
            var job = bench.job(key: "a.b/Grüße \"1\".tar.gz", metadata: ["title": hard, "empty": ""])
            job.contentType = "image/png; x=\"y\""
            job.properties.contentEncoding = "gzip"
            let completed = try await bench.carry(job, configuration)
            let upload = try #require(try server.uploads().last)
            #expect(upload.bytes == [1, 2, 3])
            #expect(upload.field == "upload")
            #expect(upload.contentType == "image/png; x=\"y\"")
            #expect(upload.path == "up")
            #expect(
                upload.fields == [
                    "key": ["a.b/Grüße \"1\".tar.gz"], "title": ["\(hard) (3)"],
                    "a \"b\"": ["{x} Grüße \"1\".tar.gz"],
                    "token": ["sw\"ordfish\n"], "empty": [""],
                ])
            // The parser unescapes only %22.
            #expect(upload.filename.contains("\"quotes\", semi;colon%0D%0AContent-Type"))
            #expect(upload.filename.hasSuffix("Grüße \"1\".tar.gz"))
            #expect(upload.headers["x-job"] == job.id.rawValue)
            #expect(upload.headers["x-none"] == nil)
            #expect(upload.headers["content-encoding"] == nil, "that is the file's, not the form's")
            let head = try #require(bench.proxy.requests.last?.request)
            #expect(head.header("transfer-encoding") == nil)
            #expect(head.header("content-length").flatMap { Int($0) } == bench.proxy.requests.last?.bodyBytes)
            // The server repeats the fields in its answer.
            #expect(completed.response?.body?.contains("quotes") == true)
            #expect(completed.response?.body?.contains("ordfish") == false)
        }
    }

    @Test func `the answer says where the object is`() async throws {
        try await withServer { bench, server in
            var configuration = try bench.form()
            configuration.answerURL = "files.0.url"
            var completed = try await bench.carry(bench.job(), configuration)
            #expect(completed.object.location == bench.url("stored/000001"))
            #expect(completed.object.size == 3)
            #expect(completed.object.digests == Digests())
            #expect(completed.response?.status == 201)
            configuration.answerURL = "files.7.url"
            bench.proxy.setRule { _ in .rewriteAnswer { $0.setHeader("Location", "https://other.example/9?key=1") } }
            completed = try await bench.carry(bench.job(), configuration)
            #expect(completed.object.location == "https://other.example/9")
            #expect(try server.uploads().count == 2)
        }
    }

    @Test func `only configured statuses are a success`() async throws {
        try await withServer { bench, _ in
            var configuration = try bench.form()
            configuration.success = try HTTPStatuses(["200", "300-303"])
            #expect(try await bench.failure(bench.job(), configuration).response?.status == 201)
            bench.proxy.setRule { _ in .rewriteAnswer { $0.status = 303 } }
            let completed = try await bench.carry(bench.job(), configuration)
            #expect(completed.response?.status == 303)
        }
    }

    @Test func `a body without a form goes to the key's URL or to the one that is configured`() async throws {
        try await withServer { bench, server in
            var configuration = HTTPConfiguration(url: bench.url("up/"))
            configuration.method = .post
            try await bench.carry(bench.job(key: "a/b c.txt"), configuration)
            configuration.appendsKey = false
            try await bench.carry(bench.job(key: "a/b c.txt"), configuration)
            configuration.method = .put
            try await bench.carry(bench.job(key: "a/b c.txt"), configuration)
            let uploads = try server.uploads()
            #expect(uploads.map(\.path) == ["up/a/b c.txt", "up/", "up/a/b c.txt"])
            #expect(uploads.allSatisfy { $0.bytes == [1, 2, 3] && $0.contentType == "text/plain" })
        }
    }

    @Test func `wrong credentials are told, and blotted out; files with them are read again`() async throws {
        let server = try await FormServer.start(authorization: "Client-ID second-secret")
        try await HTTPBench.with(server.port) { bench in
            let scratch = try TemporaryDirectory()
            try scratch.write("Client-ID first-secret", to: "authorization")
            let configuration = try bench.form()
            let path = scratch.path("authorization")
            let destination = HTTPDestination(configuration, client: bench.client) { () throws(UploadError) in
                var renewed = configuration
                guard let data = FileManager.default.contents(atPath: path) else {
                    throw UploadError(.misconfigured, "it is gone: write it")
                }
                renewed.headers["Authorization"] = String(decoding: data, as: UTF8.self)
                return renewed
            }
            var conformance = bench.conformance(configuration) { _ in nil }
            conformance.destination = { destination }
            let job = bench.job()
            let error = await #expect(throws: UploadError.self) { try await conformance.carry(job) }
            #expect(error?.code == .notAuthenticated)
            #expect(error?.retry == .never)
            #expect(error?.response?.body?.contains("not [hidden]") == true, "\(error?.response?.body as Any)")
            try scratch.write("Client-ID second-secret", to: "authorization")
            let completed = try await conformance.carry(job)
            #expect(completed.response?.body?.contains("second-secret") == false)
        }
    }

    @Test func `throttling is told with the pause that is asked for`() async throws {
        try await withServer { bench, server in
            for (status, code) in [(429, UploadError.Code.rateLimited), (503, .serverFailure)] {
                bench.proxy.setRule { _ in .answer(status: status, headers: [("Retry-After", "7")]) }
                let error = try await bench.failure(bench.job(), bench.form())
                #expect(error.code == code)
                #expect(error.retry == .after(seconds: 7))
            }
            #expect(try server.uploads().isEmpty)
        }
    }

    @Test func `after a lost answer a key keeps the file from being stored twice, and a new round has another key`()
        async throws
    {
        try await withServer { bench, server in
            for sendsKey in [false, true] {
                bench.proxy.forget()
                let before = try server.uploads().count
                var configuration = try bench.form()
                configuration.sendsIdempotencyKey = sendsKey
                let job = bench.job()
                bench.proxy.setRule { $0.number == 1 ? .forwardThenCut : .forward }
                let error = try await bench.failure(job, configuration)
                #expect(error.code == .networkFailure)
                #expect(error.retry == .afterBackoff)
                #expect(try await bench.destination(configuration).probe(job, state: nil) == .unknowable)
                let completed = try await bench.carry(job, configuration)
                #expect(try server.uploads().count - before == (sendsKey ? 1 : 2))
                #expect(completed.response?.headers["idempotency-replayed"] == (sendsKey ? "true" : nil))
                try await bench.carry(job, configuration, round: 2)
                #expect(try server.uploads().count - before == (sendsKey ? 2 : 3))
                let heads = bench.proxy.requests.map(\.request)
                let keys = heads.map { $0.header("idempotency-key") }
                #expect(keys == [1, 1, 2].map { sendsKey ? "\"\(job.id.rawValue).\($0)\"" : nil })
                // A server may compare all requests with the same key.
                let types = heads.map { $0.header("content-type") }
                #expect((types[0] == types[1]) == sendsKey)
                #expect(types[1] != types[2])
            }
        }
    }

    @Test func `a replayed answer that comes before the file counts only as an answer to the key`() async throws {
        try await withServer { bench, _ in
            for (header, sendsKey, counts) in [
                ("Idempotency-Replayed", true, true), ("Idempotent-Replayed", true, true), ("X-Other", true, false),
                ("Idempotency-Replayed", false, false),
            ] {
                var configuration = try bench.form()
                configuration.sendsIdempotencyKey = sendsKey
                bench.proxy.setRule { _ in .answer(status: 201, headers: [(header, "true")], drains: false) }
                let job = bench.job([UInt8](repeating: 7, count: 8_000_000))
                guard counts else {
                    #expect(try await bench.failure(job, configuration).code == .invalidResponse, "\(header)")
                    continue
                }
                #expect(try await bench.carry(job, configuration).response?.status == 201, "\(header)")
            }
        }
    }

    @Test func `what a server says of its keys has its meaning`() async throws {
        try await withServer { bench, _ in
            var configuration = try bench.form()
            configuration.sendsIdempotencyKey = true
            for (status, code, retry) in [
                (409, UploadError.Code.serverFailure, UploadError.Retry.afterBackoff), (422, .rejected, .never),
                (400, .rejected, .never),
            ] {
                bench.proxy.setRule { _ in .answer(status: status) }
                let error = try await bench.failure(bench.job(), configuration)
                #expect(error.code == code && error.retry == retry, "\(status): \(error)")
            }
        }
    }

    @Test func `what cannot be carried is refused before a byte is sent`() async throws {
        try await withServer { bench, _ in
            var configuration = try bench.form(filename: "{metadata.none}")
            #expect(try await bench.failure(bench.job(), configuration).message.contains("{metadata.none}"))
            configuration = try bench.form()
            configuration.sizeMaximum = 2
            #expect(try await bench.failure(bench.job(), configuration).message.contains("at most 2"))
            configuration = try bench.form()
            configuration.jobHeaders = ["X-Name": try JobTemplate("{name}")]
            #expect(try await bench.failure(bench.job(key: "ü"), configuration).code == .rejected)
            configuration = try bench.form()
            var job = bench.job()
            job.ifExists = .skip
            #expect(try await bench.failure(job, configuration).message.contains("--if-exists replace"))
            #expect(bench.destination(configuration).readBackProblem(of: bench.job())?.code == .rejected)
            #expect(bench.proxy.requests.isEmpty)
        }
    }

    @Test func `a source that changes ends the form before its end`() async throws {
        try await withServer { bench, server in
            let source = CountedSource(size: 8 << 20, changesAt: 4 << 20)
            var job = bench.job()
            job.size = source.size
            let session = try await bench.destination(bench.form()).open(job, resuming: nil)
            let error = await #expect(throws: UploadError.self) {
                try await session.upload(session.plan.part(1), from: source) { _ in }
            }
            #expect(error?.code == .sourceChanged)
            try await eventually("the connection is cut") { bench.proxy.requests.first?.isBodyWhole == false }
            #expect(try server.uploads().isEmpty)
        }
    }

    @Test func `a server that stops reading holds up the source`() async throws {
        try await withServer { bench, server in
            bench.proxy.setRule { _ in .stallRequest(afterBytes: 1 << 20) }
            let source = CountedSource(size: 1 << 30)
            var job = bench.job()
            job.size = source.size
            var configuration = try bench.form()
            configuration.times.stallSeconds = 2
            let session = try await bench.destination(configuration).open(job, resuming: nil)
            let error = await #expect(throws: UploadError.self) {
                try await session.upload(session.plan.part(1), from: source) { _ in }
            }
            #expect(error?.code == .networkFailure)
            // The kernel's buffers on both sides of the proxy, and the driver's own.
            #expect(source.bytesRead < 48 << 20)
            #expect(try server.uploads().isEmpty)
        }
    }
}
