import Foundation
import RabbitMQ
import Testing
import Uploads

@testable import UploadsRabbitMQ

@Suite struct NotifierMessageTests {
    let baton = Samples.baton(generation: 2, slice: 1)

    private func dead(_ message: Message, _ death: Table? = nil, reason: String? = nil) -> NotifierMessage {
        var message = message
        if let death { message.headers["x-death"] = .array([.table(death)]) }
        if let reason { message.headers["reason"] = .string(reason) }
        return NotifierMessage(dead: message, notifierQueue: "upload.notifier")
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

    @Test func `a baton past its delivery limit is a dead baton that says so`() throws {
        let message = try WireFormat.message(baton: baton)
        let death: Table = ["queue": "upload.jobs.default.normal", "reason": "delivery_limit"]
        #expect(dead(message, death) == .deadBaton(baton, reason: "it was delivered 20 times and never settled"))
    }

    @Test func `a baton whose lane is gone says so`() throws {
        let message = try WireFormat.message(baton: baton)
        let death: Table = ["queue": "upload.delay.00", "reason": "expired"]
        guard case .deadBaton(baton, let reason) = dead(message, death) else {
            Issue.record("no dead baton")
            return
        }
        #expect(reason.contains("transfer queue does not exist"))
    }

    @Test func `a worker's reason is kept`() throws {
        let job = Samples.job()
        #expect(dead(try WireFormat.message(job: job), reason: "why") == .deadBaton(Baton(job: job), reason: "why"))
        #expect(dead(Message(body: Data([1])), reason: "why") == .unreadable(Data([1]), reason: "why"))
    }

    @Test func `a record that died in the notifier's own queue is still owed`() throws {
        let job = Samples.job()
        let death: Table = ["queue": "upload.notifier", "reason": "delivery_limit"]
        let message = try WireFormat.message(job: job)
        #expect(dead(message, death) == .job(job, maybeRepeated: false, body: message.body))
    }
}
