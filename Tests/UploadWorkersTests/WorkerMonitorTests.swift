import Foundation
import Synchronization
import Testing
import UploadTesting
import Uploads

@testable import UploadWorkers

@Suite(.timeLimit(.minutes(10))) struct WorkerMonitorTests {
    private final class Reports: WorkerReporter {
        private let reports = Mutex<[WorkerReport]>([])

        func tell(_ report: DestinationReport) {}
        func tell(_ report: WorkerReport) { reports.withLock { $0.append(report) } }

        var all: [WorkerReport] { reports.withLock { $0 } }
    }

    @Test func `a worker reports itself while it runs, while it drains, and when it has stopped`() async throws {
        let reports = Reports()
        let door = Door()
        var configuration = WorkerConfiguration(concurrency: 3)
        configuration.name = "host/1-a"
        let bench = WorkerBench(configuration, isManual: false, reporter: reports) { log in
            MemoryDestination(log: log) { _, _, _ throws(UploadError) in await door.wait() }
        }
        let job = bench.add(size: 10)
        try await bench.running {
            try await eventually("it is told that it runs") { reports.all.first?.state == .running }
            try await eventually("its job has a slot, and ten seconds later that is told") {
                reports.all.last?.slotsUsed == 1 && reports.all.last?.jobs.map(\.id) == [job.id]
            }
            #expect(reports.all.allSatisfy { $0.worker == "host/1-a" && $0.slots == 3 })
            async let drained: Void = bench.worker.drain()
            try await eventually("it is told that it drains") { reports.all.last?.state == .draining }
            door.open()
            await drained
        }
        #expect(reports.all.last?.state == .stopped)
    }

    @Test func `a worker that an operator drains and resumes reports each state once, and at once`() async throws {
        let reports = Reports()
        let bench = WorkerBench(isManual: false, reporter: reports)
        try await bench.running {
            for state in [WorkerReport.State.draining, .drained, .running] {
                bench.queue.set(state)
                try await eventually("it is told that it is \(state)") { reports.all.last?.state == state }
            }
        }
        // At the end the worker drains by itself, which a look may meet.
        #expect(reports.all.map(\.state).filter { $0 != .running }.prefix(2) == [.draining, .drained])
        #expect(reports.all.last?.state == .stopped)
    }
}
