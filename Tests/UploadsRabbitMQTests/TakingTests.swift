import Foundation
import RabbitMQ
import Testing
import UploadTesting
import Uploads

@testable import UploadsRabbitMQ

@Suite(.timeLimit(.minutes(10))) struct TakingTests {
    @Test func `a flagged job goes to the notifier whole and to no other listener`() async throws {
        try await Rig.run { rig in
            let listener = "\(rig.topology.namespace).listener"
            let topology = Topology(
                queues: [Queue(name: listener)],
                bindings: [Binding(source: rig.topology.events, destination: .queue(listener), routingKey: "#")])
            try await rig.connection.define(topology)
            rig.atEnd { [connection = rig.connection] in try? await connection.delete(topology) }
            let handler = TestHandler(TestHandler.completing)
            try await rig.serve(try await rig.worker(), handler)
            let probe = try await rig.notifier()
            let job = Samples.presigned()
            try await rig.broker().submitter(for: .standard).submit(job, maybeRepeated: true)
            let suspect = try await probe.event(.suspect)
            #expect(suspect.job == job)
            #expect(suspect.data.reason == "maybeRepeated")
            #expect(probe.messages.value.contains(.job(job, maybeRepeated: true)))
            try await eventually("acknowledged") { try await rig.waiting(.normal) == 0 }
            #expect(handler.handled.value.isEmpty)
            #expect(try await rig.channel.messageCount(of: listener) == 0)
        }
    }

    @Test func `a redelivered baton is a suspect`() async throws {
        try await Rig.run { rig in
            let baton = Samples.baton(generation: 2)
            try await rig.put(try WireFormat.message(baton: baton))
            let queue = rig.topology.laneQueue(.standard, .normal)
            let delivery = try #require(try await rig.channel.get(queue))
            rig.channel.reject(delivery, requeue: true)
            let handler = TestHandler(TestHandler.completing)
            try await rig.serve(try await rig.worker(), handler)
            let suspect = try await rig.notifier().event(.suspect)
            #expect(suspect.data.baton == baton)
            #expect(handler.handled.value.isEmpty)
        }
    }

    @Test(arguments: [
        ("hello", "upload.job.v1", "the body is not JSON"), ("{}", "upload.job.v1", "the field 'size' is missing"),
        ("{}", "pancake", "expected upload.job.v1"),
    ])
    func `what is no job is set aside with the reason`(_ body: String, _ type: String, _ expected: String) async throws
    {
        try await Rig.run { rig in
            let handler = TestHandler(TestHandler.completing)
            try await rig.serve(try await rig.worker(), handler)
            try await rig.put(Message(body: Data(body.utf8), contentType: "application/json", type: type))
            let dead = try await rig.next(rig.topology.dead).message
            #expect(dead.body == Data(body.utf8))
            #expect(dead.headers["reason"]?.string?.contains(expected) == true)
            try await eventually("acknowledged") { try await rig.waiting(.normal) == 0 }
            #expect(handler.handled.value.isEmpty)
        }
    }

    @Test func `what a newer version wrote waits as it came`() async throws {
        try await Rig.run { rig in
            let handler = TestHandler(TestHandler.completing)
            try await rig.serve(try await rig.worker(), handler)
            let body = Data(#"{"of": "tomorrow"}"#.utf8)
            try await rig.put(
                Message(body: body, contentType: "application/json", messageID: "m", type: "upload.baton.v2"))
            // 60 s = 32 + 16 + 8 + 4.
            let waiting = try await rig.next(rig.topology.delayLevel(5))
            #expect(waiting.message.body == body && waiting.message.type == "upload.baton.v2")
            #expect(waiting.message.messageID == "m")
            #expect(waiting.routingKey.hasSuffix(".default.normal.0"))
            #expect(handler.handled.value.isEmpty)
        }
    }

    @Test func `a fence stops a slice that runs, and nothing is told`() async throws {
        try await Rig.run { rig in
            let validities = Box<[BatonValidity]>([])
            let handler = TestHandler { claimed in
                let validity = await claimed.loss()
                validities.change { $0.append(validity) }
                return .superseded
            }
            try await rig.serve(try await rig.worker(), handler)
            let probe = try await rig.notifier()
            let baton = Samples.baton()
            try await rig.put(try WireFormat.message(baton: baton))
            try await eventually("handled") { handler.handled.value.count == 1 }
            try await probe.bus.append(.fence([JobID(): 9]))
            try await probe.bus.append(.fence([baton.job.id: 2]))
            try await eventually("stopped") { validities.value == [.superseded] }
            try await probe.bus.mark(IssueMarker(job: baton.job.id, round: 1, generation: 1))
            try await eventually("the marker is read") { !probe.messages.value.isEmpty }
            #expect(probe.events.isEmpty)
        }
    }

    @Test func `a pause reaches a slice that runs`() async throws {
        try await Rig.run { rig in
            let handler = TestHandler { claimed in
                guard await claimed.loss() == .paused else { return .superseded }
                return .wait(until: Date(timeIntervalSinceNow: 3600), reason: .paused, state: nil)
            }
            try await rig.serve(try await rig.worker(), handler)
            let probe = try await rig.notifier()
            let baton = Samples.baton()
            try await rig.put(try WireFormat.message(baton: baton))
            try await eventually("handled") { handler.handled.value.count == 1 }
            try await probe.bus.append(.pause([baton.job.id: 1]))
            #expect(try await probe.event(.paused).data.baton.slice == 1)
        }
    }

    @Test func `fences written before the worker started are known, and lower deliveries dropped`() async throws {
        try await Rig.run { rig in
            let old = Samples.baton(generation: 1)
            var new = old
            new.generation = 3
            let probe = try await rig.notifier()
            try await probe.bus.append(.fence([old.job.id: 3]))
            try await rig.put(try WireFormat.message(baton: old))
            try await rig.put(try WireFormat.message(baton: new))
            let handler = TestHandler { claimed in
                await claimed.validity() == .holds ? await TestHandler.completing(claimed) : .superseded
            }
            try await rig.serve(try await rig.worker(), handler)
            _ = try await probe.event(.completed)
            #expect(handler.handled.value == [new])
            try await eventually("the lane is empty") { try await rig.waiting(.normal) == 0 }
            #expect(probe.events.map(\.kind) == [.completed])
        }
    }

    @Test func `a stopped transfer queue stands still until it is started`() async throws {
        try await Rig.run { rig in
            let probe = try await rig.notifier()
            try await probe.bus.append(.queueStopped(.standard))
            let handler = TestHandler(TestHandler.completing)
            try await rig.serve(try await rig.worker(), handler)
            try await rig.put(try WireFormat.message(baton: Samples.baton()))
            #expect(try await rig.waiting(.normal) == 1)
            try await probe.bus.append(.queueStarted(.standard))
            _ = try await probe.event(.completed)
            try await probe.bus.append(.queueStopped(.standard))
            try await eventually("no worker takes") {
                try await rig.node.ctl("list_queues", "name", "consumers").split(separator: "\n")
                    .filter { $0.hasPrefix(rig.topology.laneQueue(.standard, .normal)) }
                    .allSatisfy { $0.hasSuffix("\t0") }
            }
        }
    }

    /// Fewer deliveries are held only when the lane is quiet: a consumer that is cancelled makes deliveries come twice.
    @Test func `as many deliveries are held as the jobs at once need, and none comes twice`() async throws {
        try await Rig.run { rig in
            let probe = try await rig.notifier()
            let queue = try await rig.worker(prefetchPerLane: 5)
            let mayEnd = Signal()
            let handler = TestHandler { claimed in
                await mayEnd.wait()
                return await TestHandler.completing(claimed)
            }
            try await rig.serve(queue, handler)
            func put(_ count: Int) async throws {
                for _ in 0..<count {
                    try await rig.put(try WireFormat.message(baton: Samples.baton(Samples.job())))
                }
            }
            try await put(60)
            try await eventually("the first prefetch is held") { handler.handled.value.count == 5 }
            queue.setJobsAtOnce(16)
            try await eventually("the greater one is held") { handler.handled.value.count == 24 }
            mayEnd.fire()
            // Grows while deliveries come.
            for jobsAtOnce in [32, 64, 128] {
                queue.setJobsAtOnce(jobsAtOnce)
                try await put(100)
            }
            try await eventually("all have ended") { probe.events.count { $0.kind == .completed } == 360 }
            queue.setJobsAtOnce(1)
            try await eventually("the added consumers are gone") { try await rig.consumers(.normal) == 1 }
            try await put(40)
            try await eventually("all have ended") { probe.events.count { $0.kind == .completed } == 400 }
            #expect(probe.events.allSatisfy { $0.kind == .completed })
        }
    }

    @Test func `a drain hands over what was delivered, and makes no suspects`() async throws {
        try await Rig.run { rig in
            let queue = try await rig.worker(prefetchPerLane: 10)
            let draining = Signal()
            let handler = TestHandler { _ in
                await draining.wait()
                return .handOver(nil)
            }
            let task = try await rig.serve(queue, handler)
            for number in 0..<5 { try await rig.put(try WireFormat.message(baton: Samples.baton(slice: number))) }
            try await eventually("all are held") { handler.handled.value.count == 5 }
            await queue.drain()
            draining.fire()
            try await task.value
            var slices: Set<Int> = []
            for _ in 0..<5 {
                let delivery = try await rig.next(rig.topology.laneQueue(.standard, .normal))
                #expect(!delivery.redelivered)
                guard case .baton(let baton) = WireFormat.read(delivery.message) else { continue }
                slices.insert(baton.slice)
            }
            #expect(slices == [1, 2, 3, 4, 5])
            #expect(try await rig.waiting(.normal) == 0)
        }
    }

    /// The state after an exchange was deleted by mistake and the notifier, which does not know the lanes, has declared
    /// it again.
    @Test func `lanes that are no longer bound are bound again within a minute`() async throws {
        try await Rig.run { rig in
            let passes = Box<[Signal]>([])
            let queue = try await rig.worker(topologyPause: { draining in
                let passed = Signal()
                passes.change { $0.append(passed) }
                await passed.wait(or: draining)
            })
            let handler = TestHandler(TestHandler.completing)
            try await rig.serve(queue, handler)
            for exchange in [rig.topology.jobs, rig.topology.due] {
                try await rig.connection.delete(Topology(exchanges: [Exchange(name: exchange, kind: .topic)]))
            }
            try await rig.connection.declareAgain(rig.topology.shared)
            try await eventually("it waits for its minute") { passes.value.count == 1 }
            passes.value[0].fire()
            try await eventually("the next minute") { passes.value.count == 2 }
            try await rig.put(try WireFormat.message(baton: Samples.baton()))
            try await eventually("it is done") { handler.handled.value.count == 1 }
            try await rig.channel.publish(
                try WireFormat.message(baton: Samples.baton(slice: 2)), to: rig.topology.ladderTop,
                routingKey: rig.topology.delayKey(seconds: 1, .standard, .normal, JobID()))
            try await eventually("so is one that waited") { handler.handled.value.count == 2 }
        }
    }

    @Test func `cancelling the task drains, and what is being settled is settled`() async throws {
        try await Rig.run { rig in
            let queue = try await rig.worker()
            let handler = TestHandler { claimed in
                _ = await claimed.loss()
                return .handOver(nil)
            }
            let task = try await rig.serve(queue, handler)
            try await rig.put(try WireFormat.message(baton: Samples.baton()))
            try await eventually("held") { handler.handled.value.count == 1 }
            task.cancel()
            try await task.value
            let delivery = try await rig.next(rig.topology.laneQueue(.standard, .normal))
            #expect(!delivery.redelivered)
            #expect(WireFormat.isMaybeRepeated(delivery.message) == false)
        }
    }
}
