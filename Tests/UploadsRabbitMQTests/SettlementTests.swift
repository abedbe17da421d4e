import Foundation
import RabbitMQ
import Testing
import UploadTesting
import Uploads

@testable import UploadsRabbitMQ

@Suite(.timeLimit(.minutes(10))) struct SettlementTests {
    static let trace = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"

    @Test func `a submitted job is recorded, worked on, told and removed`() async throws {
        try await Rig.run { rig in
            let probe = try await rig.notifier()
            let handler = TestHandler { claimed in
                try? await claimed.started(state: nil)
                return await TestHandler.completing(claimed)
            }
            try await rig.serve(try await rig.broker().jobQueue(JobQueueConfiguration()), handler)
            let job = Samples.job(priority: .urgent)
            try await rig.broker().submitter(for: .standard).submit(job)
            let completed = try await probe.event(.completed)
            #expect(completed.job.id == job.id)
            #expect(completed.id == "\(job.id).1.1.0.completed")
            #expect(probe.messages.value.contains(.job(job, maybeRepeated: false)))
            #expect(probe.events.map(\.kind) == [.started, .completed])
            #expect(handler.handled.value == [Baton(job: job)])
            try await eventually("the staged copy is removed") { handler.removed.value == [job.id] }
        }
    }

    @Test func `a hand-over goes on in continued, with its trace`() async throws {
        try await Rig.run { rig in
            let state = UploadState(driver: "directory", payload: ["offset": 7])
            let handler = TestHandler { claimed in
                claimed.baton.slice == 0 ? .handOver(state) : await TestHandler.completing(claimed)
            }
            let lanes = Box<[Lane]>([])
            let noting = TestHandler { claimed in
                lanes.change { $0.append(claimed.lane) }
                return (await handler.handle(claimed)).settlement
            }
            try await rig.serve(try await rig.worker(), noting)
            let probe = try await rig.notifier()
            let trace = try #require(TraceParent(Self.trace))
            try await rig.put(try WireFormat.message(baton: Samples.baton(), trace: trace))
            let completed = try await probe.event(.completed)
            #expect(completed.data.baton.slice == 1)
            #expect(completed.data.baton.state == state)
            #expect(lanes.value == [.normal, .continued])
            #expect(probe.events.map(\.kind) == [.handedOver, .completed])
        }
    }

    @Test func `the trace travels in the header of batons and events`() async throws {
        try await Rig.run { rig in
            let listener = "\(rig.topology.namespace).listener"
            let topology = Topology(
                queues: [Queue(name: listener)],
                bindings: [
                    Binding(source: rig.topology.events, destination: .queue(listener), routingKey: "#"),
                    Binding(
                        source: rig.topology.jobs, destination: .queue(listener), routingKey: "default.continued.*"),
                ])
            try await rig.connection.define(topology)
            rig.atEnd { [connection = rig.connection] in try? await connection.delete(topology) }
            let handler = TestHandler { claimed in
                claimed.baton.slice == 0
                    ? .handOver(UploadState(driver: "x", payload: 1)) : await TestHandler.completing(claimed)
            }
            try await rig.serve(try await rig.worker(), handler)
            let trace = try #require(TraceParent(Self.trace))
            try await rig.put(try WireFormat.message(job: Samples.presigned(), trace: trace))
            var types: Set<String> = []
            for _ in 0..<3 {
                let message = try await rig.next(listener).message
                #expect(message.headers == ["traceparent": .string(Self.trace)])
                types.insert(message.type ?? "")
                let shows = String(decoding: message.body, as: UTF8.self).contains(Samples.secret)
                #expect(shows == (message.type == "upload.baton.v1"))
            }
            #expect(types == ["upload.baton.v1", "upload.handedOver", "upload.completed"])
        }
    }

    @Test func `a failure is told and keeps the staged copy`() async throws {
        try await Rig.run { rig in
            let handler = TestHandler { _ in .ended(.failed(UploadError(.accessDenied, "no"), state: nil)) }
            try await rig.serve(try await rig.worker(), handler)
            let probe = try await rig.notifier()
            try await rig.put(try WireFormat.message(job: Samples.job()))
            #expect(try await probe.event(.failed).data.error?.code == .accessDenied)
            #expect(handler.removed.value.isEmpty)
        }
    }

    @Test func `superseded is acknowledged and tells nothing`() async throws {
        try await Rig.run { rig in
            let handler = TestHandler { claimed in
                claimed.baton.slice == 0 ? .superseded : await TestHandler.completing(claimed)
            }
            let queue = try await rig.worker(prefetchPerLane: 1)
            try await rig.serve(queue, handler)
            let probe = try await rig.notifier()
            try await rig.put(try WireFormat.message(baton: Samples.baton(slice: 0)))
            // With a prefetch of 1 the second comes only when the first is acknowledged.
            try await rig.put(try WireFormat.message(baton: Samples.baton(slice: 1)))
            _ = try await probe.event(.completed)
            #expect(handler.handled.value.count == 2)
            #expect(probe.events.map(\.kind) == [.completed])
        }
    }

    @Test func `abandoned settles nothing, so the broker delivers it again and it becomes a suspect`() async throws {
        try await Rig.run { rig in
            let first = try await rig.worker()
            let handler = TestHandler { _ in .abandoned }
            let task = try await rig.serve(first, handler)
            let baton = Samples.baton()
            try await rig.put(try WireFormat.message(baton: baton))
            try await eventually("handled") { handler.handled.value.count == 1 }
            await first.drain()
            try await task.value
            let second = TestHandler(TestHandler.completing)
            try await rig.serve(try await rig.worker(), second)
            let suspect = try await rig.notifier().event(.suspect)
            #expect(suspect.data.baton == baton)
            #expect(suspect.data.reason == "redelivered")
            #expect(second.handled.value.isEmpty)
        }
    }

    @Test func `what waits goes to the ladder and is told with its time`() async throws {
        try await Rig.run { rig in
            let until = Date(timeIntervalSinceNow: 3600)
            let handler = TestHandler { _ in .wait(until: until, reason: .unknownDestination, state: nil) }
            try await rig.serve(try await rig.worker(), handler)
            let probe = try await rig.notifier()
            try await rig.put(try WireFormat.message(baton: Samples.baton()))
            let waiting = try await probe.event(.waiting)
            #expect(waiting.data.reason == "unknownDestination")
            #expect(waiting.data.baton.idleWaits == 1)
            // 3600 s = 2048 + 1024 + 512 + 16: the highest bit's level holds it first.
            let level = rig.topology.delayLevel(11)
            try await eventually("it is on the ladder") { try await rig.channel.messageCount(of: level) == 1 }
        }
    }
}
