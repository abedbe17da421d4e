import Foundation
import RabbitMQ
import Testing
import UploadTesting
import Uploads

@testable import UploadsRabbitMQ

@Suite(.timeLimit(.minutes(10))) struct ConnectionLossTests {
    let state = UploadState(driver: "directory", payload: 1)

    @Test func `a lost delivery stops its slice, publishes nothing, and comes back as a suspect`() async throws {
        try await Rig.run { rig in
            let proxy = try FaultProxy(to: rig.node.port)
            let validities = Box<[BatonValidity]>([])
            let handler = TestHandler { claimed in
                let loss = await claimed.loss()
                let validity = await claimed.validity()
                validities.change { $0 += [loss, validity] }
                // It claims to have finished; that must not be published any more.
                return await TestHandler.completing(claimed)
            }
            try await rig.serve(try await rig.worker(consuming: proxy), handler)
            let probe = try await rig.notifier()
            let baton = Samples.baton()
            try await rig.put(try WireFormat.message(baton: baton))
            try await eventually("held") { handler.handled.value.count == 1 }
            proxy.cut()
            let suspect = try await probe.event(.suspect)
            #expect(suspect.data.baton == baton)
            #expect(validities.value == [.disconnected, .disconnected])
            #expect(probe.events.map(\.kind) == [.suspect])
            #expect(handler.handled.value.count == 1)
            #expect(handler.removed.value.isEmpty)
        }
    }

    @Test func `a start that cannot be recorded because the delivery is lost is an error`() async throws {
        try await Rig.run { rig in
            let proxy = try FaultProxy(to: rig.node.port)
            let codes = Box<[UploadError.Code]>([])
            let handler = TestHandler { claimed in
                _ = await claimed.loss()
                do throws(UploadError) {
                    try await claimed.started(state: nil)
                } catch {
                    codes.change { $0.append(error.code) }
                }
                return .abandoned
            }
            try await rig.serve(try await rig.worker(consuming: proxy), handler)
            try await rig.put(try WireFormat.message(baton: Samples.baton()))
            try await eventually("held") { handler.handled.value.count == 1 }
            proxy.cut()
            try await eventually("refused") { codes.value == [.networkFailure] }
        }
    }

    @Test func `a confirm that is lost repeats the baton, flagged, and the repeat is a suspect`() async throws {
        try await Rig.run { rig in
            // The broker has the baton; once, the connection ends instead of a confirm.
            let lost = Box(0)
            let job = Samples.job()
            let continued = rig.topology.laneKey(.standard, .continued, job.id)
            let proxy = try AMQPFaultProxy(to: rig.node.port) { step in
                guard case .confirm(let messages) = step, messages.contains(where: { $0.routingKey == continued })
                else { return .forward }
                lost.change { $0 += 1 }
                return lost.value == 1 ? .cut : .forward
            }
            let handler = TestHandler { [state] claimed in
                claimed.baton.slice > 0 ? await TestHandler.completing(claimed) : .handOver(state)
            }
            try await rig.serve(try await rig.worker(publishing: proxy), handler)
            let probe = try await rig.notifier()
            try await rig.put(try WireFormat.message(job: job))
            let suspect = try await probe.event(.suspect)
            #expect(suspect.data.reason == "maybeRepeated")
            #expect(suspect.data.baton.slice == 1)
            #expect(suspect.data.baton.state == state)
            _ = try await probe.event(.handedOver)
            // The first try was worked on, and the first delivery acknowledged.
            try await eventually("the lanes are empty") {
                let normal = try await rig.waiting(.normal)
                let continued = try await rig.waiting(.continued)
                return normal == 0 && continued == 0
            }
            #expect(!handler.handled.value.contains { $0.slice > 1 })
            #expect(handler.handled.value.filter { $0.slice == 0 }.count == 1)
        }
    }

    @Test func `nothing is acknowledged before it is confirmed`() async throws {
        try await Rig.run { rig in
            let proxy = try FaultProxy(to: rig.node.port)
            let handler = TestHandler { [state] claimed in
                guard claimed.baton.slice == 0 else { return await TestHandler.completing(claimed) }
                proxy.stall()
                return .handOver(state)
            }
            // With a prefetch of 1 the second comes only when the first is acknowledged.
            try await rig.serve(try await rig.worker(publishing: proxy, prefetchPerLane: 1), handler)
            let probe = try await rig.notifier()
            try await rig.put(try WireFormat.message(job: Samples.job()))
            try await rig.put(try WireFormat.message(job: Samples.job()))
            try await eventually("one is handled, one waits") {
                let waiting = try await rig.waiting(.normal)
                return handler.handled.value.count == 1 && waiting == 1
            }
            #expect(probe.events.isEmpty)
            proxy.stall(false)
            try await eventually("both are completed") {
                proxy.stall(false)
                return probe.events.count { $0.kind == .completed } == 2
            }
        }
    }

    @Test func `a worker goes on after both connections were lost`() async throws {
        try await Rig.run { rig in
            let proxy = try FaultProxy(to: rig.node.port)
            let handler = TestHandler(TestHandler.completing)
            let queue = try await rig.worker(publishing: proxy, consuming: proxy)
            try await rig.serve(queue, handler)
            let probe = try await rig.notifier()
            proxy.cut()
            try await eventually("ready again") { queue.isReady }
            let job = Samples.job()
            try await rig.put(try WireFormat.message(job: job))
            // The cut may have hit the delivery; then the job is a suspect. It is never lost.
            try await eventually("an end or a suspect") {
                probe.events.contains { [.completed, .suspect].contains($0.kind) && $0.job.id == job.id }
            }
        }
    }

    @Test func `a drain ends while the broker is away`() async throws {
        try await Rig.run { rig in
            let proxy = try FaultProxy(to: rig.node.port)
            let handler = TestHandler { claimed in
                _ = await claimed.loss()
                return .abandoned
            }
            let queue = try await rig.worker(publishing: proxy, consuming: proxy)
            let task = try await rig.serve(queue, handler)
            try await rig.put(try WireFormat.message(job: Samples.job()))
            try await eventually("held") { handler.handled.value.count == 1 }
            proxy.refuse()
            proxy.cut()
            await queue.drain()
            try await task.value
        }
    }
}
