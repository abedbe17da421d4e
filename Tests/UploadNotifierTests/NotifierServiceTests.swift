import Foundation
import Logging
import Testing
import UploadTesting
import Uploads

@testable import UploadNotifier

@Suite("The notifier", .timeLimit(.minutes(10)))
struct NotifierServiceTests {
    /// Runs a notifier over a bus and a ledger file, stops it gracefully and closes the ledger.
    private func run(
        _ bus: MemoryNotifierBus, _ path: String, delegates: [RegisteredDelegate] = [],
        clock: NotifierClock = .system, while body: (Ledger) async throws -> Void
    ) async throws {
        let ledger = try Ledger.open(path: path)
        let service = NotifierService(
            bus: bus, ledger: ledger, delegates: delegates,
            configuration: NotifierConfiguration(retryDelayMaximum: .milliseconds(10)), clock: clock, logger: quiet)
        try await service.run { try await body(ledger) }
        try ledger.close()
    }

    @Test func `an end is recorded, published, delivered to the delegates, and acknowledged`() async throws {
        let scratch = try Scratch()
        let bus = MemoryNotifierBus()
        let delegate = ScriptedDelegate("hook")
        let job = Sample.job()
        bus.send(.job(job, maybeRepeated: false), Sample.event(.completed, job))
        try await run(bus, scratch.file(), delegates: [RegisteredDelegate(delegate)]) { ledger in
            try await until { bus.acknowledged == 2 && delegate.attempts.count == 1 }
            #expect(try await ledger.job(job.id)?.status == .completed)
            try await until { try await ledger.status(of: "hook").backlog == 0 }
        }
        #expect(bus.told.map(\.id) == ["\(job.id).1.ended"])
        #expect(delegate.attempts.map(\.id) == ["\(job.id).1.ended"])
    }

    @Test func `a suspect is issued anew: marker, baton, fence`() async throws {
        let scratch = try Scratch()
        let bus = MemoryNotifierBus()
        let job = Sample.job()
        bus.send(.job(job, maybeRepeated: false), Sample.event(.suspect, job))
        try await run(bus, scratch.file()) { ledger in
            try await until { bus.acknowledged == 3 }
            #expect(try await ledger.owed().isEmpty)
        }
        let kinds = bus.publications.map { publication in
            switch publication {
            case .mark: "mark"
            case .issue(let baton, _, let maybeRepeated): "issue \(baton.generation) \(maybeRepeated)"
            case .append(let entry): entry == .fence([job.id: 2]) ? "fence" : "other"
            case .tell: "tell"
            case .snapshot: "snapshot"
            }
        }
        #expect(kinds == ["mark", "issue 2 false", "fence"])
        #expect(bus.issued.first?.job == job)
    }

    /// Each of the publications fails once, before or after it took effect, and another process goes on.
    @Test(arguments: 1...4, MemoryNotifierBus.Fault.allCases)
    func `a crash between transaction, publication and confirm loses and doubles nothing`(
        attempt: Int, fault: MemoryNotifierBus.Fault
    ) async throws {
        let scratch = try Scratch()
        let job = Sample.job()
        // The clock stands still, so that the first process never tries again by itself.
        let clock = ManualClock()
        let first = MemoryNotifierBus(batchCountMaximum: 1)
        first.fail(attempt: attempt, fault)
        first.send(.job(job, maybeRepeated: false), Sample.event(.suspect, job))
        try await run(first, scratch.file(), clock: clock.clock) { _ in
            if attempt == 4 {
                try await until { first.attempts == 3 }
                first.send(Sample.event(.completed, job, generation: 2))
            }
            try await until { first.attempts == attempt }
        }
        let second = first.reconnected()
        try await run(second, scratch.file()) { ledger in
            try await until { second.waiting == 0 && second.attempts > attempt }
            try await until { try await ledger.owed().isEmpty }
            if try await ledger.job(job.id)?.end == nil {
                second.send(Sample.event(.completed, job, generation: 2))
                try await until { !second.told.isEmpty }
            }
            try await until { second.waiting == 0 }
            #expect(try await ledger.owed().isEmpty)
            #expect(try await ledger.events(of: job.id).filter { $0.kind == .completed }.count == 1)
        }
        #expect(Set(second.told.map(\.id)) == ["\(job.id).1.ended"])
        #expect(Set(second.told).count == 1)
        if attempt < 4 {
            // All repeats have the one generation that was noted, and are marked as repeats.
            #expect(Set(second.issued.map(\.generation)) == [2])
            let unflagged = second.publications.filter { if case .issue(_, _, false) = $0 { true } else { false } }
            #expect(unflagged.count <= 1)
        }
    }

    @Test func `the next batch is recorded while outcomes are published, none after it, and none acknowledged before`()
        async throws
    {
        let scratch = try Scratch()
        let jobs = (0..<3).map { Sample.job(key: "\($0)") }
        let bus = MemoryNotifierBus(batchCountMaximum: 1)
        let door = Door()
        bus.holdOutcomes(behind: door)
        for job in jobs { bus.send(Sample.event(.completed, job)) }
        try await run(bus, scratch.file()) { ledger in
            try await until { try await ledger.job(jobs[1].id)?.status == .completed }
            #expect(bus.acknowledged == 0)
            #expect(try await ledger.job(jobs[2].id) == nil)
            door.open()
            try await until { bus.acknowledged == 3 }
            #expect(try await ledger.owed().isEmpty)
        }
        #expect(bus.told.map(\.job.id) == jobs.map(\.id))
    }

    @Test func `decisions by the control log wait until the outcomes before them are published`() async throws {
        let scratch = try Scratch()
        let (ended, suspect) = (Sample.job(key: "a"), Sample.job(key: "b"))
        let bus = MemoryNotifierBus(batchCountMaximum: 1)
        let door = Door()
        bus.holdOutcomes(behind: door)
        bus.send(Sample.event(.completed, ended), Sample.event(.suspect, suspect))
        try await run(bus, scratch.file()) { ledger in
            try await until { try await ledger.job(ended.id)?.status == .completed }
            #expect(bus.publications.isEmpty)
            door.open()
            try await until { bus.acknowledged == 3 }
        }
        guard case .tell = bus.publications.first, case .mark = bus.publications.dropFirst().first else {
            Issue.record("\(bus.publications)")
            return
        }
    }

    @Test func `when an outcome cannot be published, those behind it wait for it`() async throws {
        let scratch = try Scratch()
        let jobs = (0..<3).map { Sample.job(key: "\($0)") }
        let bus = MemoryNotifierBus(batchCountMaximum: 1)
        let door = Door()
        bus.holdOutcomes(behind: door)
        bus.fail(attempt: 1, .before)
        for job in jobs { bus.send(Sample.event(.completed, job)) }
        try await run(bus, scratch.file()) { ledger in
            try await until { try await ledger.job(jobs[1].id)?.status == .completed }
            door.open()
            try await until { bus.acknowledged == 3 }
            #expect(try await ledger.owed().isEmpty)
        }
        // The second outcome had not been tried when the notifier began anew. Both were owed then, and published side by side.
        #expect(bus.attemptsAtViews == [0, 1])
        #expect(Set(bus.told.prefix(2).map(\.job.id)) == Set(jobs.prefix(2).map(\.id)))
        #expect(bus.told.dropFirst(2).map(\.job.id) == [jobs[2].id])
        #expect(bus.attempts == 4)
    }

    @Test func `what can never be published holds up no other job and is tried again at the next start`() async throws {
        let scratch = try Scratch()
        let (bad, good) = (Sample.job(), Sample.job())
        let bus = MemoryNotifierBus()
        bus.refuse(bad.id, with: UploadError(.misconfigured, "no such queue"))
        bus.send(Sample.event(.suspect, bad), Sample.event(.suspect, good))
        try await run(bus, scratch.file()) { ledger in
            try await until { bus.acknowledged == 4 }
            #expect(bus.issued.map(\.job.id) == [good.id])
            #expect(try await ledger.owed().first?.job == bad.id)
        }
        let next = bus.reconnected()
        next.refuse(bad.id, with: nil)
        try await run(next, scratch.file()) { ledger in
            try await until { try await ledger.owed().isEmpty }
        }
        #expect(next.issued.map(\.job.id) == [good.id, bad.id])
    }

    @Test func `a graceful shutdown cuts off a delegate that does not answer, and the next start delivers again`()
        async throws
    {
        let scratch = try Scratch()
        let job = Sample.job()
        let bus = MemoryNotifierBus()
        bus.send(Sample.event(.completed, job))
        let hanging = ScriptedDelegate("hook") { _ throws(UploadError) in
            do { try await Task.sleep(for: .seconds(3600)) } catch { throw UploadError(.interrupted, "stopped") }
        }
        try await run(bus, scratch.file(), delegates: [RegisteredDelegate(hanging)]) { _ in
            try await until { hanging.attempts.count == 1 }
        }
        let healthy = ScriptedDelegate("hook")
        try await run(bus.reconnected(), scratch.file(), delegates: [RegisteredDelegate(healthy)]) { _ in
            try await until { healthy.attempts.count == 1 }
        }
        #expect(healthy.attempts == hanging.attempts)
    }

    @Test func `snapshots of the control log hold what still matters`() async throws {
        let scratch = try Scratch()
        let clock = ManualClock()
        let bus = MemoryNotifierBus()
        let job = Sample.job()
        bus.send(Sample.event(.suspect, job))
        try await run(bus, scratch.file(), clock: clock.clock) { _ in
            try await until { bus.acknowledged == 2 }
            try await until { clock.sleeperCount >= 2 }
            clock.advance(to: Sample.start.addingTimeInterval(3600))
            try await until { if case .snapshot = bus.publications.last { true } else { false } }
        }
        guard case .snapshot(let view) = bus.publications.last else { return }
        #expect(view.fences == [job.id: 2])
    }

    @Test func `a fence is forgotten when nothing below it can be about any more, and only then the job`() async throws
    {
        let scratch = try Scratch()
        let clock = ManualClock()
        let bus = MemoryNotifierBus()
        let (ended, open) = (Sample.job(), Sample.job())
        bus.send(Sample.event(.suspect, ended), Sample.event(.suspect, open))
        try await run(bus, scratch.file(), clock: clock.clock) { ledger in
            try await until { bus.acknowledged == 4 }
            bus.send(Sample.event(.completed, ended, generation: 2))
            try await until { bus.acknowledged == 5 && clock.sleeperCount >= 2 }
            func upkeep(day: Double) async throws -> [ControlEntry] {
                let before = bus.publications.count
                clock.advance(to: Sample.start.addingTimeInterval(day * 86_400))
                var entries: [ControlEntry] = []
                try await until {
                    let new = bus.publications.dropFirst(before)
                    entries = new.compactMap { if case .append(let entry) = $0 { entry } else { nil } }
                    if case .snapshot = new.last { return true }
                    return false
                }
                return entries
            }
            // The ledger keeps the job longer than other ended jobs, because of its fence.
            let early = try await upkeep(day: 30.9)
            #expect(early.isEmpty)
            #expect(try await bus.controlView().fences == [ended.id: 2, open.id: 2])
            try await until { clock.sleeperCount >= 2 }
            #expect(try await ledger.job(ended.id) != nil)
            let late = try await upkeep(day: 31.1)
            #expect(late.first == .forget([ended.id: 2]))
            #expect(try await bus.controlView().fences == [open.id: 2])
            try await until { try await ledger.job(ended.id) == nil }
            #expect(try await ledger.job(open.id) != nil)
        }
    }
}
