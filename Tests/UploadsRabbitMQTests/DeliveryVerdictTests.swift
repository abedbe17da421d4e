import Foundation
import RabbitMQ
import Testing
import Uploads

@testable import UploadsRabbitMQ

@Suite struct DeliveryVerdictTests {
    private func verdict(
        _ message: Message, redelivered: Bool = false, _ entries: ControlEntry...
    ) -> DeliveryVerdict {
        let view = entries.reduce(into: ControlView()) { $0.apply($1) }
        return DeliveryVerdict(message, redelivered: redelivered, queue: .standard, view: view)
    }

    @Test func `a job is the first baton of its job`() throws {
        let job = Samples.job()
        #expect(verdict(try WireFormat.message(job: job)) == .work(Baton(job: job)))
    }

    @Test func `a baton is worked on`() throws {
        let baton = Samples.baton(generation: 2, slice: 3)
        #expect(verdict(try WireFormat.message(baton: baton)) == .work(baton))
    }

    @Test func `a redelivered or flagged one is a suspect`() throws {
        let baton = Samples.baton()
        let message = try WireFormat.message(baton: baton)
        let flagged = try WireFormat.message(baton: baton, maybeRepeated: true)
        #expect(verdict(message, redelivered: true) == .suspect(baton, reason: "redelivered"))
        #expect(verdict(flagged) == .suspect(baton, reason: "maybeRepeated"))
    }

    @Test func `a serial job that was published to a lane is a suspect, and its issued baton is worked on`() throws {
        var job = Samples.job()
        job.serial = .end
        #expect(verdict(try WireFormat.message(job: job)) == .suspect(Baton(job: job), reason: "serial"))
        let issued = Samples.baton(job, generation: 2)
        #expect(verdict(try WireFormat.message(baton: issued)) == .work(issued))
    }

    @Test func `below the fence it is superseded, suspect or not`() throws {
        let baton = Samples.baton(generation: 2)
        let fence = ControlEntry.fence([baton.job.id: 3])
        #expect(verdict(try WireFormat.message(baton: baton), fence) == .superseded(baton))
        #expect(verdict(try WireFormat.message(baton: baton), redelivered: true, fence) == .superseded(baton))
    }

    @Test func `at the fence it is worked on`() throws {
        let baton = Samples.baton(generation: 3)
        #expect(verdict(try WireFormat.message(baton: baton), .fence([baton.job.id: 3])) == .work(baton))
    }

    @Test func `a paused one goes to the handler, which has to probe before it obeys`() throws {
        let baton = Samples.baton()
        #expect(verdict(try WireFormat.message(baton: baton), .pause([baton.job.id: 1])) == .work(baton))
    }

    @Test func `a newer version waits, even when it is redelivered`() {
        let message = Message(body: Data("{}".utf8), type: "upload.baton.v2")
        #expect(verdict(message, redelivered: true) == .unsupported(type: "upload.baton.v2"))
    }

    @Test func `what is no job is dead`() {
        guard case .dead(let reason) = verdict(Message(body: Data("hello".utf8))) else {
            Issue.record("not dead")
            return
        }
        #expect(reason.contains("upload.job.v1"))
    }

    @Test func `an event in a lane is dead`() throws {
        let message = try WireFormat.message(event: UploadEvent(kind: .started, of: Samples.baton(), at: Date()))
        guard case .dead = verdict(message) else {
            Issue.record("not dead")
            return
        }
    }

    @Test func `a job of another transfer queue is dead, and told which key to use`() throws {
        let message = try WireFormat.message(job: Samples.job(queue: try QueueName("video")))
        guard case .dead(let reason) = verdict(message) else {
            Issue.record("not dead")
            return
        }
        #expect(reason.contains("'video'") && reason.contains("'default'"))
    }
}
