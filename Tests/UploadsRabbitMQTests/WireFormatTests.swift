import Foundation
import RabbitMQ
import Testing
import Uploads

@testable import UploadsRabbitMQ

@Suite struct WireFormatTests {
    static let trace = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"

    private func message(_ json: String, type: String = "upload.job.v1", contentType: String? = nil) -> Message {
        Message(body: Data(json.utf8), contentType: contentType ?? "application/json", type: type)
    }

    private func reason(_ message: Message) -> String {
        if case .unreadable(let reason) = WireFormat.read(message) { reason } else { "" }
    }

    @Test func `a job is persistent JSON under its id and type`() throws {
        let job = Samples.job()
        let message = try WireFormat.message(job: job)
        #expect(message.type == "upload.job.v1")
        #expect(message.contentType == "application/json")
        #expect(message.messageID == job.id.rawValue)
        #expect(message.isPersistent)
        #expect(message.headers.isEmpty)
        #expect(WireFormat.read(message) == .job(job))
    }

    @Test func `batons, markers, entries and events survive the wire`() throws {
        let baton = Samples.baton(generation: 3, slice: 2)
        let marker = IssueMarker(job: baton.job.id, round: 1, generation: 3)
        let entry = ControlEntry.fence([baton.job.id: 4])
        let event = UploadEvent(kind: .waiting, of: baton, at: Date(timeIntervalSince1970: 1_795_000_001))
        #expect(WireFormat.read(try WireFormat.message(baton: baton)) == .baton(baton))
        #expect(WireFormat.read(try WireFormat.message(marker: marker)) == .marker(marker))
        #expect(WireFormat.read(try WireFormat.message(entry: entry)) == .control(entry))
        #expect(WireFormat.read(try WireFormat.message(event: event)) == .event(event))
    }

    @Test func `an event is a structured CloudEvent of its type, and plain JSON is accepted`() throws {
        let event = UploadEvent(kind: .started, of: Samples.baton(), at: Date(timeIntervalSince1970: 1_795_000_001))
        var message = try WireFormat.message(event: event)
        #expect(message.type == "upload.started")
        #expect(message.contentType == "application/cloudevents+json")
        message.contentType = "application/json; charset=utf-8"
        #expect(WireFormat.read(message) == .event(event))
    }

    @Test func `a message in the batch format has one event or 64, all others are refused whole`() throws {
        let event = UploadEvent(kind: .started, of: Samples.baton(), at: Date(timeIntervalSince1970: 1_795_000_001))
        let text = String(decoding: try WireFormat.message(event: event).body, as: UTF8.self)
        func batch(_ body: String, _ contentType: String = "application/cloudevents-batch+json") -> Message {
            message(body, type: "upload.started", contentType: contentType)
        }
        func list(_ count: Int) -> String { "[" + Array(repeating: text, count: count).joined(separator: " ,\n") + "]" }
        for count in [1, 64] {
            let singles = WireFormat.singles(
                of: batch(list(count), "Application/CloudEvents-Batch+JSON; charset=utf-8"))
            #expect(singles.map(WireFormat.read) == Array(repeating: .event(event), count: count))
        }
        for body in ["[]", list(65), "{}", "", "[\(text)", "\(text)", "[\(text)]]", "[\(text)] 1"] {
            let singles = WireFormat.singles(of: batch(body))
            #expect(singles == [batch(body)])
            #expect(reason(singles[0]) == "the body is not a list of 1 to 64 events")
        }
        let foreign = message("[\(text)]", contentType: "application/cloudevents-batch+json")
        #expect(WireFormat.singles(of: foreign) == [foreign], "jobs have no batch format")
        #expect(reason(foreign).contains("expected application/json"))
        #expect(WireFormat.singles(of: batch("[\(text), \"[\"]")).map(reason).map(\.isEmpty) == [true, false])
    }

    @Test func `an event carries its trace, and another text there is ignored`() throws {
        var event = UploadEvent(kind: .started, of: Samples.baton(), at: Date(timeIntervalSince1970: 1_795_000_001))
        event.trace = TraceParent(Self.trace)
        let written = try WireFormat.message(event: event)
        #expect(WireFormat.read(written) == .event(event))
        #expect(written.headers == ["traceparent": .string(Self.trace)])
        event.trace = nil
        for other in ["\"none\"", "7", "null", "{}"] {
            let body = String(decoding: written.body, as: UTF8.self).replacing("\"\(Self.trace)\"", with: other)
            #expect(WireFormat.read(message(body, type: "upload.started")) == .event(event))
        }
    }

    @Test func `progress alone is transient`() throws {
        for kind in EventKind.allCases {
            let event = UploadEvent(kind: kind, of: Samples.baton(), at: Date())
            #expect(try WireFormat.message(event: event).isPersistent == (kind != .progress))
        }
    }

    @Test func `headers are ours alone`() throws {
        let trace = try #require(TraceParent(Self.trace))
        let message = try WireFormat.message(baton: Samples.baton(), maybeRepeated: true, trace: trace)
        #expect(message.headers == ["maybeRepeated": true, "traceparent": .string(Self.trace)])
    }

    @Test func `what is passed along loses every header of the broker`() throws {
        var delivered = try WireFormat.message(baton: Samples.baton())
        delivered.headers = [
            "x-death": [["queue": "upload.delay.03", "reason": "expired"]], "x-delivery-count": 3,
            "traceparent": .string(Self.trace), "somebody": "else",
        ]
        #expect(WireFormat.forwarded(delivered, maybeRepeated: false).headers == ["traceparent": .string(Self.trace)])
        let dead = WireFormat.deadLetter(delivered, reason: "why")
        #expect(dead.headers == ["traceparent": .string(Self.trace), "reason": "why", "somebody": "else"])
        #expect(dead.body == delivered.body && dead.type == delivered.type && dead.isPersistent)
    }

    @Test(arguments: [
        "", "00", "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7",
        "00-4BF92F3577B34DA6A3CE929D0E0E4736-00f067aa0ba902b7-01",
        "ff-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01",
        "00-00000000000000000000000000000000-00f067aa0ba902b7-01",
        "00-4bf92f3577b34da6a3ce929d0e0e4736-0000000000000000-01",
        "00-4bf92f3577b34da6a3ce929d0e0e473g-00f067aa0ba902b7-01",
    ])
    func `a trace that is not valid does not travel`(_ text: String) {
        #expect(TraceParent(text) == nil)
        var message = Message()
        message.headers["traceparent"] = .string(text)
        #expect(WireFormat.forwarded(message, maybeRepeated: false).headers.isEmpty)
    }

    @Test(arguments: [
        "upload.baton.v2", "upload.job.v10", "upload.control.v3", "upload.destination.v2", "upload.worker.v2",
    ])
    func `newer versions are recognised`(_ type: String) {
        #expect(WireFormat.read(message("{}", type: type)) == .newer(type))
    }

    @Test(arguments: ["upload.baton.v0", "upload.baton.vx", "upload.pancake.v2", "upload.baton", "baton.v2", ""])
    func `other types are none of ours`(_ type: String) {
        #expect(reason(message("{}", type: type)).contains("expected upload.job.v1"))
    }

    @Test(arguments: ["https://host/a?sig=1", "https://host/a?\u{301}sig=1"])
    func `no query of an URL is told`(_ type: String) {
        #expect(reason(message("{}", type: type)).contains("'https://host/a?…'"))
    }

    @Test func `a message without a type is told what is expected`() {
        #expect(reason(Message(body: Data("{}".utf8))).contains("'type' is missing"))
    }

    @Test func `another content type is refused`() {
        let text = reason(message("<job/>", contentType: "text/xml"))
        #expect(text.contains("text/xml") && text.contains("application/json"))
    }

    @Test(arguments: [
        ("not json", "the body is not JSON"),
        ("[]", "(the whole body)"),
        ("{}", "the field 'size' is missing"),
        (#"{"size": "big"}"#, "the field 'size' is not a whole number"),
        (#"{"size": -1}"#, "the field 'size': -1 is not in the range from 0 to 1125899906842624"),
        (#"{"size": 1, "id": "x"}"#, "the field 'id': 'x' is not a UUID"),
        (
            #"{"size": 1, "id": "4bf92f35-77b3-4da6-a3ce-929d0e0e4736", "source": {"kind": "carrier pigeon"}}"#,
            "the field 'source.kind'"
        ),
        (
            #"{"size": 1, "id": "4bf92f35-77b3-4da6-a3ce-929d0e0e4736", "source": {"kind": "inline", "data": ""}, "#
                + #""destination": {"name": "photos"}}"#, "the field 'destination.key' is missing"
        ),
    ])
    func `what is not a job is explained in one line with its field`(_ json: String, _ expected: String) {
        let text = reason(message(json))
        #expect(text.contains(expected), "\(text)")
        #expect(!text.contains("\n"))
    }

    @Test func `a credential in the wrong field is not shown`() {
        let json = """
            {"size": 1, "id": "4bf92f35-77b3-4da6-a3ce-929d0e0e4736", "source": {"kind": "inline", "data": ""}, \
            "destination": {"name": "https://s3.example.test/a?X-Amz-Signature=c0ffee", "key": ""}}
            """
        let text = reason(message(json))
        #expect(text.contains("destination.name"))
        #expect(!text.contains("c0ffee"))
        #expect(!reason(message("{}", type: "https://a.test/?X-Amz-Signature=c0ffee")).contains("c0ffee"))
    }

    @Test func `an event whose body is of another kind is refused`() throws {
        var message = try WireFormat.message(event: UploadEvent(kind: .started, of: Samples.baton(), at: Date()))
        message.type = "upload.completed"
        #expect(reason(message).contains("upload.started"))
    }

    @Test func `fields of a newer producer are handed on`() throws {
        var job = Samples.job()
        job.unknown = ["colour": "red"]
        let once = try WireFormat.message(job: job)
        guard case .job(let read) = WireFormat.read(once) else { throw CancellationError() }
        let baton = try WireFormat.message(baton: Baton(job: read))
        #expect(String(decoding: baton.body, as: UTF8.self).contains(#""colour":"red""#))
    }

    @Test func `a number that JSON cannot say is an error, not a crash`() {
        var baton = Samples.baton()
        baton.activeSeconds = .infinity
        let error = #expect(throws: UploadError.self) { try WireFormat.message(baton: baton) }
        #expect(error?.code == .misconfigured)
    }

    @Test func `a pre-signed URL's query is in the baton, and in no event, routing key or header`() throws {
        let baton = Samples.baton(Samples.presigned(), generation: 2, slice: 1)
        let message = try WireFormat.message(baton: baton)
        #expect(String(decoding: message.body, as: UTF8.self).contains(Samples.secret))
        #expect(!String(describing: message.headers).contains(Samples.secret))
        for kind in EventKind.allCases where kind != .suspect {
            let event = UploadEvent(kind: kind, of: baton, at: Date())
            let told = try WireFormat.message(event: event)
            #expect(!String(decoding: told.body, as: UTF8.self).contains(Samples.secret), "\(kind)")
            #expect(!String(describing: told.headers).contains(Samples.secret))
            #expect(event.routingKey.hasSuffix(".default.https.\(event.job.id.digitText)"))
        }
    }
}
