import Foundation
import Synchronization
import Testing
import Uploads

@testable import UploadNotifier

@Suite("Delivering outcomes", .timeLimit(.minutes(10)))
struct DeliveryServiceTests {
    private let schedule = DeliverySchedule(jitter: 0)

    private func end(_ ledger: Ledger, _ jobs: [UploadJob], for delegates: [String]) async throws {
        _ = try await ledger.record(
            jobs.map { Sample.event(.completed, $0) }, view: ControlView(),
            routes: delegates.map { DeliveryRoute(delegate: $0) }, now: Sample.start)
    }

    @Test func `the schedule is that of Standard Webhooks, the first attempt at once`() async throws {
        let scratch = try Scratch()
        let ledger = try Ledger.open(path: scratch.file())
        let time = ManualClock()
        let moments = Mutex<[TimeInterval]>([])
        let dead = ScriptedDelegate("hook") { _ throws(UploadError) in
            moments.withLock { $0.append(time.now.timeIntervalSince(Sample.start)) }
            throw UploadError(.serverFailure, "down")
        }
        try await end(ledger, [Sample.job()], for: ["hook"])
        try await serve(ledger, [RegisteredDelegate(dead, schedule: schedule)], clock: time.clock) { _ in
            while try await ledger.status(of: "hook").pausedSince == nil {
                let count = dead.attempts.count
                try await until {
                    let isPaused = try await ledger.status(of: "hook").pausedSince != nil
                    return time.nextAlarm.map { $0 > time.now } ?? isPaused
                }
                guard let next = time.nextAlarm else { break }
                time.advance(to: next)
                try await until { dead.attempts.count > count }
                try await until {
                    let isPaused = try await ledger.status(of: "hook").pausedSince != nil
                    return isPaused || time.nextAlarm != nil
                }
            }
        }
        var expected: [TimeInterval] = [0]
        for delay in schedule.delays { expected.append((expected.last ?? 0) + delay) }
        #expect(moments.withLock { $0 } == expected)
        let status = try await ledger.status(of: "hook")
        #expect(status.backlog == 1)
        #expect(status.reason?.contains("down") == true)
        #expect(Set(dead.attempts).count == 1)
    }

    @Test func `what the delegate asks for is waited at least`() async throws {
        let scratch = try Scratch()
        let ledger = try Ledger.open(path: scratch.file())
        let time = ManualClock()
        let busy = ScriptedDelegate("hook") { attempt throws(UploadError) in
            if attempt == 1 { throw UploadError(.rateLimited, "busy", retry: .after(seconds: 120)) }
        }
        try await end(ledger, [Sample.job()], for: ["hook"])
        try await serve(ledger, [RegisteredDelegate(busy, schedule: schedule)], clock: time.clock) { _ in
            try await until { time.nextAlarm != nil }
            #expect(time.nextAlarm == Sample.start.addingTimeInterval(120))
            time.advance(to: Sample.start.addingTimeInterval(120))
            try await until { try await ledger.status(of: "hook").backlog == 0 }
        }
        #expect(busy.attempts.count == 2)
    }

    @Test func `a delegate that does not answer delays no other`() async throws {
        let scratch = try Scratch()
        let ledger = try Ledger.open(path: scratch.file())
        let slow = ScriptedDelegate("slow") { _ throws(UploadError) in
            do { try await Task.sleep(for: .seconds(3600)) } catch { throw UploadError(.interrupted, "stopped") }
        }
        let quick = ScriptedDelegate("quick")
        let jobs = (0..<30).map { Sample.job(key: "\($0)") }
        try await end(ledger, jobs, for: ["slow", "quick"])
        let delegates = [RegisteredDelegate(slow, concurrencyMaximum: 2), RegisteredDelegate(quick)]
        try await serve(ledger, delegates, clock: ManualClock().clock) { _ in
            try await until { try await ledger.status(of: "quick").backlog == 0 }
            try await until { slow.attempts.count == 2 }
            #expect(try await ledger.status(of: "slow").backlog == 30)
        }
        #expect(Set(quick.attempts.map(\.job.id)) == Set(jobs.map(\.id)))
        #expect(quick.attempts.count == 30)
        // The delivery that the stop cut off counts as no attempt, and is due again at once.
        #expect(
            try await ledger.due(for: "slow", ordered: false, now: Sample.start, excluding: [], limit: 100).allSatisfy {
                $0.attempts == 0
            })
    }

    /// The ledger's outbox, which records nothing until the gate is open, or fails to.
    private struct GatedOutbox: DeliveryOutbox {
        let ledger: Ledger
        let gate: AsyncStream<Void>
        var fails = false

        func delivered(
            _ ids: [DelegateDelivery.ID], at time: Date, attempt: DeliveryAttempt?
        ) async throws(UploadError) {
            if fails { throw UploadError(.serverFailure, "the disk is full", retry: .afterBackoff) }
            for await _ in gate {}
            try await ledger.delivered(ids, at: time, attempt: attempt)
        }

        func due(
            for delegate: String, ordered: Bool, now: Date, excluding: Set<DelegateDelivery.ID>, limit: Int
        ) async throws(UploadError) -> [DelegateDelivery] {
            try await ledger.due(for: delegate, ordered: ordered, now: now, excluding: excluding, limit: limit)
        }

        func nextDue(
            for delegate: String, ordered: Bool, excluding: Set<DelegateDelivery.ID>
        ) async throws(UploadError) -> Date? {
            try await ledger.nextDue(for: delegate, ordered: ordered, excluding: excluding)
        }

        func failed(
            _ ids: [DelegateDelivery.ID], attempt: DeliveryAttempt, dueAt: Date
        ) async throws(UploadError) {
            try await ledger.failed(ids, attempt: attempt, dueAt: dueAt)
        }

        func exhausted(_ delivery: DelegateDelivery, attempt: DeliveryAttempt) async throws(UploadError) -> Bool {
            try await ledger.exhausted(delivery, attempt: attempt)
        }

        func pause(_ delegate: String, reason: String, at time: Date, held: Bool) async throws(UploadError) {
            try await ledger.pause(delegate, reason: reason, at: time, held: held)
        }

        func resume(_ delegate: String, at time: Date) async throws(UploadError) {
            try await ledger.resume(delegate, at: time)
        }

        func status(of delegate: String) async throws(UploadError) -> DelegateStatus {
            try await ledger.status(of: delegate)
        }
    }

    @Test func `a delegate gets the next outcome while the ledger records that it has taken the last one`()
        async throws
    {
        let scratch = try Scratch()
        let ledger = try Ledger.open(path: scratch.file())
        try await end(ledger, (0..<20).map { Sample.job(key: "\($0)") }, for: ["hook"])
        let delegate = ScriptedDelegate("hook")
        let (gate, open) = AsyncStream.makeStream(of: Void.self)
        let one = RegisteredDelegate(delegate, concurrencyMaximum: 1)
        try await serve(GatedOutbox(ledger: ledger, gate: gate), [one], clock: ManualClock().clock) { _ in
            try await until { delegate.attempts.count == 20 }
            open.finish()
            try await until { try await ledger.status(of: "hook").backlog == 0 }
        }
        #expect(Set(delegate.attempts.map(\.id)).count == 20 && delegate.attempts.count == 20)
    }

    @Test func `while the ledger cannot record it, a delegate gets nothing`() async throws {
        let scratch = try Scratch()
        let ledger = try Ledger.open(path: scratch.file())
        try await end(ledger, (0..<20).map { Sample.job(key: "\($0)") }, for: ["hook"])
        let time = ManualClock()
        let delegate = ScriptedDelegate("hook") { attempt throws(UploadError) in
            // Each result that could not be recorded waits for five seconds.
            while time.sleeperCount < attempt - 1, !Task.isCancelled { await Task.yield() }
        }
        let outbox = GatedOutbox(ledger: ledger, gate: AsyncStream { $0.finish() }, fails: true)
        let one = RegisteredDelegate(delegate, concurrencyMaximum: 1)
        try await serve(outbox, [one], clock: time.clock) { service in
            try await until { (1...2).contains(time.sleeperCount) && time.sleeperCount == delegate.attempts.count }
            for _ in 0..<20 {
                service.wake()
                #expect(try await ledger.status(of: "hook").backlog == 20)
            }
            let count = delegate.attempts.count
            #expect(count <= 2)
            time.advance(to: Sample.start.addingTimeInterval(5))
            try await until { delegate.attempts.count > count }
        }
    }

    @Test func `new rows are delivered when it is woken`() async throws {
        let scratch = try Scratch()
        let ledger = try Ledger.open(path: scratch.file())
        let delegate = ScriptedDelegate("hook")
        try await serve(ledger, [RegisteredDelegate(delegate)], clock: ManualClock().clock) { service in
            for count in 1...3 {
                try await end(ledger, [Sample.job()], for: ["hook"])
                service.wake()
                try await until { delegate.attempts.count == count }
            }
        }
    }

    @Test func `an error that cannot pass pauses at once, keeps the backlog, and a restart serves it again`()
        async throws
    {
        let scratch = try Scratch()
        let ledger = try Ledger.open(path: scratch.file())
        let gone = ScriptedDelegate("hook") { _ throws(UploadError) in throw UploadError(.rejected, "gone") }
        try await end(ledger, [Sample.job(), Sample.job()], for: ["hook"])
        try await serve(ledger, [RegisteredDelegate(gone, concurrencyMaximum: 1)], clock: ManualClock().clock) { _ in
            try await until { try await ledger.status(of: "hook").pausedSince != nil }
        }
        #expect(gone.attempts.count == 1)
        #expect(try await ledger.status(of: "hook").backlog == 2)
        let mended = ScriptedDelegate("hook")
        try await serve(ledger, [RegisteredDelegate(mended)], clock: ManualClock().clock) { _ in
            try await until { try await ledger.status(of: "hook").backlog == 0 }
        }
        #expect(mended.attempts.count == 2)
    }

    @Test func `a delay grows by its jitter at most`() {
        var generator = SystemRandomNumberGenerator()
        let usual = DeliverySchedule()
        #expect(usual.delays == [5, 300, 1800, 7200, 18_000, 36_000, 50_400, 72_000, 86_400])
        for (index, delay) in usual.delays.enumerated() {
            for _ in 0..<100 {
                let drawn = usual.delay(afterAttempt: index + 1, using: &generator) ?? -1
                #expect((delay...delay * 1.1).contains(drawn))
            }
        }
        #expect(usual.delay(afterAttempt: usual.delays.count + 1, using: &generator) == nil)
    }
}
