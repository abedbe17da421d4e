import Foundation
import Synchronization
import Testing
import UploadTesting
import Uploads

@testable import UploadWorkers

/// A destination that has all bytes and has not processed them yet.
@Suite(.timeLimit(.minutes(10))) struct NotYetTests {
    @Test func `it is asked again slice by slice, without an attempt and without a part sent twice`() async throws {
        let asked = Mutex(0)
        let bench = WorkerBench { log in
            MemoryDestination(
                log: log,
                completing: { _ throws(UploadError) in
                    let number = asked.withLock { asked in
                        asked += 1
                        return asked
                    }
                    guard number > 3 else {
                        throw UploadError(.unknown, "it is not done: wait", retry: .notYet(seconds: 5))
                    }
                })
        }
        let job = bench.add()
        try await bench.running {
            for waits in 1...3 {
                try await eventually { bench.queue.waiting.count == waits }
                bench.queue.add(try #require(bench.queue.waiting.last))
            }
            try await eventually { bench.log.endedCount == 1 }
        }
        let settlements = bench.log.settlements(of: job.id)
        #expect(settlements.count == 4)
        for settlement in settlements.dropLast() {
            guard case .wait(_, .notYet(let error), let state) = settlement else {
                Issue.record("\(settlement)")
                continue
            }
            #expect(error.retry == .notYet(seconds: 5) && state != nil)
        }
        #expect(settlements.last?.label == "ended")
        #expect(bench.log.counts.accepted[job.id] == [1])
        #expect(bench.log.counts.openSources == 0 && bench.log.counts.openSessions == 0)
    }
}
