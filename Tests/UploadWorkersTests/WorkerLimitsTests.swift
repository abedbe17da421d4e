import Foundation
import Testing
import UploadTesting
import Uploads

@testable import UploadWorkers

@Suite(.timeLimit(.minutes(10))) struct WorkerLimitsTests {
    /// A worker whose destination takes one step a second, with a job whose session is open and whose parts wait for their turn.
    func withWaitingParts(_ body: (WorkerBench, UploadJob) async throws -> Void) async throws {
        let bench = WorkerBench { log in
            MemoryDestination(limits: TransferLimits(requestsPerSecond: 1), log: log)
        }
        let job = bench.add(size: 40)
        try await bench.running {
            while !(bench.log.counts.settled.count == 1 && bench.log.counts.openSessions == 1) {
                bench.clock.advance(by: .milliseconds(10))
                await Task.yield()
            }
            try await body(bench, job)
        }
    }

    @Test func `a paused job does not wait for its turn`() async throws {
        try await withWaitingParts { bench, job in
            bench.queue.claim(of: job.id)?.set(.paused)
            try await eventually { bench.log.counts.settled.count == 2 }
            #expect(bench.log.counts.accepted[job.id] == nil)
            guard case .wait(_, .paused, _)? = bench.log.settlements(of: job.id).last else {
                Issue.record("\(bench.log.settlements(of: job.id))")
                return
            }
        }
    }

    @Test func `a drained worker does not wait for turns`() async throws {
        try await withWaitingParts { bench, job in
            async let drained: Void = bench.worker.drain()
            try await eventually { bench.log.counts.settled.count == 2 }
            #expect(bench.log.settlements(of: job.id).last?.label == "handOver")
            #expect(bench.log.counts.accepted[job.id] == nil)
            try await eventually {
                bench.clock.advance(by: .seconds(1))
                return bench.worker.heldCount == 0
            }
            bench.clock.advance(by: .seconds(60))
            await drained
        }
    }

    @Test func `whatever the order, all jobs of a limited destination get through`() async throws {
        let bench = WorkerBench(WorkerConfiguration(concurrency: 8)) { log in
            MemoryDestination(limits: TransferLimits(requestsPerSecond: 100), log: log)
        }
        for _ in 0..<100 { bench.add() }
        let start = bench.clock.now
        try await bench.running {
            while bench.log.endedCount < 100 {
                bench.clock.advance(by: .milliseconds(1))
                bench.queue.endWaits()
                await Task.yield()
            }
        }
        // Each job needs an open, a part and a completion; the limiter lets a second's worth pass at once.
        #expect(start.duration(to: bench.clock.now) >= .seconds(2) - .milliseconds(2))
        #expect(bench.log.counts.openSessions == 0)
    }
}
