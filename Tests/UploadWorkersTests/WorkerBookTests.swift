import Foundation
import Testing
import Uploads

@testable import UploadWorkers

@Suite struct WorkerBookTests {
    private let start = Date(timeIntervalSince1970: 1_800_000_000)
    private var book: WorkerBook

    init() {
        var configuration = WorkerConfiguration(concurrency: 7)
        configuration.name = "host/1-a"
        configuration.host = "host"
        configuration.version = "1.0.0"
        configuration.queues = [.standard]
        book = WorkerBook(configuration, startedAt: start)
    }

    private mutating func due(
        _ state: WorkerReport.State = .running, slots: Int = 0, jobs: [WorkerReport.RunningJob] = [], bytes: Int = 0,
        after seconds: TimeInterval
    ) -> WorkerReport? {
        book.due(WorkerBook.Facts(state: state, slotsUsed: slots, jobs: jobs, bytesSent: bytes), at: start + seconds)
    }

    @Test mutating func `the first look is reported, and each ten seconds after it`() throws {
        let first = try #require(due(slots: 2, after: 0))
        #expect(first.worker == "host/1-a" && first.host == "host" && first.version == "1.0.0")
        #expect(first.queues == [.standard] && first.slots == 7 && first.slotsUsed == 2 && first.startedAt == start)
        #expect(first.bytesPerSecond == nil)
        #expect(due(slots: 3, bytes: 50, after: 9.9) == nil)
        let jobs = [WorkerReport.RunningJob(id: JobID(), since: start + 1)]
        let second = try #require(due(slots: 4, jobs: jobs, bytes: 100, after: 10))
        #expect(second.slotsUsed == 4 && second.jobs == jobs && second.bytesPerSecond == 10)
        #expect(due(after: 19) == nil)
        #expect(try #require(due(bytes: 100, after: 20)).bytesPerSecond == 0)
    }

    @Test mutating func `a change of the state is reported at once, with the rate that was measured last`() throws {
        _ = due(after: 0)
        _ = due(bytes: 1000, after: 10)
        let draining = try #require(due(.draining, bytes: 1500, after: 10.5))
        #expect(draining.state == .draining && draining.bytesPerSecond == 100)
        #expect(due(.draining, bytes: 1600, after: 11) == nil)
        #expect(try #require(due(.stopped, bytes: 2000, after: 15)).bytesPerSecond == 200, "since the measurement")
    }

    @Test mutating func `a clock that is set back does not silence the worker`() throws {
        _ = due(after: 1000)
        #expect(due(bytes: 10, after: 0) != nil)
        #expect(try #require(due(bytes: 100, after: 10)).bytesPerSecond == 10)
    }
}
