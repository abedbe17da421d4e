import Foundation
import Testing

@testable import Uploads

/// Whatever a server or a driver says, readers accept what the programs of this project write of it.
@Suite struct WrittenBoundsTests {
    private let long = String(repeating: "ä", count: 100_000)

    private func reread<Value: Codable>(_ value: Value) throws -> Value {
        try WireJSON.decode(Value.self, from: WireJSON.encode(value))
    }

    private var baton: Baton {
        Baton(job: UploadJob(source: .inline(Data()), destination: .url("https://host.example/a"), size: 0))
    }

    @Test func `an object of a size below nothing has none, and of more than there can be the most`() throws {
        var object = StoredObject(location: "/a", size: -1)
        #expect(object.size == nil)
        object.size = .min
        #expect(try reread(object).size == nil)
        object.size = .max
        #expect(try reread(object).size == WireLimits.sizeMaximum)
    }

    @Test func `an object keeps the beginning of its location, and no tag that cannot be carried`() throws {
        var object = StoredObject(location: long, etag: long, version: long)
        #expect(object.location.unicodeScalars.count == WireLimits.pathLengthMaximum)
        #expect(object.etag == nil && object.version == nil)
        object.location = long
        (object.etag, object.version) = (long, long)
        #expect(try reread(object) == object && object.etag == nil && object.version == nil)
        object.etag = String(repeating: "e", count: WireLimits.nameLengthMaximum)
        #expect(try reread(object).etag == object.etag && object.etag != nil)
    }

    @Test func `an answer keeps the headers and the text that a message may carry`() throws {
        let headers = Dictionary(
            uniqueKeysWithValues: (0..<100).map { (String(format: "x-%03d", $0), "\(long.prefix(500))") })
        var response = ServerResponse(
            status: 200, headers: headers, body: Data(repeating: 0xFF, count: 2 * ServerResponse.bodyBytesMaximum))
        #expect(response.headers.count > 50 && response.headers.count < 100 && response.headers["x-000"] != nil)
        #expect(try reread(response) == response)
        response.headers = headers.merging(["a": long]) { $1 }
        response.body = long
        #expect(response.headers == [:] || response.headers["a"] == nil)
        #expect(try reread(response) == response)
    }

    @Test func `sentences are cut`() throws {
        #expect(
            try reread(UploadError(.rejected, long)).message.unicodeScalars.count == WireLimits.messageLengthMaximum)
        var data = EventData(baton)
        data.reason = long
        #expect(try reread(data).reason?.unicodeScalars.count == WireLimits.nameLengthMaximum)
        #expect(try reread(OrderAnswer.Job(id: JobID(), reason: long)).reason?.hasSuffix("ä…") == true)
        let answer = try reread(OrderAnswer(order: UUID(), notRecorded: long))
        #expect(answer.reason?.unicodeScalars.count == WireLimits.messageLengthMaximum)
        var item = SweepReport.Item(name: long, sessionID: long, since: Date(timeIntervalSince1970: 0), reason: long)
        item.reason = long
        #expect(try reread(item) == item)
    }

    @Test(arguments: [-1e9, -1, 253_402_300_800, 1e15, 1e300, .infinity, -.infinity, .nan])
    func `a time that no message can carry is written as the nearest`(seconds: Double) throws {
        let date = Date(timeIntervalSince1970: seconds)
        let text = WireJSON.timestamp(date)
        #expect(text == (seconds > 0 ? "9999-12-31T23:59:59.999Z" : "1970-01-01T00:00:00.000Z"))
        var baton = baton
        baton.triedSince = date
        #expect(try reread(baton).triedSince == WireJSON.date(text))
    }

    @Test func `a content type that is too long for a job is not taken from an object`() throws {
        var job = baton.job
        job.source = .object(.url("https://host.example/a"), seen: nil)
        let object = StoredObject(location: "/a", size: 5)
        #expect(job.examined(as: object, contentType: "a/\(long)").contentType == ContentType.unknown)
        #expect(job.examined(as: object, contentType: "a/b").contentType == "a/b")
    }

    @Test func `a job whose place has the longest name has no other place beside it`() {
        var job = baton.job
        let key = String(repeating: "k", count: WireLimits.pathLengthMaximum)
        job.destination = .named(DestinationName(unchecked: "photos"), key: key)
        #expect(job.renamed == nil)
        job.destination = .named(DestinationName(unchecked: "photos"), key: String(key.dropLast(2)))
        #expect(job.renamed != nil)
    }

    @Test func `rows of the ledger have the bounds of messages`() throws {
        let job = LedgerJob(baton, isWhole: true, at: Date(timeIntervalSince1970: 0))
        func isRead(_ name: String, _ value: String) throws -> Bool {
            guard case .object(var fields) = try WireJSON.decode(JSONValue.self, from: WireJSON.encode(job)) else {
                return false
            }
            fields[name] = try WireJSON.decode(JSONValue.self, from: Data(value.utf8))
            return (try? WireJSON.decode(LedgerJob.self, from: WireJSON.encode(JSONValue.object(fields)))) != nil
        }
        for (name, most) in [
            ("poisonCount", Int64(WireLimits.countMaximum)), ("pausedThrough", Int64(WireLimits.countMaximum)),
            ("initialBytesSent", WireLimits.bytesSentMaximum),
        ] {
            #expect(try isRead(name, "\(most)") && !isRead(name, "\(most + 1)") && !isRead(name, "-1"), "\(name)")
        }
        #expect(try isRead("drops", #"{"count": 1000000000, "undelivered": 0}"#))
        #expect(try !isRead("drops", #"{"count": 1000000001, "undelivered": 0}"#))
        #expect(try !isRead("reason", "\"\(long)\"") && !isRead("trouble", "\"\(long)\""))
        #expect(try !isRead("end", #"{"kind": "failed", "event": "\#(long)", "at": "2026-11-21T08:00:00Z"}"#))
    }

    @Test func `what is counted in a row stays within its bounds`() {
        var tally = DropTally()
        for _ in 0..<3 { tally.add(.deliveryLimit) }
        #expect(tally.count == 3 && tally.undelivered == 3)
        var count = WireLimits.countMaximum - 1
        for _ in 0..<3 { count.advance() }
        #expect(count == WireLimits.countMaximum)
    }
}
