import Foundation
import RabbitMQ
import Testing
import Uploads

@testable import UploadsRabbitMQ

@Suite struct DeadLetterRouteTests {
    private func letter(
        _ message: Message, queue: String? = nil, exchange: String? = nil, key: String? = nil
    ) -> UnreadableMessage {
        UnreadableMessage(
            id: 7, at: Date(timeIntervalSince1970: 1_795_000_000), reason: "why", body: message.body,
            envelope: MessageEnvelope(message, queue: queue, exchange: exchange, routingKey: key))
    }

    private func route(_ letter: UnreadableMessage) throws -> DeadLetterRoute {
        try DeadLetterRoute(letter, try Samples.topology())
    }

    private func refusal(_ letter: UnreadableMessage) throws -> String? {
        let topology = try Samples.topology()
        do throws(UploadError) {
            _ = try DeadLetterRoute(letter, topology)
            return nil
        } catch {
            #expect(error.code == .rejected)
            return error.message
        }
    }

    @Test func `what can be read by now goes where it says, whatever it came from`() throws {
        let video = try QueueName("video")
        let job = Samples.job(queue: video, priority: .bulk)
        let ordinary = try route(letter(try WireFormat.message(job: job), queue: "upload.jobs.other.normal"))
        #expect(ordinary.exchange == "upload.submit" && ordinary.routingKey == "video.bulk.\(job.id.digitText)")
        #expect(ordinary.lanes == video && ordinary.flagsRepeats)
        var serial = job
        serial.serial = .end
        let inLine = try route(letter(try WireFormat.message(job: serial)))
        #expect(inLine.exchange.isEmpty && inLine.routingKey == "upload.notifier.0")
        // A baton that came to the notifier by mistake.
        var baton = Samples.baton(job, generation: 3)
        baton.state = UploadState(driver: "s3", payload: ["upload": "x"])
        let onward = try route(letter(try WireFormat.message(baton: baton), queue: "upload.notifier.0", exchange: ""))
        #expect(onward.exchange == "upload.jobs" && onward.routingKey == "video.continued" && onward.flagsRepeats)
    }

    @Test func `events, markers and orders go to the notifier alone`() throws {
        for type in ["upload.completed", "upload.marker.v1", "upload.order.v1"] {
            let message = Message(body: Data("{".utf8), type: type)
            let route = try route(letter(message, queue: "upload.jobs.default.normal"))
            #expect(route.exchange.isEmpty && route.routingKey == "upload.notifier.0" && !route.flagsRepeats, "\(type)")
        }
    }

    @Test(arguments: [
        ("upload.jobs.video.bulk", "", "x", "upload.jobs", "video.bulk"),
        ("upload.notifier.0", "upload.submit", "video.normal.7", "upload.submit", "video.normal.7"),
        ("upload.notifier.0", "", "upload.notifier.0", "", "upload.notifier.0"),
        ("upload.notifier.0", "theirs", "k", "", "upload.notifier.0"),
        ("upload.delay.00", "upload.delay.03", "0.1.0.video.urgent.c", "upload.jobs", "video.urgent"),
        // Of a message that an earlier version let wait.
        ("upload.delay.00", "upload.delay.03", "0.1.0.video.bulk", "upload.jobs", "video.bulk"),
        ("", "upload.due", "0.1.video.urgent.3", "upload.jobs", "video.urgent"),
    ])
    func `what cannot be read goes back to where it was`(
        queue: String, exchange: String, key: String, expected: String, routingKey: String
    ) throws {
        for type in ["upload.job.v1", "upload.baton.v1", "upload.job.v2", "theirs", nil] {
            let message = Message(body: Data([0xFF, 0x00]), type: type)
            let route = try route(letter(message, queue: queue.isEmpty ? nil : queue, exchange: exchange, key: key))
            #expect(route.exchange == expected && route.routingKey == routingKey, "\(type ?? "none")")
        }
    }

    @Test func `what must not or cannot be published again is refused with what to do`() throws {
        let nonsense = Message(body: Data("?".utf8), type: "theirs")
        // No header names its origin, or a stranger's header does.
        #expect(try refusal(letter(nonsense, exchange: "upload.dead"))?.contains("where it belongs") == true)
        #expect(try refusal(letter(nonsense, queue: "their.queue"))?.contains("where it belongs") == true)
        let control = try WireFormat.message(entry: .queueStopped(.standard))
        #expect(try refusal(letter(control, queue: "upload.notifier.0"))?.contains("give the order again") == true)
        let answer = try WireFormat.message(answer: OrderAnswer(order: UUID()))
        #expect(try refusal(letter(answer, queue: "upload.notifier.0"))?.contains("discard it") == true)
        var old = letter(nonsense, queue: "upload.notifier.0")
        old.envelope = nil
        #expect(try refusal(old)?.contains("earlier version") == true)
        var redacted = letter(nonsense, queue: "upload.notifier.0")
        redacted.envelope?.isRedacted = true
        #expect(try refusal(redacted)?.contains("without its secrets") == true)
        var cut = letter(nonsense, queue: "upload.notifier.0")
        cut.size = 5 << 20
        #expect(try refusal(cut)?.contains("5242880 bytes") == true)
    }

    @Test func `a dead letter keeps what the message was, and not what the broker added`() throws {
        var message = Message(body: Data([0, 0xFF]), contentType: "application/x-theirs", type: "theirs")
        message.correlationID = "c"
        message.contentEncoding = "gzip"
        let own: Table = [
            "traceparent": "00-1-2-01", "tenant": "acme", "count": .int32(3), "blob": .bytes(Data([1, 0xFE])),
            "when": .timestamp(Date(timeIntervalSince1970: 1_795_000_000)), "list": ["a", true, nil],
            "table": ["deep": 2.5], "endless": .double(.infinity),
        ]
        message.headers = own.merging([
            "x-death": [.table(["queue": "upload.jobs.default.normal"])], "x-first-death-queue": "q",
            "CC": ["elsewhere"],
            "maybeRepeated": true,
        ]) { $1 }
        let aside = WireFormat.deadLetter(message, reason: "why", from: "upload.jobs.default.bulk")
        #expect(aside.headers["x-death"] == nil && aside.headers["CC"] == nil)
        let envelope = MessageEnvelope(dead: aside, exchange: "", routingKey: "upload.dead")
        #expect(envelope.queue == "upload.jobs.default.bulk" && envelope.replayOf == nil)
        // Through the ledger.
        let kept = try WireJSON.decode(MessageEnvelope.self, from: try WireJSON.encode(envelope))
        let again = kept.message(message.body)
        var expected = own
        expected["count"] = .int64(3)
        expected["endless"] = "inf"
        #expect(again.headers == expected)
        #expect(again.type == "theirs" && again.contentType == "application/x-theirs" && again.isPersistent)
        #expect(again.correlationID == "c" && again.contentEncoding == "gzip" && again.body == message.body)
    }
}
