import Foundation
import RabbitMQ
import Testing
import UploadTesting
import Uploads

@testable import UploadsRabbitMQ

@Suite(.timeLimit(.minutes(10))) struct DelegateInboxTests {
    private static func outcome() -> UploadEvent {
        UploadEvent(kind: .completed, of: Samples.baton(), at: Date(timeIntervalSince1970: 0)).asOutcome
    }

    private static func put(_ count: Int, by broker: UploadBroker) async throws -> [String] {
        var ids: [String] = []
        for _ in 0..<count {
            let outcome = outcome()
            try await broker.put(try WireFormat.message(event: outcome).body, of: outcome, into: "app")
            ids.append(outcome.id)
        }
        return ids
    }

    @Test func `what lies in the queue is taken in order, and what is refused lies there again`() async throws {
        try await Rig.run { rig in
            let broker = try await rig.broker()
            let objects = rig.topology.delegate("app")
            rig.atEnd { try? await rig.connection.delete(objects) }
            let inbox = try await broker.inbox(of: "app")
            var pass = try await inbox.pass { _ in true }
            #expect(pass == DelegateInbox.Pass())
            let ids = try await Self.put(3, by: broker)
            let seen = Box<[String]>([])
            pass = try await inbox.pass { event in
                seen.change { $0.append(event.id) }
                return seen.value.count < 2
            }
            #expect(pass.taken == 1 && pass.isRefused)
            // Put back without waiting.
            try await eventually("the rest lies there") {
                try await rig.channel.messageCount(of: rig.topology.delegateQueue("app")) == 2
            }
            pass = try await inbox.pass { event in
                seen.change { $0.append(event.id) }
                return true
            }
            #expect(pass.taken == 2 && !pass.isRefused)
            #expect(seen.value == [ids[0], ids[1], ids[1], ids[2]])
            await inbox.close()
            #expect(try await rig.channel.messageCount(of: rig.topology.delegateQueue("app")) == 0)
        }
    }

    @Test func `what is no outcome is dropped, and a queue that was deleted is made again`() async throws {
        try await Rig.run { rig in
            let broker = try await rig.broker()
            let objects = rig.topology.delegate("app")
            rig.atEnd { try? await rig.connection.delete(objects) }
            let inbox = try await broker.inbox(of: "app")
            _ = try await inbox.pass { _ in true }
            let queue = rig.topology.delegateQueue("app")
            try await rig.channel.publish(Message(body: Data("nonsense".utf8)), to: "", routingKey: queue)
            let id = try await Self.put(1, by: broker)
            let pass = try await inbox.pass { event in [event.id] == id }
            #expect(pass.taken == 1)
            try await rig.connection.delete(objects)
            await #expect(throws: UploadError.self) { try await inbox.pass { _ in true } }
            #expect(try await inbox.pass { _ in true } == DelegateInbox.Pass())
        }
    }

    @Test func `a watch hears of steps where that is asked for`() async throws {
        try await Rig.run { rig in
            let broker = try await rig.broker()
            let watch = try await broker.watch(.standard, steps: true)
            rig.atEnd { await watch.close() }
            let handler = TestHandler { _ in
                .wait(
                    until: Date(timeIntervalSinceNow: 3600),
                    reason: .limited(UploadError(.rateLimited, "a limit holds it up: wait")), state: nil)
            }
            try await rig.serve(try await rig.worker(), handler)
            let job = Samples.job()
            try await broker.submitter(for: .standard).submit(job)
            var events = watch.makeAsyncIterator()
            let event = try await events.next()
            #expect(event?.kind == .waiting && event?.job.id == job.id)
        }
    }
}
