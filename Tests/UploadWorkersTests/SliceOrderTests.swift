import Dispatch
import Foundation
import Testing
import UploadTesting
import Uploads

@testable import UploadWorkers

/// Decisions about a slice before one of its tasks has begun.
@Suite(.timeLimit(.minutes(10))) struct SliceOrderTests {
    /// Runs one piece of work after the other, in the order of arrival: a task never begins before the task that created it suspends.
    private final class OneByOne: TaskExecutor {
        private let queue = DispatchQueue(label: "one by one")

        func enqueue(_ job: consuming ExecutorJob) {
            let job = UnownedJob(job)
            queue.async { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
        }
    }

    /// A baton whose session is open, with three parts to send.
    private func baton(_ bench: WorkerBench) async throws -> Baton {
        var baton = Baton(job: WorkerBench.job(size: 30))
        guard case .handOver(let state?) = await bench.worker.handle(Delivery(baton: baton, lane: .normal)).settlement
        else { throw DidNotHappen("a new session is handed over before its first part") }
        baton.state = state
        baton.slice += 1
        return baton
    }

    @Test func `a slot that is asked back before its slice runs is given back at the next part boundary`() async throws
    {
        let bench = WorkerBench(WorkerConfiguration(concurrency: 1, parts: 1))
        let baton = try await baton(bench)
        let first = bench.worker.accept(Delivery(baton: baton, lane: .normal))
        // The slot is granted, and asked back for the urgent job, while the first slice's task has not begun.
        let urgent = Baton(job: WorkerBench.job(priority: .urgent))
        let second = bench.worker.accept(Delivery(baton: urgent, lane: .urgent))
        let given = await first()
        #expect(given.settlement.label == "handOver")
        #expect((bench.log.counts.accepted[baton.job.id] ?? []).count < 3)
        _ = await second()
        #expect(bench.worker.heldCount == 0)
    }

    @Test func `what is cancelled between its decision and the beginning of its task is cancelled`() async throws {
        let never = Door()
        let bench = WorkerBench(
            WorkerConfiguration(
                concurrency: 1, parts: 1, slice: .seconds(1000), consumerTimeout: .milliseconds(7500),
                progressInterval: .seconds(10_000))
        ) { log in
            MemoryDestination(
                log: log,
                completing: { _ throws(UploadError) in
                    await never.wait()
                    if Task.isCancelled { throw UploadError(.interrupted, "the completing call was cancelled") }
                })
        }
        let baton = try await baton(bench)
        // This is the last check before the completing call: the slice's time runs out now, so that both facts come at once, and the call is
        // decided on and cancelled before its task begins.
        let delivery = Delivery(baton: baton, lane: .normal) {
            if bench.log.counts.accepted[baton.job.id]?.count == 3 { bench.clock.advance(by: .seconds(5)) }
        }
        let slice = Task(executorPreference: OneByOne()) { await bench.worker.handle(delivery) }
        let isSettled = Door()
        Task {
            _ = await slice.value
            isSettled.open()
        }
        do {
            try await eventually("the slice settles", within: .seconds(60)) { isSettled.isOpen }
        } catch {
            never.open()
            throw error
        }
        #expect(bench.log.counts.accepted[baton.job.id]?.count == 3)
        #expect(bench.log.counts.completions == 0)
        #expect(await slice.value.settlement.label != "ended")
    }
}
