import Foundation
import GRDB
import Testing
import UploadTesting
import Uploads

@testable import UploadNotifier

/// The duties of every ledger, tested through the ports alone.
@Suite("Recording in a ledger")
struct LedgerRecordingTests {
    private typealias Ports = any LedgerRecorder & LedgerQueries & DeliveryOutbox

    @discardableResult
    private func record(_ ports: Ports, _ messages: [NotifierMessage], fence: [JobID: Int] = [:]) async throws
        -> [OwedAction]
    {
        var view = ControlView()
        view.apply(.fence(fence))
        return try await ports.record(messages, view: view, routes: Sample.routes, now: Sample.start)
    }

    @Test func `the same batch twice changes nothing and doubles no outcome`() async throws {
        let scratch = try Scratch()
        let ports: Ports = try Ledger.open(path: scratch.file())
        let job = Sample.job()
        let batch = [
            NotifierMessage.job(job, maybeRepeated: false), Sample.event(.started, job), Sample.event(.failed, job),
        ]
        let first = try await record(ports, batch)
        let known = try await ports.job(job.id)
        let second = try await record(ports, batch)
        #expect(first.count == 1)
        #expect(second.isEmpty)
        #expect(try await ports.job(job.id) == known)
        #expect(try await ports.events(of: job.id).map(\.kind) == [.started, .failed])
        for delegate in ["hook", "failures"] {
            #expect(try await ports.status(of: delegate).backlog == 1)
        }
    }

    @Test func `only the outcomes that a delegate asked for are put into its outbox`() async throws {
        let scratch = try Scratch()
        let ports: Ports = try Ledger.open(path: scratch.file())
        try await record(ports, [Sample.event(.completed, Sample.job())])
        #expect(try await ports.status(of: "hook").backlog == 1)
        #expect(try await ports.status(of: "failures").backlog == 0)
    }

    @Test func `an outcome waits under the id that every repeat carries`() async throws {
        let scratch = try Scratch()
        let ports: Ports = try Ledger.open(path: scratch.file())
        let job = Sample.job()
        try await record(ports, [Sample.event(.completed, job)])
        let due = try await ports.due(for: "hook", ordered: false, now: Sample.start, excluding: [], limit: 10)
        #expect(due.map(\.event.id) == ["\(job.id).1.ended"])
    }

    @Test func `the order of a batch holds`() async throws {
        let scratch = try Scratch()
        let ports: Ports = try Ledger.open(path: scratch.file())
        let jobs = (0..<50).map { Sample.job(key: "\($0)") }
        let owed = try await record(ports, jobs.map { Sample.event(.completed, $0) })
        #expect(owed.map(\.job) == jobs.map(\.id))
        #expect(owed.map(\.id) == owed.map(\.id).sorted())
        let due = try await ports.due(for: "hook", ordered: false, now: Sample.start, excluding: [], limit: 100)
        #expect(due.map(\.event.job.id) == jobs.map(\.id))
    }

    @Test func `a restart finds everything, and what was owed is repeated with its flag and its whole order`()
        async throws
    {
        let scratch = try Scratch()
        let job = Sample.job()
        let before = try Ledger.open(path: scratch.file())
        try await record(before, [.job(job, maybeRepeated: false)])
        let marks = try await record(before, [Sample.event(.suspect, job)])
        guard case .mark(let marker) = marks.first?.action else {
            Issue.record("a suspect is owed a marker")
            return
        }
        before.settle(marks.map(\.id))
        let issue = try await record(before, [.marker(marker)])
        try before.close()

        let after = try Ledger.open(path: scratch.file())
        let owed = try await after.owed()
        #expect(owed.map(\.id) == issue.map(\.id))
        guard case .issue(let baton, let lane, let maybeRepeated) = owed.first?.action else {
            Issue.record("an issue is owed")
            return
        }
        #expect(maybeRepeated)
        #expect(lane == .normal)
        #expect(baton.job == job)
        #expect(baton.generation == 2)
        #expect(owed.last?.action == .append(.fence([job.id: 2])))
        #expect(try await after.job(job.id)?.generation == 2)
    }

    @Test func `what was settled is struck off with the next commit, within a moment, and before the file is closed`()
        async throws
    {
        let scratch = try Scratch()
        var ledger = try Ledger.open(path: scratch.file())
        func owed(of ledger: Ledger) async throws -> Int? {
            try await ledger.read { try Int.fetchOne($0, sql: "SELECT count(*) FROM owed") }
        }
        ledger.settle(try await record(ledger, [Sample.event(.completed, Sample.job(key: "1"))]).map(\.id))
        #expect(try await owed(of: ledger) == 1)
        let second = try await record(ledger, [Sample.event(.completed, Sample.job(key: "2"))])
        #expect(try await owed(of: ledger) == 1)
        ledger.settle(second.map(\.id))
        let open = ledger
        try await eventually("it is struck off") { try await owed(of: open) == 0 }
        ledger.settle(try await record(ledger, [Sample.event(.completed, Sample.job(key: "3"))]).map(\.id))
        try ledger.close()
        ledger = try Ledger.open(path: scratch.file())
        #expect(try await owed(of: ledger) == 0)
    }

    @Test func `an event is kept as it came, unless it shows what it should not`() async throws {
        let scratch = try Scratch()
        let ledger = try Ledger.open(path: scratch.file())
        func body(of id: String) async throws -> Data? {
            let sql = "SELECT body FROM events WHERE id = ?"
            return try await ledger.read { try Data.fetchOne($0, sql: sql, arguments: [id]) }
        }
        func event(_ job: UploadJob) -> UploadEvent {
            UploadEvent(id: "\(job.id).told", kind: .started, time: Sample.start, data: EventData(Baton(job: job)))
        }
        let plain = event(Sample.job(key: "plain").redacted)
        let spaced = Data(" ".utf8) + (try WireJSON.encode(plain))
        let job = Sample.job(key: "secret")
        let secret = event(job)
        try await record(
            ledger, [.event(plain, body: spaced), .event(secret, body: try WireJSON.encode(secret))])
        #expect(try await body(of: plain.id) == spaced)
        let kept = try #require(try await body(of: secret.id))
        #expect(try WireJSON.decode(UploadEvent.self, from: kept).job == job.redacted)
        #expect(kept != (try WireJSON.encode(secret)))
    }

    @Test func `an order is kept as it was written, once, and goes with its job`() async throws {
        let scratch = try Scratch()
        let job = Sample.job()
        let text = try WireJSON.encode(job) + Data("\n".utf8)
        let ledger = try Ledger.open(path: scratch.file())
        try await record(ledger, [.job(job, maybeRepeated: false, body: text)])
        try await record(ledger, [.job(job, maybeRepeated: true, body: try WireJSON.encode(job))])
        let owed = try await ledger.record(
            [Sample.event(.completed, job)], view: ControlView(), routes: [], now: Sample.start)
        ledger.settle(owed.map(\.id))
        let wholes = try await ledger.read { try Data.fetchAll($0, sql: "SELECT body FROM wholes") }
        #expect(wholes == [text])
        let row = try await ledger.read { try Data.fetchOne($0, sql: "SELECT record FROM jobs") }
        #expect(try WireJSON.decode(LedgerJob.self, from: try #require(row)).baton.job == job.redacted)
        #expect(try await ledger.prune(endedBefore: Sample.start + 60, besides: ControlView(), limit: 10) == 1)
        #expect(try await ledger.read { try Int.fetchOne($0, sql: "SELECT count(*) FROM wholes") } == 0)
    }

    @Test func `of two orders with one id in a batch the first is kept and issued`() async throws {
        let scratch = try Scratch()
        let job = Sample.job()
        var other = job
        other.source = .inline(Data("other".utf8))
        let ledger = try Ledger.open(path: scratch.file())
        let owed = try await record(
            ledger,
            [
                .job(job, maybeRepeated: false, body: try WireJSON.encode(job)),
                .job(other, maybeRepeated: true, body: try WireJSON.encode(other)),
                Sample.event(.suspect, job.redacted),
            ])
        guard case .mark(let marker) = owed.first?.action,
            case .issue(let baton, _, _) = try await record(ledger, [.marker(marker)]).first?.action
        else {
            Issue.record("a suspect is marked and issued: \(owed)")
            return
        }
        #expect(baton.job == job)
    }

    @Test func `what a worker found of an object is kept beside the whole order, and counted`() async throws {
        let scratch = try Scratch()
        var job = Sample.job()
        job.source = .object(.url("https://store.example/a?signature=hidden"), seen: nil)
        job.size = 0
        let seen = job.examined(as: StoredObject(location: "https://store.example/a", etag: "e", size: 70))
        let before = try Ledger.open(path: scratch.file())
        try await record(before, [.job(job, maybeRepeated: false)])
        // Once with another status and once with the same.
        try await record(before, [Sample.event(.handedOver, seen.redacted, slice: 1)])
        try before.close()

        let after = try Ledger.open(path: scratch.file())
        let marks = try await record(after, [Sample.event(.suspect, seen.redacted, slice: 1)])
        guard case .mark(let marker) = marks.first?.action else {
            Issue.record("a suspect is owed a marker")
            return
        }
        let issue = try await record(after, [.marker(marker)])
        guard case .issue(let baton, _, _) = issue.first?.action else {
            Issue.record("an issue is owed")
            return
        }
        #expect(baton.job == seen, "with its query, and with what was found")
        let status = try #require(try await after.queues(throughputSince: Sample.start).first)
        #expect(status.bytesLeft == 70)
    }

    @Test func `an issue is not repeated when its round has ended meanwhile, its fence is`() async throws {
        let scratch = try Scratch()
        let ports: Ports = try Ledger.open(path: scratch.file())
        let job = Sample.job()
        let marks = try await record(ports, [.job(job, maybeRepeated: false), Sample.event(.suspect, job)])
        guard case .mark(let marker) = marks.first?.action else { return }
        try await record(ports, [.marker(marker), Sample.event(.completed, job)])
        let owed = try await ports.owed().map(\.action)
        #expect(owed.contains(.append(.fence([job.id: 2]))))
        #expect(!owed.contains { if case .issue = $0 { true } else { false } })
        #expect(owed.contains { if case .outcome(let event) = $0 { event.id == "\(job.id).1.ended" } else { false } })
    }

    @Test func `what is settled is no longer owed`() async throws {
        let scratch = try Scratch()
        let ports: Ports = try Ledger.open(path: scratch.file())
        let owed = try await record(ports, [Sample.event(.completed, Sample.job())])
        ports.settle(owed.map(\.id))
        #expect(try await ports.owed().isEmpty)
    }

    @Test func `answers show neither inline bytes nor the query of a URL`() async throws {
        let scratch = try Scratch()
        let ports: Ports = try Ledger.open(path: scratch.file())
        let job = Sample.job()
        try await record(
            ports, [.job(job, maybeRepeated: false), Sample.event(.suspect, job), Sample.event(.completed, job)])
        #expect(try await ports.job(job.id)?.baton.job == job.redacted)
        #expect(try await ports.jobs(LedgerFilter()).jobs.map(\.baton.job) == [job.redacted])
        #expect(try await ports.events(of: job.id).allSatisfy { $0.job == job.redacted })
    }

    @Test func `listings are filtered and paged`() async throws {
        let scratch = try Scratch()
        let ports: Ports = try Ledger.open(path: scratch.file())
        let jobs = (0..<5).map { Sample.job(key: "\($0)") }
        try await record(ports, jobs.map { .job($0, maybeRepeated: false) } + [Sample.event(.failed, jobs[4])])
        #expect(
            try await ports.jobs(LedgerFilter(order: .oldestFirst, limit: 2)).jobs.map(\.id) == jobs[..<2].map(\.id))
        #expect(
            try await ports.jobs(LedgerFilter(order: .oldestFirst, after: jobs[2].id)).jobs.map(\.id)
                == jobs[3...].map(\.id)
        )
        #expect(try await ports.jobs(LedgerFilter(statuses: [.failed])).jobs.map(\.id) == [jobs[4].id])
        #expect(try await ports.jobs(LedgerFilter(destination: "https")).jobs.count == 5)
        #expect(try await ports.jobs(LedgerFilter(queue: QueueName("other"))).jobs.isEmpty)
        #expect(try await ports.counts() == [.queued: 4, .failed: 1])
    }

    @Test func `dead letters that cannot be read are kept once`() async throws {
        let scratch = try Scratch()
        let ports: Ports = try Ledger.open(path: scratch.file())
        let message = NotifierMessage.unreadable(Data("{".utf8), reason: "no JSON")
        try await record(ports, [message])
        try await record(ports, [message, .unreadable(Data("[".utf8), reason: "no JSON")])
        #expect(try await ports.unreadable(before: nil, limit: 10).map(\.body) == [Data("[".utf8), Data("{".utf8)])
    }

    @Test func `a verb is noted, or refused with the reason`() async throws {
        let scratch = try Scratch()
        let ports: Ports = try Ledger.open(path: scratch.file())
        let job = Sample.job()
        try await record(ports, [.job(job, maybeRepeated: false)])
        let owed = try await ports.order(.cancel, of: job.id, view: ControlView(), routes: [], now: Sample.start)
        #expect(owed.count == 1)
        #expect(try await ports.job(job.id)?.isCancelling == true)
        await #expect(throws: UploadError.self) {
            _ = try await ports.order(.pause, of: job.id, view: ControlView(), routes: [], now: Sample.start)
        }
        await #expect(throws: UploadError.self) {
            _ = try await ports.order(.cancel, of: JobID(), view: ControlView(), routes: [], now: Sample.start)
        }
    }

    @Test func `fences of jobs that are unknown, damaged or have not ended stay`() async throws {
        let scratch = try Scratch()
        let path = scratch.file()
        let ports: Ports = try Ledger.open(path: path)
        let (ended, open, unknown, damaged) = (Sample.job(), Sample.job(), JobID(), Sample.job())
        try await record(
            ports,
            [Sample.event(.failed, ended), .job(open, maybeRepeated: false), Sample.event(.completed, damaged)])
        let other = try DatabaseQueue(path: path)
        try await other.write { db in
            try db.execute(
                sql: "UPDATE jobs SET record = CAST('{' AS BLOB) WHERE id = ?", arguments: [damaged.id.rawValue])
        }
        let named = [ended.id, open.id, unknown, damaged.id]
        // The order may be tried for as long as any destination allows, so that a worker may still hold a baton below the
        // fence.
        let last = Sample.start + RetryPolicy.destinationAgeMaximum + LedgerJob.fenceMargin
        #expect(try await ports.outlived(named, at: last - 1).isEmpty)
        #expect(try await ports.outlived(named, at: last + 1) == [ended.id])
        #expect(try await ports.outlived([open.id], at: last + 1).isEmpty)
        #expect(try await ports.outlived([], at: last + 1).isEmpty)
    }

    @Test func `a paused delegate keeps its backlog, across a restart, until it is served again`() async throws {
        let scratch = try Scratch()
        let before = try Ledger.open(path: scratch.file())
        try await record(before, [Sample.event(.completed, Sample.job())])
        try await before.pause("hook", reason: "gone", at: Sample.start, held: false)
        try before.close()
        let ports: Ports = try Ledger.open(path: scratch.file())
        #expect(try await ports.due(for: "hook", ordered: false, now: Sample.start, excluding: [], limit: 10).isEmpty)
        #expect(try await ports.nextDue(for: "hook", ordered: false, excluding: []) == nil)
        #expect(
            try await ports.status(of: "hook")
                == DelegateStatus(delegate: "hook", backlog: 1, pausedSince: Sample.start, reason: "gone"))
        try await ports.resume("hook", at: Sample.start)
        #expect(
            try await ports.due(for: "hook", ordered: false, now: Sample.start, excluding: [], limit: 10).count == 1)
    }
}
