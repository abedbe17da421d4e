import Foundation
import Synchronization
import Testing
import UploadTesting
import Uploads

@testable import UploadWorkers

@Suite(.timeLimit(.minutes(10))) struct DestinationMonitorTests {
    private final class Reports: WorkerReporter {
        private let reports = Mutex<[DestinationReport]>([])

        func tell(_ report: DestinationReport) { reports.withLock { $0.append(report) } }

        func tell(_ report: WorkerReport) {}

        func of(_ destination: String) -> [DestinationReport] {
            reports.withLock { $0.filter { $0.destination == destination } }
        }
    }

    @Test func `a worker reports that a circuit opened, and the state of other destinations`() async throws {
        let reports = Reports()
        let lost = UploadError(.networkFailure, "lost: try again")
        var configuration = WorkerConfiguration(concurrency: 2)
        configuration.name = "host/1-a"
        let bench = WorkerBench(configuration, isManual: false, reporter: reports) { log in
            MemoryDestination(limits: TransferLimits(jobs: 2), log: log) { job, _, _ throws(UploadError) in
                if job.destination.label == "bad" { throw lost }
            }
        }
        for _ in 0..<20 { bench.add(to: "bad") }
        for _ in 0..<5 { bench.add(to: "good") }
        try await bench.running {
            try await eventually("the circuit is told to be open") {
                reports.of("bad").contains { $0.circuit == .open && $0.until != nil }
            }
            try await eventually("the other is told of") { !reports.of("good").isEmpty }
        }
        #expect(reports.of("bad").allSatisfy { $0.worker == "host/1-a" && $0.limits.jobs == 2 })
        #expect(reports.of("good").allSatisfy { $0.circuit == .closed })
    }

    @Test func `how many jobs a destination takes at once is told, and halved when it asks for fewer`() async throws {
        let reports = Reports()
        let bench = WorkerBench(isManual: false, reporter: reports) { log in
            MemoryDestination(log: log) { job, _, sentBefore throws(UploadError) in
                guard job.destination.label == "throttled", sentBefore == 0 else { return }
                throw UploadError(
                    .rateLimited, "fewer", retry: .afterBackoff, response: ServerResponse(status: 503))
            }
        }
        bench.add(to: "throttled")
        bench.add()
        try await bench.running {
            try await eventually("both are told") {
                reports.of("throttled").contains { $0.jobsAtOnce == 8 }
                    && reports.of("memory").contains { $0.jobsAtOnce == 16 }
            }
        }
    }

    @Test func `a worker reports its jobs under way`() async throws {
        let reports = Reports()
        let door = Door()
        let bench = WorkerBench(isManual: false, reporter: reports) { log in
            MemoryDestination(log: log) { _, _, _ throws(UploadError) in await door.wait() }
        }
        for _ in 0..<3 { bench.add(size: 10) }
        try await bench.running {
            try await eventually("three jobs with a part each are told") {
                reports.of("memory").contains { $0.jobsInFlight == 3 && $0.partsInFlight == 3 }
            }
            door.open()
            try await eventually("all have ended") { bench.log.endedCount == 3 }
            try await eventually("and it is told that nothing is under way") {
                reports.of("memory").last?.jobsInFlight == 0
            }
        }
        #expect(reports.of("memory").last?.partsInFlight == 0)
    }
}
