import Foundation
import Logging
import ServiceLifecycle
import Testing
import UploadTesting
import Uploads

@testable import UploadWorkers

@Suite(.timeLimit(.minutes(10))) struct UploadWorkerDrainTests {
    @Test func `draining lets the parts in flight finish and hands over the rest`() async throws {
        let gate = Door()
        let bench = WorkerBench(WorkerConfiguration(parts: 2), redelivers: false) { log in
            MemoryDestination(log: log) { _, _, _ throws(UploadError) in await gate.wait() }
        }
        let job = WorkerBench.job(size: 50)
        _ = try await bench.destination.open(job, resuming: nil)
        var baton = Baton(job: job)
        baton.slice = 1
        bench.queue.add(baton)
        try await bench.running {
            try await eventually { bench.log.counts.partsInFlight == 2 }
            let drain = Task { await bench.worker.drain() }
            try await eventually { bench.clock.isAwaited(at: .seconds(20)) }
            gate.open()
            try await eventually { bench.log.counts.settled.count == 1 }
            bench.clock.advance(by: .seconds(20))
            await drain.value
        }
        #expect(bench.log.settlements(of: job.id).map(\.label) == ["handOver"])
        #expect(bench.log.counts.accepted[job.id]?.sorted() == [1, 2])
        #expect(bench.log.counts.openSources == 0)
    }

    @Test func `what still runs near the end of the grace is cut and handed over, not failed`() async throws {
        let never = Door()
        let bench = WorkerBench(redelivers: false) { log in
            MemoryDestination(yields: false, log: log) { _, _, _ throws(UploadError) in await never.wait() }
        }
        let jobs = (0..<3).map { _ in bench.add(size: 30) }
        try await bench.running {
            try await eventually { bench.log.counts.partsInFlight == 3 }
            let drain = Task { await bench.worker.drain() }
            try await eventually { bench.clock.isAwaited(at: .seconds(20)) }
            #expect(bench.log.counts.settled.isEmpty)
            bench.clock.advance(by: .seconds(20))
            await drain.value
            try await eventually { bench.log.counts.settled.count == 3 }
        }
        for job in jobs { #expect(bench.log.settlements(of: job.id) == [.handOver(nil)]) }
        #expect(bench.log.counts.partsInFlight == 0)
        #expect(bench.log.counts.openSources == 0)
        #expect(bench.log.counts.openSessions == 0)
    }

    @Test func `what waits for a slot is handed over as it came`() async throws {
        let gate = Door()
        let bench = WorkerBench(WorkerConfiguration(concurrency: 1), redelivers: false) { log in
            MemoryDestination(log: log) { _, _, _ throws(UploadError) in await gate.wait() }
        }
        bench.add()
        try await bench.running {
            try await eventually { bench.log.counts.partsInFlight == 1 }
            let second = bench.add()
            try await eventually { bench.worker.heldCount == 2 }
            let drain = Task { await bench.worker.drain() }
            try await eventually { bench.log.counts.settled.count == 1 }
            #expect(bench.log.settlements(of: second.id) == [.handOver(nil)])
            #expect(bench.log.counts.settled.first?.slice.report.startedAt == nil)
            gate.open()
            try await eventually { bench.log.counts.settled.count == 2 }
            drain.cancel()
            await drain.value
        }
        #expect(bench.log.counts.claimedSources == 1)
    }

    @Test func `a graceful shutdown of the service group drains the worker, and run returns`() async throws {
        let gate = Door()
        let bench = WorkerBench(WorkerConfiguration(parts: 1), redelivers: false) { log in
            MemoryDestination(log: log) { _, _, _ throws(UploadError) in await gate.wait() }
        }
        let job = WorkerBench.job(size: 50)
        var baton = Baton(job: job)
        baton.slice = 1
        _ = try await bench.destination.open(job, resuming: nil)
        bench.queue.add(baton)
        let group = ServiceGroup(
            services: [bench.worker], logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
        let run = Task { try await group.run() }
        try await eventually { bench.log.counts.partsInFlight == 1 }
        await group.triggerGracefulShutdown()
        try await eventually { bench.clock.isAwaited(at: .seconds(20)) }
        gate.open()
        try await run.value
        #expect(bench.log.settlements(of: job.id).map(\.label) == ["handOver"])
        #expect(bench.log.counts.accepted[job.id] == [1])
    }
}
