import Foundation
import Synchronization
import Testing
import Uploads

@testable import UploadWorkers

@Suite(.timeLimit(.minutes(10))) struct RunningSlicesTests {
    private let start = Date(timeIntervalSince1970: 1_800_000_000)

    private final class Facts: Sendable {
        private let facts = Mutex<[SliceFact]>([])
        var all: [SliceFact] { facts.withLock { $0 } }
        func tell(_ fact: SliceFact) { facts.withLock { $0.append(fact) } }
    }

    @Test func `a preemption that comes before the slice runs reaches it when it runs`() {
        let slices = RunningSlices()
        let facts = Facts()
        slices.expect(7)
        slices.preempt(7)
        #expect(facts.all.isEmpty)
        slices.add(7, of: JobID(), at: start, facts.tell)
        #expect(facts.all == [.yieldRequested(.preempt)])
        slices.preempt(7)
        #expect(facts.all.count == 2)
    }

    @Test func `a preemption reaches its slice alone, and nothing is kept for a slice that has ended`() {
        let slices = RunningSlices()
        let (one, other) = (Facts(), Facts())
        slices.expect(1)
        slices.expect(2)
        slices.preempt(1)
        slices.add(2, of: JobID(), at: start, other.tell)
        #expect(other.all.isEmpty)
        slices.remove(1)
        slices.preempt(1)
        slices.add(1, of: JobID(), at: start, one.tell)
        #expect(one.all.isEmpty)
    }

    @Test func `the jobs of the slices that began first are known while they run`() {
        let slices = RunningSlices()
        let jobs = (0..<3).map { _ in JobID() }
        for (index, seconds) in [2.0, 0, 1].enumerated() {
            slices.expect(UInt64(index))
            slices.add(UInt64(index), of: jobs[index], at: start + seconds) { _ in }
        }
        #expect(slices.jobs(atMost: 2).map(\.id) == [jobs[1], jobs[2]])
        slices.remove(1)
        #expect(
            slices.jobs(atMost: 9)
                == [jobs[2], jobs[0]].enumerated().map { .init(id: $1, since: start + 1 + Double($0)) })
    }

    @Test func `a drain outlives everything: it goes before a preemption that was kept`() {
        let slices = RunningSlices()
        let facts = Facts()
        slices.expect(1)
        slices.preempt(1)
        slices.drain()
        slices.add(1, of: JobID(), at: start, facts.tell)
        #expect(facts.all == [.yieldRequested(.drain), .yieldRequested(.preempt)])
    }

    @Test func `a request that was decided on before all were cancelled is cancelled when it begins`() async {
        let requests = Requests()
        let early = requests.ticket()
        requests.cancelAll()
        let late = requests.ticket()
        // Like any request, the task may begin a moment before it is cancelled.
        let waits: @Sendable () async -> SliceFact = {
            try? await Task.sleep(for: .seconds(3600))
            return Task.isCancelled ? .sourceGone : .sourceBusy
        }
        let answers: @Sendable () async -> SliceFact = { Task.isCancelled ? .sourceGone : .sourceClaimed }
        #expect(await requests.run(early, waits) == .sourceGone)
        #expect(await requests.run(late, answers) == .sourceClaimed)
        requests.close()
        #expect(await requests.run(requests.ticket(), waits) == .sourceGone)
    }
}
