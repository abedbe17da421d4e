import Foundation
import Synchronization
import Testing
import UploadTesting
import Uploads

@testable import UploadWorkers

@Suite(.timeLimit(.minutes(10))) struct UploadWorkerTests {
    @Test func `a job of many parts is opened, handed over, and carried by parts in parallel`() async throws {
        let gate = Door()
        let bench = WorkerBench { log in
            MemoryDestination(log: log) { _, _, _ throws(UploadError) in await gate.wait() }
        }
        let job = bench.add(size: 95)
        try await bench.running {
            try await eventually { bench.log.counts.partsInFlight == 4 }
            gate.open()
            try await eventually { bench.log.endedCount == 1 }
        }
        let state = UploadState(driver: "memory", payload: .string(job.id.rawValue))
        let settlements = bench.log.settlements(of: job.id)
        #expect(settlements.first == .handOver(state.untouched))
        #expect(settlements.last?.label == "ended")
        #expect(settlements.count == 2)
        #expect(bench.log.counts.accepted[job.id]?.sorted() == Array(1...10))
        #expect(bench.log.counts.partsInFlightMaximum == 4)
        #expect(bench.log.counts.removedCopies == [job.id])
        #expect(bench.log.counts.settled.last?.slice.report.bytesSent == 95)
    }

    @Test func `a destination that tells rounds apart is told the job's round`() async throws {
        let bench = WorkerBench()
        bench.queue.add(Baton(job: WorkerBench.job(), round: 3, generation: 2))
        bench.add()
        try await bench.running { try await eventually { bench.log.endedCount == 2 } }
        #expect(bench.log.counts.openedRounds.sorted() == [1, 3])
    }

    @Test func `what a destination keeps counts, though each session has to compare it anew`() async throws {
        let bench = WorkerBench { MemoryDestination(comparesAnew: true, log: $0) }
        let job = WorkerBench.job(size: 50)
        let session = try await bench.destination.open(job, resuming: nil)
        try await session.upload(session.plan.part(1), from: CountedSource(size: 50)) { _ in }
        await session.close()
        // The state that a slice leaves after it began anew, sent the first part and used up its time.
        var baton = Baton(job: job)
        baton.slice = 2
        baton.state = session.state
        baton.state?.bytesMissing = 50
        bench.queue.add(baton)
        try await bench.running { try await eventually { bench.log.counts.settled.count == 1 } }
        #expect(bench.log.settlements(of: job.id).map(\.label) == ["ended"])
    }

    @Test func `no more slices run at once than are configured`() async throws {
        let bench = WorkerBench(WorkerConfiguration(concurrency: 3))
        for _ in 0..<200 { bench.add() }
        try await bench.running { try await eventually { bench.log.endedCount == 200 } }
        #expect(bench.log.counts.jobsInFlightMaximum <= 3)
    }

    @Test(arguments: 0..<20) func `with one slot the order of begin is the order of delivery`(_: Int) async throws {
        let begun = Begun()
        let bench = WorkerBench(WorkerConfiguration(concurrency: 1)) { log in
            MemoryDestination(log: log) { job, _, _ throws(UploadError) in
                begun.jobs.withLock { $0.append(job.id) }
            }
        }
        let jobs = (0..<50).map { _ in bench.add() }
        try await bench.running { try await eventually { bench.log.endedCount == 50 } }
        #expect(begun.jobs.withLock { $0 } == jobs.map(\.id))
    }

    @Test func `ten thousand small jobs leave nothing behind`() async throws {
        let bench = WorkerBench()
        for _ in 0..<10_000 { bench.add() }
        try await bench.running {
            try await eventually { bench.log.endedCount == 10_000 && bench.log.counts.liveClaims == 0 }
        }
        let counts = bench.log.counts
        #expect(bench.destination.objectCount == 10_000)
        #expect(bench.destination.sessionCount == 0)
        #expect(counts.openSources == 0)
        #expect(counts.openSessions == 0)
        #expect(bench.worker.heldCount == 0)
        #expect(bench.clock.sleeperCount == 0)
    }

    @Test func `a part that fails is sent again within the slice`() async throws {
        let bench = WorkerBench(isManual: false) { log in
            MemoryDestination(log: log) { _, part, before throws(UploadError) in
                if part.number == 2, before < 2 { throw UploadError(.networkFailure, "lost: try again") }
            }
        }
        let job = bench.add(size: 30)
        try await bench.running { try await eventually { bench.log.endedCount == 1 } }
        #expect(bench.log.settlements(of: job.id).count == 2)
        #expect(bench.log.counts.accepted[job.id]?.sorted() == [1, 2, 3])
    }

    @Test func `a part that keeps failing makes the job wait, with its session`() async throws {
        let bench = WorkerBench(isManual: false) { log in
            MemoryDestination(log: log) { _, part, _ throws(UploadError) in
                if part.number == 3 { throw UploadError(.serverFailure, "broken: try later") }
            }
        }
        let job = bench.add(size: 30)
        try await bench.running { try await eventually { bench.queue.waiting.count == 1 } }
        let waiting = try #require(bench.queue.waiting.first)
        #expect(waiting.attempts == 1)
        #expect(waiting.state?.driver == "memory")
        #expect(waiting.failures.map(\.code) == [.serverFailure])
        #expect(bench.log.counts.accepted[job.id]?.sorted() == [1, 2])
        #expect(bench.log.counts.openSources == 0)
        #expect(bench.log.counts.openSessions == 0)
    }

    @Test func `a lost answer to the completing call is found by asking`() async throws {
        let isFirst = Mutex(true)
        let bench = WorkerBench { log in
            MemoryDestination(
                log: log,
                completing: { _ throws(UploadError) in
                    guard
                        isFirst.withLock({ first in
                            defer { first = false }; return first
                        })
                    else { return }
                    throw UploadError(.preconditionFailed, "something lies there: look")
                })
        }
        bench.add()
        try await bench.running { try await eventually { bench.log.endedCount == 1 } }
        #expect(bench.log.counts.completions == 1)
    }

    @Test(arguments: [BatonValidity.superseded, .disconnected])
    func `a lost baton cancels its requests at once`(validity: BatonValidity) async throws {
        let never = Door()
        let bench = WorkerBench { log in
            MemoryDestination(log: log) { _, _, _ throws(UploadError) in await never.wait() }
        }
        let job = bench.add()
        try await bench.running {
            try await eventually { bench.log.counts.partsInFlight == 1 }
            bench.queue.claim(of: job.id)?.set(validity)
            try await eventually { bench.log.counts.settled.count == 1 }
        }
        #expect(bench.log.settlements(of: job.id) == [validity == .superseded ? .superseded : .abandoned])
        #expect(bench.log.counts.accepted[job.id] == nil)
        #expect(bench.log.counts.openSources == 0)
        #expect(bench.log.counts.openSessions == 0)
    }

    @Test func `a paused job stops at its part boundary`() async throws {
        let gate = Door()
        let bench = WorkerBench(WorkerConfiguration(parts: 1)) { log in
            MemoryDestination(log: log) { _, _, _ throws(UploadError) in await gate.wait() }
        }
        let job = bench.add(size: 30)
        try await bench.running {
            try await eventually { bench.log.counts.partsInFlight == 1 }
            bench.queue.claim(of: job.id)?.set(.paused)
            // The watcher of a paused slice sleeps only after it has reported the pause.
            try await eventually { bench.clock.sleeperCount == 2 }
            gate.open()
            try await eventually { bench.queue.waiting.count == 1 }
        }
        guard case .wait(_, .paused, _)? = bench.log.settlements(of: job.id).last else {
            Issue.record("\(bench.log.settlements(of: job.id))")
            return
        }
        #expect(bench.log.counts.accepted[job.id] == [1])
    }

    @Test func `a fresh job is reported as started after a second of work`() async throws {
        let gate = Door()
        let bench = WorkerBench { log in
            MemoryDestination(log: log) { _, _, _ throws(UploadError) in await gate.wait() }
        }
        let job = bench.add()
        try await bench.running {
            try await eventually { bench.log.counts.partsInFlight == 1 && bench.clock.sleeperCount == 1 }
            #expect(bench.log.counts.started.isEmpty)
            bench.clock.advance(by: .seconds(1))
            try await eventually { bench.log.counts.started.count == 1 }
            gate.open()
            try await eventually { bench.log.endedCount == 1 }
        }
        #expect(bench.log.counts.started.first?.job == job.id)
    }

    @Test func `an issued job is reported as started at once, and once`() async throws {
        let bench = WorkerBench()
        let job = WorkerBench.job()
        bench.queue.add(Baton(job: job, generation: 2))
        try await bench.running { try await eventually { bench.log.endedCount == 1 } }
        #expect(bench.log.counts.started.map(\.job) == [job.id])
    }

    @Test func `progress is reported at most once an interval`() async throws {
        let gate = Door()
        let bench = WorkerBench { log in
            MemoryDestination(log: log) { _, part, _ throws(UploadError) in if part.number == 3 { await gate.wait() } }
        }
        let job = bench.add(size: 30)
        try await bench.running {
            try await eventually { bench.log.counts.accepted[job.id]?.count == 2 }
            for second in 1...5 as ClosedRange<Int64> {
                try await eventually { bench.clock.isAwaited(at: .seconds(second)) }
                bench.clock.advance(by: .seconds(1))
            }
            try await eventually { bench.log.counts.progress.count == 5 }
            gate.open()
            try await eventually { bench.log.endedCount == 1 }
        }
        #expect(bench.log.counts.progress.map(\.bytesDone) == [20, 20, 20, 20, 20])
        #expect(bench.log.counts.progress.map(\.partBytes) == [10, 10, 10, 10, 10])
    }

    @Test func `the end of the slice hands the baton over at a part boundary`() async throws {
        let gate = Door()
        let bench = WorkerBench(
            WorkerConfiguration(parts: 1, slice: .seconds(5), progressInterval: .seconds(60)), redelivers: true
        ) { log in
            MemoryDestination(log: log) { _, _, _ throws(UploadError) in await gate.wait() }
        }
        let job = bench.add(size: 30)
        try await bench.running {
            try await eventually { bench.log.counts.partsInFlight == 1 && bench.clock.sleeperCount == 1 }
            bench.clock.advance(by: .seconds(5))
            try await eventually { bench.clock.isAwaited(at: .seconds(60)) }
            gate.open()
            try await eventually { bench.log.endedCount == 1 }
        }
        #expect(bench.log.settlements(of: job.id).map(\.label) == ["handOver", "handOver", "ended"])
        #expect(bench.log.counts.accepted[job.id] == [1, 2, 3])
    }

    @Test func `a destination that is not known makes the job wait, not fail`() async throws {
        let bench = WorkerBench()
        let job = bench.add(to: "unknown")
        try await bench.running { try await eventually { bench.queue.waiting.count == 1 } }
        guard case .wait(_, .unknownDestination, nil)? = bench.log.settlements(of: job.id).first else {
            Issue.record("\(bench.log.settlements(of: job.id))")
            return
        }
        #expect(bench.queue.waiting.first?.attempts == 0)
    }

    @Test func `a job that a destination's limit holds up goes to the ladder after a second`() async throws {
        let gate = Door()
        let bench = WorkerBench { log in
            MemoryDestination(limits: TransferLimits(jobs: 1), log: log) { _, _, _ throws(UploadError) in
                await gate.wait()
            }
        }
        bench.add()
        try await bench.running {
            try await eventually { bench.log.counts.partsInFlight == 1 && bench.clock.sleeperCount == 1 }
            let second = bench.add()
            try await eventually { bench.clock.sleeperCount == 2 }
            bench.clock.advance(by: .seconds(1))
            try await eventually { bench.queue.waiting.count == 1 }
            guard case .wait(_, .limited(_), nil)? = bench.log.settlements(of: second.id).first else {
                Issue.record("\(bench.log.settlements(of: second.id))")
                return
            }
            #expect(bench.queue.waiting.first?.idleWaits == 1)
            gate.open()
            try await eventually { bench.log.endedCount == 1 }
        }
    }

    @Test func `something urgent takes the place of the youngest that can yield`() async throws {
        let gate = Door()
        let bench = WorkerBench(WorkerConfiguration(concurrency: 1, parts: 1)) { log in
            MemoryDestination(log: log) { job, _, _ throws(UploadError) in
                if job.priority == .bulk { await gate.wait() }
            }
        }
        let bulk = bench.add(size: 30, priority: .bulk)
        try await bench.running {
            try await eventually { bench.log.counts.partsInFlight == 1 }
            let urgent = bench.add(priority: .urgent)
            try await eventually { bench.worker.heldCount == 2 }
            gate.open()
            try await eventually { bench.log.endedCount == 2 }
            let ends = bench.log.counts.settled.filter { $0.slice.settlement.label == "ended" }.map(\.baton.job.id)
            #expect(ends == [urgent.id, bulk.id])
        }
    }

    @Test func `what a newer job stored while an older one was completing is not overwritten`() async throws {
        let (arrived, gate) = (Door(), Door())
        var older = WorkerBench.job(size: 30)
        older.enqueuedAt -= 60
        let olderID = older.id
        let bench = WorkerBench { log in
            MemoryDestination(
                log: log,
                completing: { job throws(UploadError) in
                    guard job.id == olderID else { return }
                    arrived.open()
                    await gate.wait()
                })
        }
        bench.queue.add(Baton(job: older))
        var newer = WorkerBench.job()
        newer.destination = older.destination
        try await bench.running {
            await arrived.wait()
            bench.queue.add(Baton(job: newer))
            try await eventually { bench.log.endedCount == 1 }
            gate.open()
            try await eventually { bench.log.endedCount == 2 }
        }
        guard case .named(_, let key) = older.destination,
            case .ended(.completed(let object, _))? = bench.log.settlements(of: olderID).last
        else {
            Issue.record("\(bench.log.settlements(of: olderID))")
            return
        }
        #expect(object.isOvertaken)
        #expect(bench.destination.owner(of: key) == newer.id)
        #expect(bench.destination.sessionCount == 0)
    }

    @Test(arguments: [IfExists.skip, .fail])
    func `a job that keeps what it finds neither writes nor opens its source`(ifExists: IfExists) async throws {
        let bench = WorkerBench()
        let first = bench.add(size: 30)
        var second = WorkerBench.job(size: 30)
        second.destination = first.destination
        second.ifExists = ifExists
        try await bench.running {
            try await eventually { bench.log.endedCount == 1 }
            bench.queue.add(Baton(job: second))
            try await eventually { bench.log.endedCount == 2 }
        }
        guard case .named(_, let key) = first.destination else { return }
        #expect(bench.destination.owner(of: key) == first.id)
        #expect(bench.log.counts.completions == 1)
        #expect(bench.log.counts.accepted[second.id] == nil)
        let settlements = bench.log.settlements(of: second.id)
        #expect(settlements.count == 1)
        switch settlements.first {
        case .ended(.completed(let object, _))? where ifExists == .skip: #expect(object.isKept)
        case .ended(.failed(let error, state: nil))? where ifExists == .fail:
            #expect(error.code == .preconditionFailed)
        default: Issue.record("\(settlements)")
        }
        #expect(bench.log.counts.removedCopies.contains(second.id) == (ifExists == .skip))
    }

    @Test func `of two jobs that replace nothing and come at once, one is kept`() async throws {
        let (arrived, gate) = (Door(), Door())
        var slow = WorkerBench.job(size: 30)
        slow.ifExists = .skip
        let slowID = slow.id
        let bench = WorkerBench { log in
            MemoryDestination(
                log: log,
                completing: { job throws(UploadError) in
                    guard job.id == slowID else { return }
                    arrived.open()
                    await gate.wait()
                })
        }
        var quick = WorkerBench.job()
        quick.destination = slow.destination
        quick.ifExists = .fail
        bench.queue.add(Baton(job: slow))
        try await bench.running {
            await arrived.wait()
            bench.queue.add(Baton(job: quick))
            try await eventually { bench.log.endedCount == 1 }
            gate.open()
            try await eventually { bench.log.endedCount == 2 }
        }
        guard case .named(_, let key) = slow.destination,
            case .ended(.completed(let object, _))? = bench.log.settlements(of: slowID).last
        else {
            Issue.record("\(bench.log.settlements(of: slowID))")
            return
        }
        #expect(object.isKept)
        #expect(bench.destination.owner(of: key) == quick.id)
        #expect(bench.destination.sessionCount == 0)
    }

    @Test func `a worker that has had nothing to do for long enough returns`() async throws {
        let bench = WorkerBench(
            WorkerConfiguration(grace: .milliseconds(10), exitWhenIdle: .milliseconds(40)), isManual: false)
        for _ in 0..<50 { bench.add() }
        try await bench.worker.run()
        #expect(bench.log.endedCount == 50)
    }

    @Test func `a worker that is cancelled hands over what it can`() async throws {
        let never = Door()
        let bench = WorkerBench { log in
            MemoryDestination(log: log) { _, _, _ throws(UploadError) in await never.wait() }
        }
        let job = bench.add(size: 30)
        let run = Task { try await bench.worker.run() }
        try await eventually { bench.log.counts.partsInFlight > 0 }
        run.cancel()
        _ = await run.result
        #expect(bench.log.settlements(of: job.id).last?.label == "handOver")
        #expect(bench.log.counts.openSources == 0)
        #expect(bench.log.counts.openSessions == 0)
    }
}

/// Jobs in the order in which their first part was sent.
private final class Begun: Sendable {
    let jobs = Mutex<[JobID]>([])
}
