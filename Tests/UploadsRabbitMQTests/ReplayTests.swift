import Foundation
import RabbitMQ
import Testing
import UploadTesting
import Uploads

@testable import UploadsRabbitMQ

@Suite(.timeLimit(.minutes(10))) struct ReplayTests {
    /// The letter as the ledger would keep it.
    private func letter(_ message: NotifierMessage) throws -> UnreadableMessage {
        guard case .unreadable(let body, let reason, let envelope) = message else {
            throw UploadError(.unknown, "it was read: \(message)")
        }
        return UnreadableMessage(id: 7, at: Date(), reason: reason, body: body, envelope: envelope)
    }

    private func nextLetter(_ probe: NotifierProbe, after count: Int) async throws -> UnreadableMessage {
        try await eventually("a letter") { probe.messages.value.count > count }
        return try letter(probe.messages.value[count])
    }

    @Test func `what is still unreadable comes back with the number of what it was`() async throws {
        try await Rig.run { rig in
            try await rig.serve(try await rig.worker(), TestHandler(TestHandler.completing))
            let probe = try await rig.notifier()
            let broker = try await rig.broker()
            var message = Message(body: Data([0xFF, 0, 1]), contentType: "application/json", type: "upload.baton.v1")
            message.headers["tenant"] = "acme"
            try await rig.put(message, lane: .bulk)
            let first = try await nextLetter(probe, after: 0)
            #expect(first.envelope?.queue == rig.topology.laneQueue(.standard, .bulk))
            let place = try await broker.replay(first)
            #expect(place == "the lane default.bulk")
            let second = try await nextLetter(probe, after: 1)
            #expect(second.envelope?.replayOf == 7 && second.body == message.body && second.reason == first.reason)
            #expect(second.envelope?.headers["tenant"] == "acme" && second.envelope?.queue == first.envelope?.queue)
            // No message circulates by itself.
            #expect(try await rig.waiting(.bulk) == 0)
            try await rig.channel.publish(Message(body: Data("end".utf8)), to: "", routingKey: rig.topology.notifier(0))
            _ = try await nextLetter(probe, after: 2)
            #expect(probe.messages.value.count == 3)
        }
    }

    @Test func `a job goes out to its lane and the notifier as maybe repeated`() async throws {
        try await Rig.run { rig in
            let queue = try QueueName("video")
            rig.atEnd { try? await rig.connection.delete(rig.topology.lanes(of: queue)) }
            let job = Samples.job(queue: queue)
            var letter = UnreadableMessage(id: 9, at: Date(), reason: "why", body: Data())
            let message = try WireFormat.message(job: job)
            letter.body = message.body
            letter.size = message.body.count
            letter.envelope = MessageEnvelope(
                message, queue: rig.topology.notifier(0), exchange: rig.topology.submit, routingKey: "video.normal")
            let probe = try await rig.notifier()
            _ = try await rig.broker().replay(letter)
            let delivery = try await rig.next(rig.topology.laneQueue(queue, .normal))
            #expect(WireFormat.read(delivery.message) == .job(job))
            #expect(WireFormat.isMaybeRepeated(delivery.message))
            #expect(delivery.message.headers["replayOf"]?.integer == 9)
            try await eventually("its record") { probe.messages.value == [.job(job, maybeRepeated: true)] }
        }
    }

    @Test func `a message that no lane takes is refused`() async throws {
        try await Rig.run { rig in
            let message = Message(body: Data("{".utf8), type: "upload.baton.v1")
            let letter = UnreadableMessage(
                id: 8, at: Date(), reason: "why", body: message.body,
                envelope: MessageEnvelope(
                    message, queue: nil, exchange: rig.topology.due, routingKey: "0.1.nowhere.normal.d"))
            let broker = try await rig.broker()
            let error = await #expect(throws: UploadError.self) { _ = try await broker.replay(letter) }
            #expect(error?.code == .rejected && error?.message.contains("no lane nowhere.normal") == true)
        }
    }
}
