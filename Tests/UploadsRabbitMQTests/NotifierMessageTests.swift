import Foundation
import RabbitMQ
import Testing
import Uploads

@testable import UploadsRabbitMQ

@Suite struct NotifierMessageTests {
    let baton = Samples.baton(generation: 2, slice: 1)
    let topology: UploadTopology
    init() throws { topology = try UploadTopology(namespace: "upload") }

    private func dead(_ message: Message, _ death: Table? = nil, reason: String? = nil) -> NotifierMessage {
        var message = message
        if let death { message.headers["x-death"] = .array([.table(death)]) }
        if let reason { message.headers["reason"] = .string(reason) }
        return NotifierMessage(dead: message, topology)
    }

    @Test func `jobs, events and markers are told apart`() throws {
        let job = Samples.job()
        let event = UploadEvent(kind: .started, of: baton, at: Date(timeIntervalSince1970: 1_795_000_000))
        let marker = IssueMarker(job: job.id, round: 1, generation: 1)
        let sure = try WireFormat.message(job: job)
        #expect(NotifierMessage(sure) == .job(job, maybeRepeated: false, body: sure.body))
        let unsure = try WireFormat.message(job: job, maybeRepeated: true)
        #expect(NotifierMessage(unsure) == .job(job, maybeRepeated: true, body: unsure.body))
        let message = try WireFormat.message(event: event)
        #expect(NotifierMessage(message) == .event(event, body: message.body))
        #expect(NotifierMessage(try WireFormat.message(marker: marker)) == .marker(marker))
    }

    @Test func `what cannot be read is kept with the reason`() {
        let body = Data("hello".utf8)
        guard case .unreadable(body, let reason, _) = NotifierMessage(Message(body: body)) else {
            Issue.record("not unreadable")
            return
        }
        #expect(reason.contains("upload.job.v1"))
    }

    @Test func `a baton says of what it died`() throws {
        let message = try WireFormat.message(baton: baton)
        let lane = "upload.jobs.default.normal"
        for (word, cause) in [
            ("delivery_limit", DeathCause.deliveryLimit), ("expired", .expired(queue: lane)),
            ("maxlen", .overflowed(queue: lane)),
        ] {
            #expect(dead(message, ["queue": .string(lane), "reason": .string(word)]) == .deadBaton(baton, cause))
        }
        for word in ["rejected", "new word"] {
            let letter = dead(message, ["queue": .string(lane), "reason": .string(word)])
            guard case .deadBaton(baton, .other(let reason)) = letter else {
                Issue.record("\(letter)")
                continue
            }
            #expect(reason.contains(word))
        }
    }

    @Test func `a baton whose lane is gone says so, after a wait and without one`() throws {
        let message = try WireFormat.message(baton: baton)
        #expect(dead(message, ["queue": "upload.delay.00", "reason": "expired"]) == .deadBaton(baton, .noLane))
        #expect(dead(message) == .deadBaton(baton, .noLane))
    }

    @Test func `what another program writes into a header is bounded`() throws {
        let message = try WireFormat.message(baton: baton)
        let long = String(repeating: "x", count: 100_000)
        for letter in [
            dead(message, reason: long), dead(message, ["reason": .string(long)]),
            dead(message, ["queue": .string(long), "reason": "expired"]),
        ] {
            guard case .deadBaton(baton, let cause) = letter else {
                Issue.record("\(letter)")
                continue
            }
            #expect(cause.reason.utf8.count <= WireFormat.reasonBytesMaximum)
        }
    }

    @Test func `a worker's reason is kept`() throws {
        let job = Samples.job()
        #expect(dead(try WireFormat.message(job: job), reason: "why") == .deadBaton(Baton(job: job), .other("why")))
        #expect(dead(Message(body: Data([1])), reason: "why") == .unreadable(Data([1]), reason: "why"))
    }

    @Test func `a record that died in the notifier's own queue is still owed`() throws {
        let job = Samples.job()
        let death: Table = ["queue": "upload.notifier.0", "reason": "delivery_limit"]
        let message = try WireFormat.message(job: job)
        #expect(dead(message, death) == .job(job, maybeRepeated: false, body: message.body))
    }

    @Test func `a question that expired asks for no answer`() throws {
        let order = UploadOrder(.ask([JobID()]), by: "app", at: Date(timeIntervalSince1970: 1_795_000_000))
        let message = try WireFormat.message(order: order, replyTo: "upload.answer.gone")
        let death: Table = ["queue": "upload.notifier.0", "reason": "expired"]
        #expect(dead(message, death) == .order(order, replyTo: nil))
    }
}
