import Foundation
import GRDB
import Testing
import UploadTesting
import Uploads

@testable import UploadNotifier

@Suite("Forgetting", .timeLimit(.minutes(10)))
struct ForgettingTests {
    private static let name = "annasholiday"

    /// A job with the name in every field that may hold one, inline bytes included.
    private static func job(_ name: String, _ index: Int) -> UploadJob {
        var job = UploadJob(
            id: JobID(now: Sample.start + Double(index)), source: .inline(Data(name.utf8)),
            destination: .named(DestinationName(unchecked: "photos"), key: "\(name)/\(index)"),
            size: Int64(name.utf8.count),
            metadata: ["owner": name], enqueuedAt: Sample.start)
        job.batch = name
        job.idempotencyKey = "\(name)-\(index)"
        return job
    }

    /// Lets a job fail, with a delivery that succeeds after a failed attempt, and with a dead letter about the job.
    private func end(_ job: UploadJob, _ name: String, in ledger: Ledger) async throws {
        var baton = Baton(job: job)
        baton.slice = 1
        let error = UploadError(
            .rejected, "refused \(name)", response: ServerResponse(status: 400, body: Data("no \(name)".utf8)))
        baton.failures = [FailureRecord(at: Sample.start, attempt: 1, error: error)]
        let failed = UploadEvent(outcome: .failed(error, state: nil), of: baton, at: Sample.start)
        let envelope = MessageEnvelope(type: "upload.job.v1", messageID: job.id.rawValue)
        let owed = try await ledger.record(
            [
                .job(job, maybeRepeated: false, body: try WireJSON.encode(job)), Sample.event(.started, job),
                .event(failed), .unreadable(Data("{ \(name)".utf8), reason: "no JSON", envelope: envelope),
                .unreadable(Data("\(name) \(job.id.rawValue.uppercased())".utf8), reason: "none", envelope: nil),
            ], view: ControlView(), routes: [DeliveryRoute(delegate: "hook")], now: Sample.start)
        ledger.settle(owed.map(\.id))
        let due = try await ledger.due(for: "hook", ordered: false, now: Sample.start, excluding: [], limit: 100)
        let refused = DeliveryAttempt(
            at: Sample.start, seconds: 1, status: 500, answer: "not \(name)", error: "HTTP 500 \(name)")
        try await ledger.failed(due.map(\.id), attempt: refused, dueAt: Sample.start)
        let taken = DeliveryAttempt(at: Sample.start, seconds: 1, status: 200, answer: "thanks \(name)", error: nil)
        try await ledger.delivered(due.map(\.id), at: Sample.start, attempt: taken)
    }

    private func forget(_ ids: [JobID], in ledger: Ledger) async throws -> OrderAnswer {
        let order = UploadOrder(.jobs(.forget, ids), by: "jo", at: Sample.start)
        while true {
            let step = try await ledger.carryOut(order, view: ControlView(), routes: [], now: Sample.start)
            if let answer = step.answer { return answer }
        }
    }

    /// Whether the ledger's files hold a text, or its base64.
    private func files(of path: String, hold text: String) throws -> Bool {
        let needles = [text, Data(text.utf8).base64EncodedString()].map { Data($0.utf8) }
        return try needles.contains { try files(of: path, hold: $0) }
    }

    private func files(of path: String, hold bytes: Data) throws -> Bool {
        try ["", "-wal"].contains { try Data(contentsOf: URL(filePath: path + $0)).range(of: bytes) != nil }
    }

    /// The rows of jobs and events about these jobs as they stand in the file, compressed, if their JSON holds the name.
    private func rows(holding name: String, in ledger: Ledger) async throws -> [Data] {
        try await ledger.read { db in
            try Data.fetchAll(
                db,
                sql: """
                    SELECT record FROM jobs WHERE instr(plain(record), ?1) > 0
                    UNION ALL SELECT body FROM events WHERE instr(plain(body), ?1) > 0
                    """, arguments: [name])
        }
    }

    @Test func `no byte of its names is left in the ledger's files; others keep theirs`() async throws {
        let scratch = try Scratch()
        let ledger = try Ledger.open(path: scratch.file())
        let jobs = (0..<8).map { Self.job($0 % 2 == 0 ? Self.name : "bertstrip", $0) }
        for (index, job) in jobs.enumerated() {
            try await end(job, index % 2 == 0 ? Self.name : "bertstrip", in: ledger)
        }
        #expect(try files(of: scratch.file(), hold: Self.name))
        let rows = try await rows(holding: Self.name, in: ledger)
        #expect(rows.count == 12, "a job and two events, four times")
        for row in rows { #expect(try files(of: scratch.file(), hold: row)) }
        let ids = jobs.enumerated().filter { $0.offset % 2 == 0 }.map(\.element.id)
        let answer = try await forget(ids, in: ledger)
        #expect(answer.done == ids.count, "\(answer.jobs.compactMap(\.reason))")
        try await ledger.scrub(rewriting: true)
        #expect(try !files(of: scratch.file(), hold: Self.name))
        #expect(try await self.rows(holding: Self.name, in: ledger).isEmpty)
        for row in rows { #expect(try !files(of: scratch.file(), hold: row)) }
        #expect(try Data(contentsOf: URL(filePath: scratch.file() + "-wal")).isEmpty)
        // The failure, its code, and the delivery stay.
        let known = try #require(try await ledger.job(ids[0]))
        #expect(known.end?.error?.code == .rejected && known.end?.error?.message == "")
        let delivery = try #require(try await ledger.deliveries(DeliveryListing(job: ids[0], limit: 10)).first)
        #expect(delivery.status == .delivered && delivery.attempts == 1 && delivery.error == nil)
        #expect(try await ledger.attempts(of: delivery.id).map(\.status) == [500, 200])
        #expect(try await ledger.unreadable(DeadLetterListing()).count == 8, "those of the other jobs")
        // The rest of the ledger is complete.
        var filter = LedgerFilter()
        filter.text = "bertstrip"
        #expect(try await ledger.jobs(filter).jobs.count == 4)
        let other = jobs[1]
        let whole = try await ledger.read { db in try JobRow.whole(of: other.id, in: db) }
        #expect(whole == other)
        try ledger.close()
        let again = try Ledger.open(path: scratch.file())
        #expect(try await again.jobs(filter).jobs.count == 4)
        #expect(try await again.prune(endedBefore: Sample.start + 1, besides: ControlView(), limit: 10) == 8)
        try again.close()
    }

    @Test func `an order is carried out beside the messages, answered when the files are clean, and survives a crash`()
        async throws
    {
        let scratch = try Scratch()
        let bus = MemoryNotifierBus()
        let count = OrderRun.forgettingPageMaximum + 1
        let order = UploadOrder(
            .matching(.forget, OrderFilter(batch: Self.name), atMost: nil), by: "jo", at: Sample.start)
        let ledger = try Ledger.open(path: scratch.file())
        for index in 0..<count { bus.send(Sample.event(.completed, Self.job(Self.name, index))) }
        try await run(bus, ledger) { try await until { bus.acknowledged == count } }
        // The process ends between two pages of the order.
        try await ledger.accept(order)
        #expect(try await ledger.carryOut(order, view: ControlView(), routes: [], now: Sample.start).answer == nil)
        let next = MemoryNotifierBus()
        next.send(.order(order, replyTo: "here"))
        try await run(next, ledger) { try await until { next.answers["here"] != nil } }
        #expect(next.answers["here"]?.map(\.done) == [count])
        #expect(try !files(of: scratch.file(), hold: Self.name))
        let body = try await ledger.read { db in try Data.fetchOne(db, sql: "SELECT body FROM orders") }
        #expect(try WireJSON.decode(UploadOrder.self, from: try #require(body)).id == order.id)
        try ledger.close()
    }

    @Test func `by age names go first, then tries to deliver, then dead letters, and jobs last`() async throws {
        let scratch = try Scratch()
        let ledger = try Ledger.open(path: scratch.file())
        let job = Self.job(Self.name, 0)
        try await end(job, Self.name, in: ledger)
        try await ledger.transaction { store in
            var changes = LedgerChanges()
            changes.letters = [LedgerChanges.Letter(Data("{".utf8), reason: "of no job", nil)]
            _ = try store.write(changes, at: Sample.start)
        }
        let clock = ManualClock()
        let day = 86_400.0
        let keep = LedgerRetention(jobs: 40 * day, names: 10 * day, deliveries: 20 * day, deadLetters: 30 * day)
        let bus = MemoryNotifierBus()
        let service = NotifierService(
            bus: bus, ledger: ledger, delegates: [], configuration: NotifierConfiguration(keep: keep),
            clock: clock.clock, logger: quiet)
        struct Left: Equatable { var name, tries, letters, job: Bool }
        func left() async throws -> Left {
            let known = try await ledger.job(job.id)
            let tries = try await ledger.read { db in try Int.fetchOne(db, sql: "SELECT count(*) FROM attempts") }
            return Left(
                name: known.map { $0.forgottenAt == nil } ?? false, tries: tries != 0,
                letters: try await ledger.unreadableCount(DeadLetterListing()) > 0, job: known != nil)
        }
        try await service.run {
            for (days, expected) in [
                (9.0, Left(name: true, tries: true, letters: true, job: true)),
                (11, Left(name: false, tries: true, letters: true, job: true)),
                (21, Left(name: false, tries: false, letters: true, job: true)),
                (31, Left(name: false, tries: false, letters: false, job: true)),
                (41, Left(name: false, tries: false, letters: false, job: false)),
            ] {
                try await until { clock.sleeperCount >= 2 }
                clock.advance(to: Sample.start + days * day)
                // Both tasks that sleep by the clock sleep again: the upkeep is over.
                try await until { clock.sleeperCount >= 2 }
                #expect(try await left() == expected, "day \(days)")
            }
        }
        try ledger.close()
    }

    @Test func `ids of jobs are found in any bytes`() throws {
        let (job, other) = (JobID(), JobID())
        func isFound(_ text: String) -> Bool { JobMentions.any(of: [job], in: Data(text.utf8)) }
        #expect(isFound("\(job)") && isFound("x\(job)y") && isFound("--\(job.rawValue.uppercased())"))
        #expect(!isFound("") && !isFound("\(other)") && !isFound(String("\(job)".dropLast())))
        #expect(JobMentions.any(of: [job], in: Data([0xFF, 0x2D]) + Data("\(other)\(job)".utf8)))
        // A slice of other data does not begin at 0.
        #expect(JobMentions.any(of: [job], in: Data("ab\(job)".utf8).dropFirst(2)))
    }

    private func run(_ bus: MemoryNotifierBus, _ ledger: Ledger, while body: () async throws -> Void) async throws {
        let service = NotifierService(
            bus: bus, ledger: ledger, delegates: [],
            configuration: NotifierConfiguration(retryDelayMaximum: .milliseconds(10)), logger: quiet)
        try await service.run(while: body)
    }
}
