import Foundation
import RabbitMQ
import Testing
import UploadTesting
import Uploads

@testable import UploadsRabbitMQ

@Suite(.timeLimit(.minutes(10))) struct BrokerObjectTests {
    @Test func `what is there, what is missing and what is different is told apart, and nothing is changed`()
        async throws
    {
        try await Rig.run { rig in
            let broker = try await rig.broker()
            let video = try QueueName("video")
            try await rig.channel.publish(
                Message(body: Data("x".utf8)), to: "", routingKey: rig.topology.laneQueue(.standard, .bulk))
            let strange = Queue(name: rig.topology.laneQueue(video, .urgent), arguments: ["x-queue-type": "classic"])
            let strangeExchange = Exchange(name: rig.topology.progress, kind: .fanout)
            try await rig.connection.delete(Topology(exchanges: [strangeExchange]))
            try await rig.connection.define(Topology(exchanges: [strangeExchange], queues: [strange]))
            for _ in 0..<2 {
                let found = try await broker.objects(queues: [.standard, video], delegates: ["ears"])
                func state(_ name: String, _ kind: BrokerObject.Kind) -> BrokerObject? {
                    found.first { $0.name == name && $0.kind == kind }
                }
                #expect(state(rig.topology.submit, .exchange)?.state == .asDeclared)
                #expect(
                    state(rig.topology.laneQueue(.standard, .bulk), .queue)
                        == BrokerObject(
                            .queue, rig.topology.laneQueue(.standard, .bulk), .asDeclared, messages: 1, consumers: 0))
                #expect(state(strange.name, .queue)?.state == .different)
                #expect(state(strange.name, .queue)?.problem?.contains("inequivalent arg") == true)
                #expect(state(rig.topology.progress, .exchange)?.state == .different)
                let missing = Set(found.filter { $0.state == .missing }.map(\.name))
                let lanes = [Lane.continued, .normal, .bulk].map { rig.topology.laneQueue(video, $0) }
                #expect(missing == Set(lanes + [rig.topology.delegateQueue("ears")]))
            }
            try await broker.deleteObjects(queues: [.standard, video], delegates: ["ears"])
            let left = try await broker.objects(queues: [.standard, video], delegates: [])
            #expect(left.allSatisfy { $0.state == .missing } && left.count > 60)
        }
    }
}
