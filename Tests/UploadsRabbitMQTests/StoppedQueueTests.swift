import Foundation
import RabbitMQ
import Testing
import UploadTesting
import Uploads

@testable import UploadsRabbitMQ

@Suite(.timeLimit(.minutes(10))) struct StoppedQueueTests {
    /// Batons that are held until the queue is stopped, and then handed over without having begun.
    private static let untilStopped = { @Sendable (claimed: any ClaimedBaton) async -> Settlement in
        _ = await claimed.loss()
        return .handOver(nil)
    }

    private func ids(of rig: Rig, _ lane: Lane, _ count: Int) async throws -> [JobID] {
        var ids: [JobID] = []
        for _ in 0..<count {
            guard
                case .baton(let baton) = WireFormat.read(
                    try await rig.next(rig.topology.laneQueue(.standard, lane)).message)
            else { continue }
            ids.append(baton.job.id)
        }
        return ids
    }

    @Test func `what was not begun goes back in the order of its delivery`() async throws {
        try await Rig.run { rig in
            let handler = TestHandler(Self.untilStopped)
            try await rig.serve(try await rig.worker(prefetchPerLane: 30), handler)
            let batons = (0..<30).map { _ in Samples.baton() }
            for baton in batons { try await rig.put(try WireFormat.message(baton: baton)) }
            try await eventually("all are held") { handler.handled.value.count == 30 }
            let bus = try await rig.broker().notifierBus()
            try await bus.append(.queueStopped(.standard))
            try await eventually("all are back") { try await rig.waiting(.continued) == 30 }
            #expect(try await ids(of: rig, .continued, 30) == batons.map(\.job.id))
        }
    }

    @Test func `what was under way goes back before what was not begun`() async throws {
        try await Rig.run { rig in
            let letGo = Signal()
            let handler = TestHandler { claimed in
                _ = await claimed.loss()
                if claimed.baton.slice == 1 { await letGo.wait() }
                return .handOver(nil)
            }
            try await rig.serve(try await rig.worker(), handler)
            let started = Samples.baton(slice: 1)
            let next = Samples.baton()
            try await rig.put(try WireFormat.message(baton: next))
            try await eventually("the next is held") { handler.handled.value == [next] }
            try await rig.put(try WireFormat.message(baton: started), lane: .continued)
            try await eventually("both are held") { handler.handled.value.count == 2 }
            try await rig.broker().notifierBus().append(.queueStopped(.standard))
            // Long enough for the other one to overtake it.
            try await Task.sleep(for: .milliseconds(500))
            letGo.fire()
            try await eventually("both are back") { try await rig.waiting(.continued) == 2 }
            #expect(try await ids(of: rig, .continued, 2) == [started.job.id, next.job.id])
        }
    }

    @Test func `what a worker on its way out has not begun goes back in the order of its delivery`() async throws {
        try await Rig.run { rig in
            let leaving = Signal()
            let handler = TestHandler { _ in
                await leaving.wait()
                return .handOver(nil)
            }
            let queue = try await rig.worker(prefetchPerLane: 30)
            let task = try await rig.serve(queue, handler)
            let batons = (0..<30).map { _ in Samples.baton() }
            for baton in batons { try await rig.put(try WireFormat.message(baton: baton)) }
            try await eventually("all are held") { handler.handled.value.count == 30 }
            await queue.drain()
            leaving.fire()
            try await task.value
            #expect(try await ids(of: rig, .normal, 30) == batons.map(\.job.id))
        }
    }

    @Test func `a cancellation obeys no stop, and what is urgent is held meanwhile`() async throws {
        try await Rig.run { rig in
            let bus = try await rig.broker().notifierBus()
            try await bus.append(.queueStopped(.standard))
            let handler = TestHandler(TestHandler.completing)
            try await rig.serve(try await rig.worker(), handler)
            let urgent = (0..<10).map { _ in Samples.baton() }
            var cancel = Samples.baton(generation: 2)
            cancel.isCancel = true
            for baton in urgent { try await rig.put(try WireFormat.message(baton: baton), lane: .urgent) }
            try await rig.put(try WireFormat.message(baton: cancel), lane: .urgent)
            try await eventually("the cancellation is carried out") { handler.handled.value == [cancel] }
            try await eventually("the urgent ones are held") { try await rig.waiting(.urgent) == 0 }
            #expect(handler.handled.value == [cancel])
            try await bus.append(.queueStarted(.standard))
            try await eventually("they go on") { handler.handled.value.count == 11 }
            #expect(Set(handler.handled.value.dropFirst().map(\.job.id)) == Set(urgent.map(\.job.id)))
        }
    }

    @Test func `a worker that leaves while a queue is stopped puts back what it holds, and makes no suspects`()
        async throws
    {
        try await Rig.run { rig in
            let probe = try await rig.notifier()
            try await probe.bus.append(.queueStopped(.standard))
            let handler = TestHandler(TestHandler.completing)
            let queue = try await rig.worker()
            let task = try await rig.serve(queue, handler)
            let urgent = (0..<10).map { _ in Samples.baton() }
            for baton in urgent { try await rig.put(try WireFormat.message(baton: baton), lane: .urgent) }
            try await eventually("they are held") { try await rig.waiting(.urgent) == 0 }
            await queue.drain()
            try await task.value
            #expect(try await rig.waiting(.urgent) == 10)
            #expect(try await ids(of: rig, .urgent, 10) == urgent.map(\.job.id))
            #expect(handler.handled.value.isEmpty)
            #expect(probe.messages.value.isEmpty)
        }
    }

    @Test func `a serial job goes to the notifier and into no lane`() async throws {
        try await Rig.run { rig in
            let probe = try await rig.notifier()
            var job = Samples.job()
            job.serial = SerialPosition(index: 2)
            try await rig.broker().submitter(for: .standard).submit(job)
            try await eventually("it has come") { probe.messages.value == [.job(job, maybeRepeated: false)] }
            #expect(try await rig.waiting(.normal) == 0)
        }
    }
}
