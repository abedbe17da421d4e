import Foundation
import Testing
import UploadTesting
import Uploads

@testable import UploadNotifier

/// Jobs whose message the broker has lost before a worker began it.
@Suite("Held jobs", .timeLimit(.minutes(10)))
struct HeldJobTests {
    private let policy = DeathCause.expired(queue: "upload.jobs.default.normal")
    private let served: [Lane: LaneDepth] = [.normal: LaneDepth(messages: 0, consumers: 1)]
    private let unserved: [Lane: LaneDepth] = [.normal: LaneDepth(messages: 0, consumers: 0)]

    private func run(
        _ bus: MemoryNotifierBus, _ path: String, clock: NotifierClock = .system,
        while body: (Ledger) async throws -> Void
    ) async throws {
        let ledger = try Ledger.open(path: path)
        var configuration = NotifierConfiguration(retryDelayMaximum: .milliseconds(10))
        configuration.holdInterval = .milliseconds(5)
        let service = NotifierService(
            bus: bus, ledger: ledger, delegates: [], configuration: configuration, clock: clock, logger: quiet)
        try await service.run { try await body(ledger) }
        try ledger.close()
    }

    @Test(arguments: [false, true]) func `a job without a lane is issued once there is one, also by the next notifier`(
        restarts: Bool
    ) async throws {
        let scratch = try Scratch()
        var bus = MemoryNotifierBus()
        bus.setDepths([:])
        let job = Sample.job()
        bus.send(.deadBaton(Baton(job: job), .noLane), .job(job, maybeRepeated: false))
        func waitForIssue(_ ledger: Ledger) async throws {
            bus.setDepths([.standard: unserved])
            try await until {
                let owed = try await ledger.owed()
                return bus.issued.count == 1 && owed.isEmpty
            }
            #expect(bus.issued.first?.generation == 2)
            #expect(bus.issued.first?.job == job)
            #expect(try await ledger.job(job.id)?.hold == nil)
        }
        try await run(bus, scratch.file()) { ledger in
            try await until { bus.acknowledged == 2 }
            #expect(try await ledger.job(job.id)?.hold?.cause == .noLane)
            #expect(bus.publications.isEmpty)
            if !restarts { try await waitForIssue(ledger) }
        }
        guard restarts else { return }
        bus = bus.reconnected()
        try await run(bus, scratch.file()) { try await waitForIssue($0) }
    }

    @Test func `a lane that is gone when the baton is issued holds the job, and owes nothing`() async throws {
        let scratch = try Scratch()
        let bus = MemoryNotifierBus()
        bus.setDepths([:])
        let job = Sample.job()
        bus.answerIssues(of: job.id, with: .noLane)
        bus.send(Sample.event(.suspect, job))
        try await run(bus, scratch.file()) { ledger in
            try await until { try await ledger.job(job.id)?.hold != nil }
            try await until { bus.acknowledged == 2 }
            try await until { try await ledger.owed().isEmpty }
            bus.answerIssues(of: job.id, with: nil)
            bus.setDepths([.standard: unserved])
            try await until { bus.issued.map(\.generation) == [3] }
        }
    }

    @Test func `what a policy has dropped waits for a worker and a queue that is not stopped`() async throws {
        let scratch = try Scratch()
        let path = scratch.file()
        let ledger = try Ledger.open(path: path)
        let jobs = (0..<20).map { Sample.job(key: "\($0)") }
        let messages = jobs.map { NotifierMessage.deadBaton(Baton(job: $0), policy) }
        _ = try await ledger.record(messages, view: ControlView(), routes: [], now: Sample.start)
        let owed = try await ledger.release(
            .standard, hasWorker: true, view: ControlView(), now: Sample.start + 62, limit: 100)
        #expect(owed.count == 20)
        // The markers of the jobs are lost.
        ledger.settle(owed.map(\.id))
        try ledger.close()

        let bus = MemoryNotifierBus()
        bus.setDepths([.standard: unserved])
        let clock = ManualClock()
        clock.advance(to: Sample.start + 300)
        try await run(bus, path, clock: clock.clock) { ledger in
            try await bus.append(.queueStopped(.standard))
            bus.setDepths([.standard: served])
            try await until { bus.attemptsAtViews.count > 0 }
            bus.send(Sample.event(.suspect, Sample.job(key: "other")))
            try await until { bus.issued.count == 1 }
            let before = bus.publications.count
            for _ in 0..<20 { try await tick(clock) }
            #expect(bus.publications.count == before, "the queue is stopped")
            let order = UploadOrder(.startQueues([.standard]), by: "test", at: clock.now)
            bus.send(.order(order, replyTo: nil))
            try await until { bus.publications.contains(.append(.queueStarted(.standard))) }
            try await until {
                try await tick(clock)
                return bus.issued.count == 21
            }
            #expect(Set(bus.issued.map(\.job.id)).isSuperset(of: jobs.map(\.id)))
        }
    }

    /// Lets the notifier look at the held jobs once more.
    private func tick(_ clock: ManualClock) async throws {
        try await until { clock.sleeperCount >= 2 }
        clock.advance(to: clock.now + 0.01)
        try await until { clock.sleeperCount >= 2 }
    }
}
