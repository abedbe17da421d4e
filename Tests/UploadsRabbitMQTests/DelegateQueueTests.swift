import Foundation
import RabbitMQ
import Testing
import UploadTesting
import Uploads

@testable import UploadsRabbitMQ

@Suite(.timeLimit(.minutes(10))) struct DelegateQueueTests {
    @Test func `an outcome lies in the delegate's own durable queue, made when it is needed and when it was deleted`()
        async throws
    {
        try await Rig.run { rig in
            let broker = try await rig.broker()
            let objects = rig.topology.delegate("crm")
            rig.atEnd { try? await rig.connection.delete(objects) }
            let outcome = UploadEvent(kind: .completed, of: Samples.baton(), at: Date(timeIntervalSince1970: 0))
                .asOutcome
            for round in 1...2 {
                try await broker.put(Data("{\"round\":\(round)}".utf8), of: outcome, into: "crm")
                let delivery = try await rig.next(rig.topology.delegateQueue("crm"))
                #expect(delivery.message.body == Data("{\"round\":\(round)}".utf8))
                #expect(delivery.message.messageID == outcome.id)
                #expect(delivery.message.isPersistent)
                #expect(delivery.message.contentType == "application/cloudevents+json")
                try await rig.connection.delete(objects)
            }
        }
    }

    @Test func `a full queue refuses, which may pass, and takes again when a consumer reads`() async throws {
        try await Rig.run { rig in
            let broker = try await rig.broker()
            var objects = rig.topology.delegate("crm")
            objects.queues[0].arguments["x-max-length"] = 1
            let full = objects
            rig.atEnd { try? await rig.connection.delete(full) }
            try await rig.connection.define(full)
            let outcome = UploadEvent(kind: .completed, of: Samples.baton(), at: Date(timeIntervalSince1970: 0))
                .asOutcome
            // A quorum queue takes a few messages more than its limit before it refuses.
            var refusal: UploadError?
            for _ in 0..<100 where refusal == nil {
                do throws(UploadError) {
                    try await broker.put(Data("{}".utf8), of: outcome, into: "crm")
                } catch { refusal = error }
            }
            #expect(refusal?.retry == .afterBackoff)
            try await eventually("there is room again") {
                if let delivery = try await rig.channel.get(rig.topology.delegateQueue("crm")) {
                    rig.channel.acknowledge(delivery)
                }
                return (try? await broker.put(Data("{}".utf8), of: outcome, into: "crm")) != nil
            }
        }
    }
}
