import Foundation
import Synchronization
import Testing
import Uploads

@testable import UploadNotifier

@Suite("The delivery log and replays", .timeLimit(.minutes(10)))
struct DeliveryHistoryTests {
    private func recorded(_ ledger: Ledger, _ count: Int, for delegates: [String] = ["hook"]) async throws
        -> [UploadJob]
    {
        let jobs = (0..<count).map { Sample.job(key: "\($0)") }
        for (index, job) in jobs.enumerated() {
            _ = try await ledger.record(
                [Sample.event(.completed, job)], view: ControlView(),
                routes: delegates.map { DeliveryRoute(delegate: $0) },
                now: Sample.start.addingTimeInterval(Double(index)))
        }
        return jobs
    }

    private func due(_ ledger: Ledger, _ delegate: String = "hook") async throws -> [DelegateDelivery] {
        try await ledger.due(
            for: delegate, ordered: false, now: Sample.start.addingTimeInterval(1e6), excluding: [], limit: 100)
    }

    private func attempt(_ seconds: Double, status: Int? = nil, error: String? = nil) -> DeliveryAttempt {
        DeliveryAttempt(
            at: Sample.start.addingTimeInterval(seconds), seconds: 0.25, status: status, answer: "said", error: error)
    }

    @Test func `every attempt is logged with its status, its duration and what was answered`() async throws {
        let scratch = try Scratch()
        let ledger = try Ledger.open(path: scratch.file())
        _ = try await recorded(ledger, 1)
        let delivery = try #require(try await due(ledger).first)
        let attempts = [attempt(10, status: 500, error: "down"), attempt(20, status: 204)]
        try await ledger.failed([delivery.id], attempt: attempts[0], dueAt: Sample.start.addingTimeInterval(15))
        let waiting = try #require(try await ledger.deliveries(DeliveryListing()).first)
        #expect(waiting.status == .waiting)
        #expect(waiting.error == "down")
        #expect(waiting.dueAt == Sample.start.addingTimeInterval(15))
        try await ledger.delivered([delivery.id], at: Sample.start.addingTimeInterval(20.25), attempt: attempts[1])
        #expect(try await ledger.attempts(of: delivery.id) == attempts)
        let record = try #require(try await ledger.deliveries(DeliveryListing()).first)
        #expect(record.status == .delivered)
        #expect(record.event == delivery.event.id)
        #expect(record.attempts == 1)
        #expect(record.error == nil)
    }

    @Test func `what a delegate's filter does not let pass is never owed to it`() async throws {
        let scratch = try Scratch()
        let ledger = try Ledger.open(path: scratch.file())
        let routes = [
            DeliveryRoute(delegate: "hook"),
            DeliveryRoute(delegate: "video", filter: DeliveryFilter(queues: ["video"])),
            DeliveryRoute(delegate: "default", filter: DeliveryFilter(queues: ["default"])),
            DeliveryRoute(delegate: "failures", kinds: [.failed], filter: DeliveryFilter(queues: ["default"])),
        ]
        _ = try await ledger.record(
            [Sample.event(.completed, Sample.job())], view: ControlView(), routes: routes, now: Sample.start)
        #expect(try await ledger.statuses().map(\.delegate) == ["default", "hook"])
    }

    @Test func `of a delivery's attempts the last are kept`() async throws {
        let scratch = try Scratch()
        let ledger = try Ledger.open(path: scratch.file())
        _ = try await recorded(ledger, 1)
        let delivery = try #require(try await due(ledger).first)
        let attempts = (0..<Ledger.attemptsKept + 5).map { attempt(Double($0), error: "down") }
        for attempt in attempts { try await ledger.failed([delivery.id], attempt: attempt, dueAt: Sample.start) }
        #expect(try await ledger.attempts(of: delivery.id) == Array(attempts.suffix(Ledger.attemptsKept)))
    }

    @Test func `listings go page by page, by delegate, by job and by status`() async throws {
        let scratch = try Scratch()
        let ledger = try Ledger.open(path: scratch.file())
        let jobs = try await recorded(ledger, 5, for: ["hook", "other"])
        let first = try await ledger.deliveries(DeliveryListing(delegate: "hook", limit: 3))
        let rest = try await ledger.deliveries(DeliveryListing(delegate: "hook", before: first.last?.id, limit: 3))
        #expect((first + rest).map(\.job) == jobs.reversed().map(\.id.rawValue))
        #expect(try await ledger.deliveries(DeliveryListing(job: jobs[2].id)).count == 2)
        try await ledger.delivered([first[0].id], at: Sample.start)
        #expect(
            try await ledger.deliveries(DeliveryListing(delegate: "hook", status: .delivered)).map(\.id)
                == [first[0].id])
        #expect(try await ledger.deliveries(DeliveryListing(delegate: "hook", status: .waiting)).count == 4)
    }

    @Test func `an outcome that alone is refused is given up and kept, the delegate goes on`() async throws {
        let scratch = try Scratch()
        let ledger = try Ledger.open(path: scratch.file())
        let jobs = try await recorded(ledger, 2)
        let deliveries = try await due(ledger)
        try await ledger.failed([deliveries[0].id], attempt: attempt(10, error: "bad"), dueAt: Sample.start)
        try await ledger.delivered([deliveries[1].id], at: Sample.start.addingTimeInterval(11))
        let last = try #require(try await due(ledger).first)
        #expect(last.failingSince == Sample.start.addingTimeInterval(10))
        #expect(try await !ledger.exhausted(last, attempt: attempt(100, status: 400, error: "bad")))
        #expect(try await due(ledger).isEmpty)
        let status = try await ledger.status(of: "hook")
        #expect(status == DelegateStatus(delegate: "hook", backlog: 0, failed: 1))
        #expect(try await ledger.deliveries(DeliveryListing(status: .failed)).map(\.job) == [jobs[0].id.rawValue])

        #expect(try await ledger.replay(.failed(delegate: "hook"), at: Sample.start.addingTimeInterval(200)) == 1)
        let again = try #require(try await due(ledger).first)
        #expect(again.event == deliveries[0].event)
        #expect(again.attempts == 0)
    }

    @Test func `a delegate that takes nothing is paused, and nothing is given up`() async throws {
        let scratch = try Scratch()
        let ledger = try Ledger.open(path: scratch.file())
        _ = try await recorded(ledger, 2)
        let deliveries = try await due(ledger)
        #expect(try await ledger.exhausted(deliveries[0], attempt: attempt(100, error: "down")))
        let status = try await ledger.status(of: "hook")
        #expect(status.backlog == 2)
        #expect(status.failed == 0)
        #expect(status.reason == "down")
        #expect(!status.isHeld)
        try await ledger.resume("hook", at: Sample.start.addingTimeInterval(200))
        // The schedule begins anew: otherwise one failure would pause the delegate again.
        #expect(try await due(ledger).map(\.attempts) == [0, 0])
    }

    @Test func `a replay brings back one, or those of a time, under their ids`() async throws {
        let scratch = try Scratch()
        let ledger = try Ledger.open(path: scratch.file())
        _ = try await recorded(ledger, 5, for: ["hook", "other"])
        let all = try await due(ledger)
        try await ledger.delivered(all.map(\.id), at: Sample.start.addingTimeInterval(50))
        let later = Sample.start.addingTimeInterval(100)
        #expect(try await ledger.replay(.one(all[4].id), at: later) == 1)
        #expect(try await due(ledger).map(\.event) == [all[4].event])
        let range = DeliveryReplay.range(
            delegate: "hook", from: Sample.start.addingTimeInterval(1), to: Sample.start.addingTimeInterval(3))
        #expect(try await ledger.replay(range, at: later) == 2)
        #expect(try await due(ledger).map(\.event) == [all[1], all[2], all[4]].map(\.event))
        #expect(try await due(ledger, "other").count == 5)
        #expect(try await ledger.replay(.one(.max), at: later) == 0)
    }

    @Test func `a job's later outcome waits for its earlier one where order is asked for`() async throws {
        let scratch = try Scratch()
        let ledger = try Ledger.open(path: scratch.file())
        let (job, other) = (Sample.job(key: "a"), Sample.job(key: "b"))
        var again = Baton(job: job, generation: 2)
        again.round = 2
        let second = UploadEvent(kind: .completed, of: again, at: Sample.start)
        let routes = [DeliveryRoute(delegate: "hook")]
        _ = try await ledger.record(
            [.job(job, maybeRepeated: false), Sample.event(.failed, job), Sample.event(.completed, other)],
            view: ControlView(), routes: routes,
            now: Sample.start)
        _ = try await ledger.order(.runAgain, of: job.id, view: ControlView(), routes: [], now: Sample.start)
        for action in try await ledger.owed() {
            guard case .mark(let marker) = action.action else { continue }
            _ = try await ledger.record([.marker(marker)], view: ControlView(), routes: routes, now: Sample.start)
        }
        _ = try await ledger.record([.event(second)], view: ControlView(), routes: routes, now: Sample.start)
        func due() async throws -> [DelegateDelivery] {
            try await ledger.due(for: "hook", ordered: true, now: Sample.start, excluding: [], limit: 10)
        }
        let first = try await due()
        #expect(first.map(\.event.job.id) == [job.id, other.id])
        #expect(first.map(\.event.kind) == [.failed, .completed])
        let late = Sample.start.addingTimeInterval(60)
        try await ledger.failed([first[0].id], attempt: attempt(0, error: "down"), dueAt: late)
        try await ledger.delivered([first[1].id], at: Sample.start)
        #expect(try await due().isEmpty)
        #expect(try await ledger.nextDue(for: "hook", ordered: true, excluding: []) == late)
        try await ledger.delivered([first[0].id], at: Sample.start)
        #expect(try await due().map(\.event.data.baton.round) == [2])
    }

    @Test func `an operator's pause outlives a failure's, and says so`() async throws {
        let scratch = try Scratch()
        let ledger = try Ledger.open(path: scratch.file())
        try await ledger.pause("hook", reason: "down", at: Sample.start, held: false)
        try await ledger.pause("hook", reason: "paused by jo", at: Sample.start.addingTimeInterval(1), held: true)
        try await ledger.pause("hook", reason: "down", at: Sample.start.addingTimeInterval(2), held: false)
        let status = try #require(try await ledger.statuses().first)
        #expect(status.isHeld)
        #expect(status.reason == "paused by jo")
    }
}
