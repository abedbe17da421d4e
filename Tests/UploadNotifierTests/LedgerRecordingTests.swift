import Foundation
import GRDB
import Testing
import UploadTesting
import Uploads

@testable import UploadNotifier

/// What a ledger's file holds. The conformance suite has the duties of every ledger.
@Suite("Recording in a ledger's file")
struct LedgerRecordingTests {
    @discardableResult
    private func record(_ ledger: Ledger, _ messages: [NotifierMessage]) async throws -> [OwedAction] {
        try await ledger.record(messages, view: ControlView(), routes: Sample.routes, now: Sample.start)
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
            let sql = "SELECT plain(body) FROM events JOIN jobs ON jobs.seq = job WHERE id || name = ?"
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
            [Sample.event(.failed, job)], view: ControlView(), routes: [], now: Sample.start)
        ledger.settle(owed.map(\.id))
        let wholes = try await ledger.read { try Data.fetchAll($0, sql: "SELECT body FROM wholes") }
        #expect(wholes == [text])
        let row = try await ledger.read { try Data.fetchOne($0, sql: "SELECT plain(record) FROM jobs") }
        #expect(try WireJSON.decode(LedgerJob.self, from: try #require(row)).baton.job == job.redacted)
        #expect(try await ledger.prune(endedBefore: Sample.start + 60, besides: ControlView(), limit: 10) == 1)
        #expect(try await ledger.read { try Int.fetchOne($0, sql: "SELECT count(*) FROM wholes") } == 0)
    }

    /// SQLite gives the number of a removed row again, here to the row of another job.
    @Test func `a row that an operator deletes takes its events and deliveries along, and another job gets neither`()
        async throws
    {
        let scratch = try Scratch()
        let path = scratch.file()
        let ledger = try Ledger.open(path: path)
        let (deleted, other) = (Sample.job(key: "deleted"), Sample.job(key: "other"))
        try await record(ledger, [Sample.event(.started, deleted), Sample.event(.completed, deleted)])
        let last = try await ledger.lastSequence()
        try await DatabaseQueue(path: path).write { db in
            try db.execute(sql: "DELETE FROM jobs WHERE id = ?", arguments: [deleted.id.rawValue])
        }
        #expect(try await ledger.lastSequence() == last)
        try await record(ledger, [Sample.event(.started, other)])
        #expect(try await ledger.events(of: other.id).map(\.kind) == [.started])
        let page = try await ledger.events(after: last, EventFilter(), limit: 10)
        #expect(page.events.map(\.event.job.id) == [other.id])
        #expect(try await ledger.deliveries(DeliveryListing(job: other.id)).isEmpty)
        try await record(ledger, [Sample.event(.completed, deleted)])
        #expect(try await ledger.events(of: deleted.id).map(\.kind) == [.completed])
        #expect(try await ledger.deliveries(DeliveryListing(job: deleted.id)).map(\.status) == [.waiting])
    }

    @Test func `the fence of a job whose row is damaged stays`() async throws {
        let scratch = try Scratch()
        let path = scratch.file()
        let ledger = try Ledger.open(path: path)
        let (ended, damaged) = (Sample.job(), Sample.job())
        try await record(ledger, [Sample.event(.failed, ended), Sample.event(.completed, damaged)])
        let other = try DatabaseQueue(path: path)
        try await other.write { db in
            try db.execute(
                sql: "UPDATE jobs SET record = CAST('{' AS BLOB) WHERE id = ?", arguments: [damaged.id.rawValue])
        }
        let last = Sample.start + RetryPolicy.destinationAgeMaximum + LedgerJob.fenceMargin
        #expect(try await ledger.outlived([ended.id, damaged.id], at: last - 1).isEmpty)
        #expect(try await ledger.outlived([ended.id, damaged.id], at: last + 1) == [ended.id])
    }
}
