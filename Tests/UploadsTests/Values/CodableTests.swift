import Foundation
import Testing
import UploadTesting

@testable import Uploads

@Suite struct CodableTests {
    func roundTrip<Value: Codable & Equatable>(_ value: Value) throws {
        let data = try WireJSON.encode(value)
        #expect(try WireJSON.decode(Value.self, from: data) == value)
        #expect(try data == FoundationJSON.encode(value))
        // Without Foundation's coders.
        #expect(try JSONReader(text: JSONText(data), index: 0).value(Value.self) == value)
    }

    var job: UploadJob {
        var job = UploadJob(
            priority: .urgent,
            source: .file(
                path: "/in/ä b+c.txt",
                identity: FileIdentity(
                    modifiedAt: FileTime(nanoseconds: 1_700_000_000_123_456_789), inode: 7, fileSystem: 9)),
            destination: .named(DestinationName(unchecked: "photos"), key: "x/y"), contentType: "image/jpeg", size: 5,
            digests: Digests(sha256: "ab", crc64nvme: "cd"), metadata: ["a": "1"], retry: RetryPolicy(maxAttempts: 3),
            enqueuedAt: Date(timeIntervalSince1970: 1_800_000_000.125))
        job.properties = ObjectProperties(
            cacheControl: "no-store", contentDisposition: "inline", contentEncoding: "gzip", contentLanguage: "de",
            storageClass: "GLACIER", tags: ["k": "v"])
        job.ifExists = .fail
        job.batch = "b"
        job.client = "gallery"
        job.idempotencyKey = "k"
        job.notBefore = Date(timeIntervalSince1970: 1_800_000_100)
        job.expiresAt = Date(timeIntervalSince1970: 1_800_000_200)
        return job
    }

    @Test func `jobs, batons, events, outcomes' parts and control entries survive the wire`() throws {
        try roundTrip(job)
        var baton = Baton(job: job, round: 2, generation: 3)
        baton.slice = 4
        baton.attempts = 1
        baton.idleWaits = 2
        baton.state = UploadState(
            driver: "s3", payload: ["id": "u", "n": 3, "ok": true, "l": ["a", 1]], checksums: FuzzSamples.checksums)
        baton.failures = [FailureRecord(at: job.enqueuedAt, attempt: 1, error: UploadError(.rateLimited, "slow"))]
        baton.isCancel = true
        baton.runsAlone = true
        baton.onlyRemovesCopy = true
        baton.bytesSent = 1 << 40
        baton.activeSeconds = 1.5
        baton.startedAt = job.enqueuedAt
        try roundTrip(baton)
        var event = UploadEvent(
            outcome: .completed(
                StoredObject(
                    location: "l", etag: "e", version: "v", size: 5, isOvertaken: true, isKept: true,
                    isServerSideCopy: true),
                response: ServerResponse(status: 201, headers: ["etag": "e"], body: Data("ok".utf8))), of: baton,
            at: job.enqueuedAt)
        try roundTrip(event)
        event = UploadEvent(
            outcome: .failed(UploadError(.rateLimited, "m", retry: .after(seconds: 3)), state: nil), of: baton,
            at: job.enqueuedAt)
        try roundTrip(event)
        var piece = SnapshotPiece(of: UUID(), number: 2, count: 3)
        piece.fences = [job.id: 4]
        piece.pauses = [job.id: 5]
        piece.stoppedQueues = [.standard]
        piece.drainedWorkers = ["host/1-a"]
        piece.ledger = LedgerClaim(ledger: UUID(), term: 3, opening: UUID())
        for entry in [
            ControlEntry.fence([job.id: 4]), .pause([job.id: 5]), .lift([job.id]), .queueStopped(.standard),
            .queueStarted(.standard), .workerDrained("host/1-a"), .workerResumed("host/1-a"), .snapshotBegins(UUID()),
            .snapshot(piece),
            .ledger(LedgerClaim(ledger: UUID(), term: 2, opening: UUID())), .marker(UUID()),
        ] { try roundTrip(entry) }
        for source in [SourceReference.staged(area: "a", name: "n"), .inline(Data("hello".utf8))] {
            try roundTrip(source)
        }
        for retry in [UploadError.Retry.never, .afterBackoff, .after(seconds: 2.5), .notYet(seconds: 7)] {
            try roundTrip(UploadError(.unknown, "m", retry: retry))
        }
    }

    @Test func `a producer may leave out what has a default`() throws {
        let text = """
            {"id": "01234567-89ab-7def-8123-456789abcdef", "source": {"kind": "inline", "data": "aGk="},
             "destination": {"url": "https://h.example/x"}, "size": 2, "enqueuedAt": "2026-11-21T08:00:00Z"}
            """
        let job = try WireJSON.decode(UploadJob.self, from: Data(text.utf8))
        #expect(job.queue == .standard)
        #expect(job.priority == .normal)
        #expect(job.contentType == "application/octet-stream")
        #expect(job.retry == nil)
        #expect(job.digests == Digests())
        #expect(job.metadata == [:])
        #expect(job.ifExists == .replace)
        #expect(!String(decoding: try WireJSON.encode(job), as: UTF8.self).contains("ifExists"))
        #expect(job.properties.isEmpty)
        #expect(!String(decoding: try WireJSON.encode(job), as: UTF8.self).contains("properties"))
        #expect(
            job.notBefore == nil && job.expiresAt == nil && job.batch == nil && job.client == nil
                && job.idempotencyKey == nil)
        #expect(job.enqueuedAt == Date(timeIntervalSince1970: 1_795_248_000))
    }

    @Test func `fields of a newer version are kept and handed on`() throws {
        var object = try #require(
            try JSONSerialization.jsonObject(with: WireJSON.encode(Baton(job: job))) as? [String: Any])
        object["future"] = ["a": [1, true, NSNull(), "x", 1.5]]
        var inner = try #require(object["job"] as? [String: Any])
        inner["colour"] = "blue"
        object["job"] = inner
        let baton = try WireJSON.decode(Baton.self, from: JSONSerialization.data(withJSONObject: object))
        #expect(baton.unknown["future"]?["a"] == [1, true, .null, "x", .number(1.5)])
        #expect(baton.job.unknown == ["colour": "blue"])
        let again = try WireJSON.decode(Baton.self, from: WireJSON.encode(baton))
        #expect(again == baton)
        #expect(String(decoding: try WireJSON.encode(baton), as: UTF8.self).contains(#""colour":"blue""#))
    }

    @Test(arguments: [
        ("size", "-1"), ("size", "3"), ("id", #""x""#), ("queue", #""No Queue""#), ("priority", #""now""#),
        ("enqueuedAt", #""yesterday""#), ("source", #"{"kind": "ftp"}"#), ("destination", "{}"),
        ("ifExists", #""maybe""#), ("ifExists", "true"), ("properties", #"{"tags": {"a": 1}}"#),
    ])
    func `a message that is not a job is refused`(field: String, value: String) throws {
        var fields = [
            "id": #""01234567-89ab-7def-8123-456789abcdef""#, "source": #"{"kind": "inline", "data": "aGk="}"#,
            "destination": #"{"url": "https://h.example/x"}"#, "size": "2", "enqueuedAt": #""2026-11-21T08:00:00Z""#,
        ]
        fields[field] = value
        let text = "{" + fields.map { "\"\($0.key)\": \($0.value)" }.joined(separator: ", ") + "}"
        #expect(throws: DecodingError.self) { try WireJSON.decode(UploadJob.self, from: Data(text.utf8)) }
    }

    @Test func `what an earlier version wrote of an object is read`() throws {
        let text = #"{"location": "l", "digests": {}, "isOvertaken": true}"#
        let object = try WireJSON.decode(StoredObject.self, from: Data(text.utf8))
        #expect(object == StoredObject(location: "l", isOvertaken: true))
    }

    @Test func `an error of a code that this version does not know is unknown`() throws {
        let error = try WireJSON.decode(UploadError.self, from: Data(#"{"code": "quantum", "message": "m"}"#.utf8))
        #expect(error.code == .unknown)
        #expect(error.retry == .afterBackoff)
    }

    @Test func `times keep their milliseconds`() throws {
        let date = Date(timeIntervalSince1970: 1_795_248_000.125)
        #expect(WireJSON.timestamp(date) == "2026-11-21T08:00:00.125Z")
        // A program that reads and writes it again loses nothing, however often a baton changes hands.
        for millisecond in 0..<1000 {
            let text = "2026-11-21T08:21:58." + String(1000 + millisecond).dropFirst() + "Z"
            #expect(WireJSON.date(text).map(WireJSON.timestamp) == text)
        }
        #expect(WireJSON.date("2026-11-21T08:00:00.125Z") == date)
        #expect(WireJSON.date("2026-11-21T09:00:00+01:00") == Date(timeIntervalSince1970: 1_795_248_000))
        #expect(WireJSON.date("soon") == nil)
    }
}
