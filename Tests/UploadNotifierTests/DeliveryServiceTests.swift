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
