import Foundation
import RabbitMQ
import Testing
import Uploads

@testable import UploadsRabbitMQ

/// A message that the ledger keeps because it cannot record it can be published again unchanged.
@Suite struct MessageCopyTests {
    private static let time = Date(timeIntervalSince1970: 1_795_000_000)

    private static let messages: [NotifierMessage] = {
        let job = Samples.job()
        var serial = Samples.job()
        serial.serial = .end
        let baton = Samples.baton(job, generation: 2, slice: 1)
        return [
            .job(job, maybeRepeated: false), .job(serial, maybeRepeated: true),
            .event(UploadEvent(kind: .completed, of: baton, at: time)),
            .event(UploadEvent(kind: .suspect, of: baton, at: time)),
            .marker(IssueMarker(job: job.id, round: 1, generation: 2)),
            .order(UploadOrder(.jobs(.pause, [job.id]), by: "jo", at: time), replyTo: nil),
        ]
    }()

    @Test(arguments: messages) func `a copy is read as the message that it was`(message: NotifierMessage) throws {
        let copy = try MessageCopy(message, Samples.topology())
        var again = NotifierMessage(copy.envelope.message(copy.body), nil)
        // The mark of a possible repeat is set anew when the message is published again.
        switch (message, again) {
        case (.job(_, let maybeRepeated, _), .job(let job, _, _)): again = .job(job, maybeRepeated: maybeRepeated)
        case (_, .event(let event, _)): again = .event(event)
        default: break
        }
        #expect(again == message)
        let letter = UnreadableMessage(
            id: 1, at: Self.time, reason: "why", body: copy.body, envelope: copy.envelope)
        let route = try DeadLetterRoute(letter, try Samples.topology())
        if case .job(let job, _, _) = message, job.serial == nil {
            #expect(route.exchange == "upload.submit" && route.flagsRepeats)
        } else {
            #expect(route.exchange.isEmpty && route.routingKey == "upload.notifier.0")
        }
    }

    @Test func `a dead baton goes to its lane again`() throws {
        let baton = Samples.baton(generation: 3)
        let copy = try MessageCopy(.deadBaton(baton, .other("why")), Samples.topology())
        let letter = UnreadableMessage(id: 1, at: Self.time, reason: "why", body: copy.body, envelope: copy.envelope)
        #expect(WireFormat.read(copy.envelope.message(copy.body)) == .baton(baton))
        #expect(try DeadLetterRoute(letter, try Samples.topology()).exchange == "upload.jobs")
    }

    @Test func `the body is kept as it came`() throws {
        let body = Data(#"{"theirs": 1}"#.utf8)
        let copy = try MessageCopy(.job(Samples.job(), maybeRepeated: false, body: body), Samples.topology())
        #expect(copy.body == body && copy.envelope.type == "upload.job.v1" && !copy.envelope.isRedacted)
        var event = UploadEvent(kind: .completed, of: Samples.baton(), at: Self.time)
        event.data.baton.activeSeconds = .infinity
        #expect(try MessageCopy(.event(event, body: body), Samples.topology()).body == body)
        let bodiless = try MessageCopy(.event(event), Samples.topology())
        #expect(bodiless.envelope.isRedacted && bodiless.envelope.type == event.kind.type)
    }
}
