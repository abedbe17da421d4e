import Foundation
import Hummingbird
import HummingbirdTesting
import Testing
import Uploads
import Yams

@testable import UploadNotifier

/// `POST /v1/jobs`: what it publishes, what a repeat answers, and what it refuses.
@Suite(.timeLimit(.minutes(10))) struct EnqueueAPITests {
    private static let place = #""destination": {"name": "photos", "key": "hello.txt"}"#
    private static let inline = #""source": {"kind": "inline", "data": "aGVsbG8="}"#
    private static let body = "{\(inline), \(place)}"
    private static let other = #"{"source": {"kind": "inline", "data": "b3RoZXI="}, \#(place)}"#

    private static func key(_ text: String) throws -> HTTPFields {
        [try #require(HTTPFields.Element.Name("Idempotency-Key")): text]
    }

    private func id(_ reply: APIReply) throws -> String { try #require(try reply.json["id"] as? String) }

    @Test func `a job is completed by what the request left out, published, and found at its place`() async throws {
        let house = try await APIHouse()
        try await house.with { client in
            let reply = try await client.ask(.post, "/v1/jobs", body: Self.body)
            #expect(reply.status == 201, "\(reply.text)")
            let enqueued = try #require(house.operations.enqueued.first)
            #expect(house.operations.enqueued.count == 1 && !enqueued.maybeRepeated)
            let job = enqueued.job
            #expect(job.source == .inline(Data("hello".utf8)) && job.size == 5)
            #expect(job.digests.crc64nvme == CRC64NVME(of: Array("hello".utf8)).hexadecimal)
            #expect(job.queue == .standard && job.priority == .normal && job.idempotencyKey == nil)
            #expect(abs(job.enqueuedAt.timeIntervalSinceNow) < 600)
            #expect(try id(reply) == job.id.rawValue)
            #expect(try reply.json["status"] as? String == "queued" && reply.json["queue"] as? String == "default")
            #expect(reply.headers[.location] == "/v1/jobs/\(job.id)")
            #expect(try await client.ask(.get, "/v1/jobs/\(job.id)").status == 200)
            let unasked = try await client.ask(.post, "/v1/jobs?wait=0", body: Self.body)
            #expect(unasked.status == 201)
            #expect(try unasked.json["status"] == nil && id(unasked) != job.id.rawValue)
        }
    }

    @Test func `the first request under a key is 201, a repeat 200 with the same id, another body 422`() async throws {
        let house = try await APIHouse()
        try await house.with { client in
            let first = try await client.ask(.post, "/v1/jobs", headers: Self.key("order 17"), body: Self.body)
            #expect(first.status == 201, "\(first.text)")
            // With quotes it is the same key; so is the job's own field.
            let quoted = try await client.ask(.post, "/v1/jobs", headers: Self.key("\"order 17\""), body: Self.body)
            let field = "{\(Self.inline), \(Self.place), \"idempotencyKey\": \"order 17\"}"
            let inBody = try await client.ask(.post, "/v1/jobs", body: field)
            let inBoth = try await client.ask(.post, "/v1/jobs", headers: Self.key("order 17"), body: field)
            for repeated in [quoted, inBody, inBoth] {
                #expect(repeated.status == 200, "\(repeated.text)")
                #expect(try id(repeated) == id(first))
                #expect(repeated.headers[.location] == first.headers[.location])
            }
            for other in [
                Self.other, Self.body.replacing("hello.txt", with: "other.txt"),
                Self.body.replacing("\"name\": \"photos\"", with: "\"url\": \"https://host/x\"")
                    .replacing(", \"key\": \"hello.txt\"", with: ""),
                "{\(Self.inline), \(Self.place), \"metadata\": {\"a\": \"b\"}}",
                "{\(Self.inline), \(Self.place), \"priority\": \"bulk\"}",
            ] {
                let reply = try await client.ask(.post, "/v1/jobs", headers: Self.key("order 17"), body: other)
                #expect(reply.status == 422 && reply.problem == "key-reused", "\(other): \(reply.text)")
            }
            #expect(house.operations.enqueued.map(\.maybeRepeated) == [true])
            #expect(house.operations.enqueued.first?.job.idempotencyKey == "order 17")
            let queue = "{\(Self.inline), \(Self.place), \"queue\": \"video\"}"
            let elsewhere = try await client.ask(.post, "/v1/jobs", headers: Self.key("order 17"), body: queue)
            #expect(elsewhere.status == 201)
            #expect(try id(elsewhere) != id(first))
        }
    }

    @Test func `without a confirm the outcome is unknown, and a repeat with the key is one job`() async throws {
        let house = try await APIHouse()
        try await house.with { client in
            house.operations.loseConfirms(true)
            let lost = try await client.ask(.post, "/v1/jobs", headers: Self.key("k"), body: Self.body)
            #expect(lost.status == 503 && lost.problem == "unavailable", "\(lost.text)")
            #expect(lost.headers[.retryAfter] == "5" && lost.text.contains("same body and idempotency key"))
            let bare = try await client.ask(.post, "/v1/jobs", body: Self.body)
            let id = try #require(house.operations.enqueued.last?.job.id)
            let detail = try #require(try bare.json["detail"] as? String)
            #expect(bare.status == 503 && detail.contains("\"id\": \"\(id)\""))
            house.operations.loseConfirms(false)
            let again = try await client.ask(.post, "/v1/jobs", headers: Self.key("k"), body: Self.body)
            #expect(again.status == 200)
            let named = "{\(Self.inline), \(Self.place), \"id\": \"\(id)\"}"
            #expect(try await client.ask(.post, "/v1/jobs", body: named).status == 200)
            let taken = try await client.ask(
                .post, "/v1/jobs", body: Self.other.replacing("{\"source", with: "{\"id\": \"\(id)\", \"source"))
            #expect(taken.status == 409 && taken.problem == "refused", "\(taken.text)")
            let jobs = try await client.ask(.get, "/v1/jobs").json["jobs"] as? [Any]
            #expect(jobs?.count == 2 && house.operations.enqueued.count == 2)
            house.operations.fail(UploadError(.networkFailure, "the notifier has no connection to the broker yet"))
            #expect(try await client.ask(.post, "/v1/jobs", body: Self.body).status == 503)
            house.operations.fail(UploadError(.accessDenied, "the user may not publish"))
            #expect(try await client.ask(.post, "/v1/jobs", body: Self.body).status == 500)
        }
    }

    @Test func `a key is used up by a job that has ended, and by one that was forgotten`() async throws {
        let house = try await APIHouse()
        try await house.with { client in
            _ = try await client.ask(.post, "/v1/jobs", headers: Self.key("k"), body: Self.body)
            let job = try #require(house.operations.enqueued.first?.job)
            try await house.record([Sample.event(.completed, job)])
            let done = try await client.ask(.post, "/v1/jobs", headers: Self.key("k"), body: Self.body)
            #expect(try done.status == 200 && done.json["status"] as? String == "completed")
            #expect(house.operations.enqueued.count == 1)
            guard case .object(let fields) = try WireJSON.decode(JSONValue.self, from: Data(Self.body.utf8)) else {
                return
            }
            let new = try NewJob(fields, key: "k", at: Sample.start, among: nil) { _, _ in job.id }
            var known = try #require(try await house.ledger.job(job.id))
            #expect(new.verdict(on: known) == .same)
            known.forgottenAt = Sample.start
            #expect(new.verdict(on: known) == .forgotten)
        }
    }

    @Test(arguments: [
        (#"{"source": {"kind": "staged", "area": "a", "name": "b"}, \#(place)}"#, "source/kind"),
        (#"{"source": {"kind": "tape"}, \#(place)}"#, "source/kind"), (#"{\#(place)}"#, "source"),
        ("{\(inline)}", "destination"),
        (#"{"source": {"kind": "inline", "data": "aGVsbG8"}, \#(place)}"#, "source/data"),
        (#"{"source": {"kind": "inline"}, \#(place)}"#, "source/data"),
        (#"{\#(inline), \#(place), "size": 6}"#, "size"),
        (#"{"source": {"kind": "file", "path": "/in/a"}, \#(place)}"#, "size"),
        (#"{"source": {"kind": "file", "path": "in/a"}, "size": 1, \#(place)}"#, "source/path"),
        (#"{"source": {"kind": "object", "from": {"name": "nowhere", "key": "a"}}, \#(place)}"#, "source/from/name"),
        (#"{"source": {"kind": "object", "from": {"url": "file:///a"}}, \#(place)}"#, "source/from/url"),
        (#"{\#(inline), "destination": {"name": "photo", "key": "a"}}"#, "destination/name"),
        (#"{\#(inline), "destination": {"name": "Photos", "key": "a"}}"#, "destination/name"),
        (#"{\#(inline), "destination": {"name": "photos", "key": "../a"}}"#, "destination/key"),
        (#"{\#(inline), "destination": {"name": "photos", "key": ""}}"#, "destination/key"),
        (#"{\#(inline), "destination": {"name": "photos", "key": "a", "url": "https://h/"}}"#, "destination/key"),
        (#"{\#(inline), "destination": {"url": "ftp://h/a"}}"#, "destination/url"),
        (#"{\#(inline), "destination": {"url": "https://h/a?b"}, "verify": true}"#, "verify"),
        (#"{\#(inline), \#(place), "queue": "Video"}"#, "queue"),
        (#"{\#(inline), \#(place), "priority": "continued"}"#, "priority"),
        (#"{\#(inline), \#(place), "contentType": "text"}"#, "contentType"),
        (#"{\#(inline), \#(place), "metadata": {"a b": "c"}}"#, "metadata"),
        (#"{\#(inline), \#(place), "metadata": {"a": null}}"#, "metadata/a"),
        (#"{\#(inline), \#(place), "properties": {"cacheControl": "é"}}"#, "properties"),
        (#"{\#(inline), \#(place), "properties": {"cache": "x"}}"#, "properties/cache"),
        (#"{\#(inline), \#(place), "retry": {"maxAttempts": 0}}"#, "retry/maxAttempts"),
        (#"{\#(inline), \#(place), "batch": ""}"#, "batch"), (#"{\#(inline), \#(place), "client": "A b"}"#, "client"),
        (#"{\#(inline), \#(place), "digests": {"crc64nvme": "0000000000000000"}}"#, "digests/crc64nvme"),
        (#"{\#(inline), \#(place), "digests": {"sha256": "AB"}}"#, "digests/sha256"),
        (#"{\#(inline), \#(place), "expiresAt": "2001-01-01T00:00:00Z"}"#, "expiresAt"),
        (#"{\#(inline), \#(place), "notBefore": "2999-01-01T00:00:00Z"}"#, "notBefore"),
        (#"{\#(inline), \#(place), "id": "x"}"#, "id"),
        (#"{\#(inline), \#(place), "serial": {}, "id": "019a7d3e-0b6c-7c11-9a53-2f4f5c1b7a90"}"#, "id"),
        (#"{\#(inline), \#(place), "idempotencyKey": "k", "id": "019a7d3e-0b6c-7c11-9a53-2f4f5c1b7a90"}"#, "id"),
        (#"{\#(inline), \#(place), "renamedFrom": {"name": "photos", "key": "b"}}"#, "renamedFrom"),
        (#"{\#(inline), \#(place), "prioriy": "bulk"}"#, "prioriy"),
        (#"{\#(inline), \#(place), "batch": null}"#, "batch"),
    ])
    func `what no program would enqueue is refused, and the problem names the field`(
        body: String, field: String
    ) async throws {
        let house = try await APIHouse()
        try await house.with { client in
            let reply = try await client.ask(.post, "/v1/jobs", body: body)
            #expect(reply.status == 400 && reply.problem == "invalid-request", "\(reply.text)")
            let errors = try reply.json["errors"] as? [[String: String]] ?? []
            #expect(
                errors.contains { $0["pointer"] == "#/\(field)" && $0["detail"]?.isEmpty == false }, "\(reply.text)")
        }
        #expect(house.operations.enqueued.isEmpty)
    }

    @Test func `a serial job gets the digit of its line, and objects and files need no bytes`() async throws {
        let house = try await APIHouse()
        let bodies = [
            #"{\#(Self.inline), \#(Self.place), "serial": {}}"#,
            #"{"source": {"kind": "object", "from": {"name": "photos", "key": "a"}}, \#(Self.place)}"#,
            #"{"source": {"kind": "object", "from": {"url": "https://host/a"}}, \#(Self.place)}"#,
            #"{"source": {"kind": "file", "path": "/in/a"}, "size": 7, \#(Self.place)}"#,
        ]
        try await house.with { client in
            for body in bodies {
                let reply = try await client.ask(.post, "/v1/jobs", body: body)
                #expect(reply.status == 201, "\(body): \(reply.text)")
            }
        }
        let jobs = house.operations.enqueued.map(\.job)
        #expect(jobs.count == bodies.count)
        #expect(jobs[0].id == jobs[0].id.inLine(of: .standard) && jobs[0].serial == .end)
        #expect(jobs[3].size == 7)
    }

    @Test func `types, sizes, pages and callers are refused as for every other request`() async throws {
        let house = try await APIHouse(access: .token(APIAccessTests.token))
        try await house.with { client in
            let signed: HTTPFields = [.authorization: "Bearer \(APIAccessTests.token)"]
            #expect(try await client.ask(.post, "/v1/jobs", body: Self.body).status == 401)
            var text = signed
            text[.contentType] = "text/plain"
            #expect(try await client.ask(.post, "/v1/jobs", headers: text, body: Self.body).status == 415)
            var foreign = signed
            foreign[.origin] = "https://evil.example"
            #expect(try await client.ask(.post, "/v1/jobs", headers: foreign, body: Self.body).status == 403)
            let large = String(repeating: " ", count: NotifierAPI.bodyBytesMaximum) + Self.body
            #expect(try await client.ask(.post, "/v1/jobs", headers: signed, body: large).status == 413)
            for body in ["", "[]", "{", "\"x\"", "null"] {
                let reply = try await client.ask(.post, "/v1/jobs", headers: signed, body: body)
                #expect(reply.status == 400, "\(body): \(reply.text)")
            }
            #expect(try await client.ask(.post, "/v1/jobs", headers: signed, body: Self.body).status == 201)
        }
        #expect(house.operations.enqueued.count == 1)
    }

    @Test func `where no destinations are configured any name is taken, as in enqueue-upload`() throws {
        let object: JSONValue = [
            "source": ["kind": "inline", "data": ""], "destination": ["name": "anywhere", "key": "a"],
        ]
        guard case .object(let fields) = object else { return }
        let new = try NewJob(fields, key: nil, at: Sample.start, among: nil) { _, _ in JobID() }
        #expect(new.job.size == 0 && new.job.enqueuedAt == Sample.start && !new.maybeRepeated)
        #expect(throws: DefinitionProblems.self) {
            try NewJob(fields, key: nil, at: Sample.start, among: [DestinationName(unchecked: "shelf")]) { _, _ in
                JobID()
            }
        }
    }

    @Test(arguments: [
        ("k", "k"), ("order 17", "order 17"), ("\"k\"", "k"), (#""a\"b\\c""#, #"a"b\c"#), ("a\"b", "a\"b"), ("\"", nil),
        ("\"a", nil), ("\"a\"b", nil), (#""a\x""#, nil), (#""a\"#, nil), ("é", nil), ("a\tb", nil),
    ])
    func `a key is a string in quotes, or bare`(header: String, key: String?) {
        #expect(IdempotencyKey.text(of: header) == key)
    }

    @Test func `a header that is no key is refused`() async throws {
        let house = try await APIHouse()
        try await house.with { client in
            for text in ["\"a", "\"\"", String(repeating: "k", count: 256)] {
                let reply = try await client.ask(.post, "/v1/jobs", headers: Self.key(text), body: Self.body)
                #expect(reply.status == 400 && reply.text.contains("Idempotency-Key"), "\(text): \(reply.text)")
            }
            var twice = try Self.key("a")
            twice.append(HTTPFields.Element(name: try #require(HTTPFields.Element.Name("Idempotency-Key")), value: "b"))
            #expect(try await client.ask(.post, "/v1/jobs", headers: twice, body: Self.body).status == 400)
            let field = "{\(Self.inline), \(Self.place), \"idempotencyKey\": \"l\"}"
            let differs = try await client.ask(.post, "/v1/jobs", headers: Self.key("k"), body: field)
            #expect(differs.status == 400 && differs.text.contains("#/idempotencyKey"))
        }
        #expect(house.operations.enqueued.isEmpty)
    }

    @Test func `a request has the fields of a job that producers set`() throws {
        let file = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .appending(path: "../../Sources/UploadsRabbitMQ/Schemas/upload.job.v1.schema.json").standardizedFileURL
        let wire = try WireJSON.decode(JSONValue.self, from: Data(contentsOf: file))
        guard case .object(let members)? = wire["$defs"]?["job"]?["properties"] else {
            Issue.record("the schema of a job has no properties")
            return
        }
        let all = try #require(try Yams.load(yaml: OpenAPIDescription.yaml) as? [String: Any])
        let schemas = try #require((all["components"] as? [String: Any])?["schemas"] as? [String: [String: Any]])
        let described = try #require(schemas["NewJob"]?["properties"] as? [String: Any])
        #expect(Set(described.keys) == Set(members.keys).subtracting(["renamedFrom"]))
    }
}
