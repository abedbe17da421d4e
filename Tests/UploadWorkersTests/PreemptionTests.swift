import Foundation
import Testing
import UploadTesting
import Uploads

@testable import UploadWorkers

@Suite(.timeLimit(.minutes(10))) struct PreemptionTests {
    @Test func `something urgent preempts the youngest that can yield, which comes back after it`() async throws {
        let elder = WorkerBench.job(size: 30)
        let younger = WorkerBench.job(size: 30)
        let doors = [elder.id: Door(), younger.id: Door()]
        let bench = WorkerBench(WorkerConfiguration(concurrency: 2, parts: 1)) { log in
            MemoryDestination(log: log) { job, _, _ throws(UploadError) in await doors[job.id]?.wait() }
        }
        var urgent: UploadJob?
        try await bench.running {
            bench.queue.add(Baton(job: elder))
            try await eventually { bench.log.counts.partsInFlight == 1 }
            bench.queue.add(Baton(job: younger))
            try await eventually { bench.log.counts.partsInFlight == 2 }
            urgent = bench.add(priority: .urgent)
            try await eventually { bench.worker.heldCount == 3 }
            doors[younger.id]?.open()
            try await eventually { bench.log.endedCount == 2 }
            doors[elder.id]?.open()
            try await eventually { bench.log.endedCount == 3 }
        }
        let settled = bench.log.counts.settled.map { ($0.baton.job.id, $0.slice.settlement.label) }
        func ends(of job: JobID?) -> Int? { settled.firstIndex { $0.0 == job && $0.1 == "ended" } }
        let urgentEnd = try #require(ends(of: urgent?.id))
        #expect(try #require(ends(of: younger.id)) > urgentEnd)
        let handOver = try #require(settled.lastIndex { $0.0 == younger.id && $0.1 == "handOver" })
        #expect(handOver < urgentEnd)
        // Its part under way was not lost, nor sent again.
        #expect(bench.log.counts.accepted[younger.id] == [1, 2, 3])
        // The older slice was not preempted: it handed over only its new session.
        #expect(settled.count { $0.0 == elder.id && $0.1 == "handOver" } == 1)
        #expect(settled.count { $0.0 == younger.id && $0.1 == "handOver" } == 2)
    }

    @Test func `something urgent does not wait for a part that does not move`() async throws {
        let stuck = WorkerBench.job(size: 30)
        let door = Door()
        let bench = WorkerBench(WorkerConfiguration(concurrency: 1, parts: 1)) { log in
            MemoryDestination(log: log) { job, _, _ throws(UploadError) in
                guard job.id == stuck.id, !door.isOpen else { return }
                await door.wait()
                if !door.isOpen { throw UploadError(.cancelled, "the part was called off") }
            }
        }
        try await bench.running {
            bench.queue.add(Baton(job: stuck))
            try await eventually { bench.log.counts.partsInFlight == 1 }
            let urgent = bench.add(priority: .urgent)
            try await eventually {
                bench.clock.advance(by: .milliseconds(100))
                return bench.log.settlements(of: urgent.id).last?.label == "ended"
            }
            #expect(bench.log.settlements(of: stuck.id).map(\.label).contains("handOver"))
            door.open()
            try await eventually { bench.log.endedCount == 2 }
        }
        #expect(bench.log.counts.settled.allSatisfy { $0.baton.attempts == 0 })
    }
}
