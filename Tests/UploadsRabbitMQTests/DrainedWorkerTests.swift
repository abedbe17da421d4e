import Foundation
import RabbitMQ
import Testing
import UploadTesting
import Uploads

@testable import UploadsRabbitMQ

@Suite(.timeLimit(.minutes(10))) struct DrainedWorkerTests {
    private static let name = "host/1-a"

    private func consumers(_ rig: Rig) async throws -> Int {
        let lanes = Set(Lane.allCases.map { rig.topology.laneQueue(.standard, $0) })
        return try await rig.node.ctl("list_queues", "name", "consumers").split(separator: "\n")
            .map { $0.split(separator: "\t").map(String.init) }
            .filter { lanes.contains($0[0]) }.compactMap { $0.last.flatMap { Int($0) } }.reduce(0, +)
    }

    @Test func `a drained worker hands over what it holds, in its order, and says when it is done`() async throws {
        try await Rig.run { rig in
            let letGo = Signal()
            defer { letGo.fire() }
            let handler = TestHandler { claimed in
                #expect(await claimed.loss() == .stopped)
                if claimed.baton.slice == 1 { await letGo.wait() }
                return .handOver(nil)
            }
            let queue = try await rig.worker(prefetchPerLane: 30, named: Self.name)
            try await rig.serve(queue, handler)
            let started = Samples.baton(slice: 1)
            let next = (0..<20).map { _ in Samples.baton() }
            try await rig.put(try WireFormat.message(baton: started), lane: .continued)
            for baton in next { try await rig.put(try WireFormat.message(baton: baton)) }
            try await eventually("all are held") { handler.handled.value.count == 21 }
            let bus = try await rig.broker().notifierBus()
            try await bus.append(.workerDrained("host/1-b"))
            try await bus.append(.workerDrained(Self.name))
            try await eventually("it drains") { queue.workerState == .draining }
            #expect(queue.isReady)
            letGo.fire()
            try await eventually("it is drained") { queue.workerState == .drained }
            try await eventually("no lane is served") { try await consumers(rig) == 0 }
            let continued = rig.topology.laneQueue(.standard, .continued)
            var ids: [JobID] = []
            for _ in 0...next.count {
                guard case .baton(let baton) = WireFormat.read(try await rig.next(continued).message) else { continue }
                ids.append(baton.job.id)
            }
            #expect(ids == ([started] + next).map(\.job.id))
        }
    }

    @Test func `a drained worker takes nothing of any lane, which others serve, until it is resumed`() async throws {
        try await Rig.run { rig in
            let bus = try await rig.broker().notifierBus()
            let (mine, theirs) = (TestHandler(TestHandler.completing), TestHandler(TestHandler.completing))
            let queue = try await rig.worker(named: Self.name)
            try await rig.serve(queue, mine)
            try await bus.append(.workerDrained(Self.name))
            try await eventually("it is drained") { queue.workerState == .drained }
            try await eventually("no lane is served") { try await consumers(rig) == 0 }
            var cancel = Samples.baton(generation: 2)
            cancel.isCancel = true
            for lane in Lane.allCases { try await rig.put(try WireFormat.message(baton: Samples.baton()), lane: lane) }
            try await rig.put(try WireFormat.message(baton: cancel), lane: .urgent)
            let other = try await rig.worker(named: "host/2-b")
            try await rig.serve(other, theirs)
            try await eventually("the other one works") { theirs.handled.value.count == Lane.allCases.count + 1 }
            #expect(mine.handled.value.isEmpty && other.workerState == .running)
            await other.drain()
            let baton = Samples.baton()
            try await rig.put(try WireFormat.message(baton: baton))
            try await bus.append(.workerResumed(Self.name))
            try await eventually("it goes on") { mine.handled.value == [baton] }
            #expect(queue.workerState == .running)
        }
    }

    /// While a queue is stopped, its urgent deliveries are parked at the workers.
    @Test func `a worker that is drained while a queue is stopped puts back what it has parked`() async throws {
        try await Rig.run { rig in
            let probe = try await rig.notifier()
            try await probe.bus.append(.queueStopped(.standard))
            let handler = TestHandler(TestHandler.completing)
            let queue = try await rig.worker(named: Self.name)
            try await rig.serve(queue, handler)
            for _ in 0..<10 { try await rig.put(try WireFormat.message(baton: Samples.baton()), lane: .urgent) }
            try await eventually("they are parked") { try await rig.waiting(.urgent) == 0 }
            try await probe.bus.append(.workerDrained(Self.name))
            try await eventually("they are back") { try await rig.waiting(.urgent) == 10 }
            try await probe.bus.append(.queueStarted(.standard))
            try await eventually("it is drained") { queue.workerState == .drained }
            #expect(try await rig.waiting(.urgent) == 10)
            #expect(try await consumers(rig) == 0)
            try await probe.bus.append(.workerResumed(Self.name))
            try await eventually("they go on") { handler.handled.value.count == 10 }
            #expect(probe.events.allSatisfy { $0.kind == .completed }, "none may become a suspect")
        }
    }

    @Test func `a drain outlasts the worker's connection, and a resume that was ordered meanwhile is read afterwards`()
        async throws
    {
        try await Rig.run { rig in
            let proxy = try FaultProxy(to: rig.node.port)
            let bus = try await rig.broker().notifierBus()
            let handler = TestHandler(TestHandler.completing)
            let queue = try await rig.worker(consuming: proxy, named: Self.name)
            try await rig.serve(queue, handler)
            try await bus.append(.workerDrained(Self.name))
            try await eventually("it is drained") { queue.workerState == .drained }
            try await rig.put(try WireFormat.message(baton: Samples.baton()))
            proxy.refuse()
            proxy.cut()
            try await eventually("it has noticed the loss") { !queue.isReady }
            proxy.refuse(false)
            try await eventually("it is connected again") { queue.isReady }
            #expect(queue.workerState == .drained)
            #expect(try await consumers(rig) == 0)
            #expect(handler.handled.value.isEmpty)
            proxy.refuse()
            proxy.cut()
            try await eventually("it has noticed the loss") { !queue.isReady }
            try await bus.append(.workerResumed(Self.name))
            proxy.refuse(false)
            try await eventually("it goes on") { handler.handled.value.count == 1 }
            #expect(queue.workerState == .running)
        }
    }
}
