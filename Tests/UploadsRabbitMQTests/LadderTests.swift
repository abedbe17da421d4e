import Foundation
import RabbitMQ
import Testing
import UploadTesting
import Uploads

@testable import UploadsRabbitMQ

@Suite(.timeLimit(.minutes(10))) struct LadderTests {
    @Test func `declaring everything again changes nothing`() async throws {
        try await Rig.run { rig in
            let other = try await rig.open()
            try await other.define(rig.topology.shared + rig.topology.lanes(of: .standard))
            try await other.define(rig.topology.foundation)
            _ = try await rig.broker().submitter(for: .standard)
        }
    }

    @Test func `a delay of 1, 2, 3 or 5 seconds ends in its lane and never early`() async throws {
        try await Rig.run { rig in
            let clock = ContinuousClock()
            let lanes: [(seconds: Int, lane: Lane)] = [(1, .urgent), (2, .continued), (3, .normal), (5, .bulk)]
            let begun = clock.now
            for (seconds, lane) in lanes {
                let message = try WireFormat.message(baton: Samples.baton(slice: seconds))
                let key = rig.topology.delayKey(seconds: Double(seconds), .standard, lane, JobID())
                let entry = rig.topology.ladderEntry(seconds: Double(seconds))
                try await rig.channel.publish(message, to: entry, routingKey: key)
            }
            for (seconds, lane) in lanes {
                let delivery = try await rig.next(rig.topology.laneQueue(.standard, lane))
                #expect(clock.now - begun >= .seconds(seconds))
                guard case .baton(let baton) = WireFormat.read(delivery.message) else {
                    Issue.record("not a baton")
                    continue
                }
                #expect(baton.slice == seconds)
            }
        }
    }

    @Test func `what no lane takes at the foot becomes a dead letter that says so`() async throws {
        try await Rig.run { rig in
            let baton = Samples.baton(Samples.job(queue: try QueueName("nowhere")))
            try await rig.channel.publish(
                try WireFormat.message(baton: baton), to: rig.topology.ladderTop,
                routingKey: rig.topology.delayKey(seconds: 1, baton.job.queue, .normal, JobID()))
            let probe = try await rig.notifier()
            try await eventually("a dead baton") { !probe.messages.value.isEmpty }
            #expect(probe.messages.value == [.deadBaton(baton, .noLane)])
        }
    }

    @Test func `a baton that waited once can wait again`() async throws {
        try await Rig.run { rig in
            let handler = TestHandler { claimed in
                if claimed.baton.slice < 2 {
                    return .wait(
                        until: Date(), reason: .limited(UploadError(.rateLimited, "a limit holds it up: wait")),
                        state: nil)
                }
                return await TestHandler.completing(claimed)
            }
            try await rig.serve(try await rig.worker(), handler)
            let probe = try await rig.notifier()
            try await rig.put(try WireFormat.message(baton: Samples.baton()))
            _ = try await probe.event(.completed)
            #expect(handler.handled.value.map(\.slice) == [0, 1, 2])
        }
    }
}
