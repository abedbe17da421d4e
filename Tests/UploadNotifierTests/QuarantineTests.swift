import Foundation
import GRDB
import Logging
import Testing
import UploadTesting
import UploadsAPI

@testable import UploadNotifier
@testable import Uploads

/// A message that the ledger cannot record, or a row that it cannot read, affects no others.
@Suite("What cannot be recorded", .timeLimit(.minutes(10)))
struct QuarantineTests {
    private func run(_ bus: MemoryNotifierBus, _ ledger: Ledger, while body: () async throws -> Void) async throws {
        let service = NotifierService(
            bus: bus, ledger: ledger, delegates: [],
            configuration: NotifierConfiguration(retryDelayMaximum: .milliseconds(10)), logger: quiet)
        try await service.run(while: body)
    }

    private func record(_ messages: [NotifierMessage], in ledger: Ledger) async throws {
        _ = try await ledger.record(messages, view: ControlView(), routes: Sample.routes, now: Sample.start)
    }

    private func damage(_ job: UploadJob, in ledger: Ledger) async throws {
        try await ledger.write { db in
            try db.execute(
                sql: "UPDATE jobs SET record = CAST('{\"baton\":' AS BLOB) WHERE id = ?", arguments: [job.id.rawValue])
        }
    }

    private func serial(_ key: String) -> UploadJob {
        var job = Sample.job(key: key)
        job.serial = .end
        return job
    }

    // MARK: Sums

    /// The test writes rows without a decoder, so that a size may be any number.
    @Test func `no sum forgets what was beyond its bounds`() async throws {
        let scratch = try Scratch()
        let ledger = try Ledger.open(path: scratch.file())
        let sizes: [Int64] = [.max, .max, .max - 1, 1 << 62, (1 << 62) - 1, 5, 0]
        let jobs = sizes.enumerated().map { index, size in
            var job = Sample.job(key: "\(index)")
            job.size = size
            return LedgerJob(Baton(job: job), isWhole: false, at: Sample.start)
        }
        func write(_ body: @escaping @Sendable (inout DerivedRows, Database) throws -> Void) async throws {
            try await ledger.write { db in
                var derived = DerivedRows()
                try body(&derived, db)
                try derived.write(in: db)
            }
        }
        @discardableResult
        func change(_ job: LedgerJob, size: Int64? = nil, _ status: LedgerStatus? = nil) async throws -> LedgerJob {
            var changed = job
            if let size { changed.baton.job.size = size }
            if let status { changed.status = status }
            let row = changed
            try await write { derived, db in
                let number = try #require(try JobNumbers(db).number(of: job.id))
                try JobRow.update(number, row, from: job, whole: nil, &derived, in: db)
            }
            return row
        }
        func bytesLeft() async throws -> Int64? {
            try await ledger.queues(throughputSince: Sample.start - 60).first?.bytesLeft
        }
        try await write { for job in jobs { try JobRow.insert(job, whole: nil, &$0, in: $1) } }
        #expect(try await bytesLeft() == .max)
        var changed: [LedgerJob] = []
        for (job, size) in zip(jobs[..<3], [1, 2, Int64.max]) { changed.append(try await change(job, size: size)) }
        #expect(try await bytesLeft() == .max)
        try await change(changed[2], size: 3)
        #expect(try await bytesLeft() == .max, "2^63 - 1 and 11")
        try await change(jobs[3], size: .max, .completed)
        try await change(jobs[4], size: .max, .completed)
        #expect(try await bytesLeft() == 11, "what was beyond is gone with its jobs")
        let minute = try #require(
            try await ledger.queues(throughputSince: Sample.start - 60).first?.throughput.first)
        #expect(minute.completed == 2 && minute.bytes == .max)
        let status = QueueLoad(
            queue: .standard, counts: [.queued: 1], bytesLeft: .max, throughput: [minute, minute])
        var pace = QueuePace()
        pace.note(status, uploads: [:], at: Sample.start + 60)
        let view = API.Queue(status, lanes: nil, control: nil, pace: pace)
        #expect(view.bytesPerSecond.isFinite && view.secondsLeft?.isFinite == true)
        let minutes = DashboardModel.minutes(of: [status], until: Sample.start)
        #expect(
            minutes.last?.bytes == .max
                && ThroughputChart.bytes(minutes, each: "minute", over: "an hour").text.contains("PiB"))
        let strange = ThroughputMinute(start: Date(timeIntervalSince1970: 9.2e18 * 60), completed: 1)
        let others = QueueLoad(queue: .standard, throughput: [strange])
        #expect(DashboardModel.minutes(of: [others], until: Sample.start).allSatisfy { $0.completed == 0 })
        // The ended jobs are removed, and the next sum begins at the rest.
        #expect(try await ledger.prune(endedBefore: Sample.start + 1, besides: ControlView(), limit: 10) == 2)
        let left = try await ledger.read { db in
            try String.fetchAll(db, sql: "SELECT jobs || ' ' || bytes || ' ' || over FROM tallies WHERE jobs > 0")
        }
        #expect(left == ["5 11 0"])
        try ledger.close()
    }

    // MARK: Messages

    @Test
    func `a message that cannot be recorded is kept as a dead letter, the rest of its batch is published`()
        async throws
    {
        let scratch = try Scratch()
        let ledger = try Ledger.open(path: scratch.file())
        let damaged = Sample.job(key: "damaged")
        try await record([.job(damaged, maybeRepeated: false)], in: ledger)
        try await damage(damaged, in: ledger)
        let good = (0..<5).map { Sample.job(key: "good-\($0)") }
        let suspect = Sample.job(key: "suspect")
        // A value that JSON cannot express, and no decoder can produce.
        let strange = Sample.job(key: "strange")
        var event = UploadEvent(kind: .completed, of: Baton(job: strange), at: Sample.start)
        event.data.baton.activeSeconds = .infinity
        let marker = IssueMarker(job: damaged.id, round: 1, generation: 1)
        let bus = MemoryNotifierBus()
        for job in good[..<2] { bus.send(Sample.event(.completed, job)) }
        bus.send(
            Sample.event(.completed, damaged), .event(event), .marker(marker), Sample.event(.suspect, suspect),
            .deadBaton(Baton(job: damaged), .other("why")))
        for job in good[2...] { bus.send(Sample.event(.completed, job)) }
        let count = bus.waiting
        try await run(bus, ledger) { try await until { bus.acknowledged == count + 1 && bus.issued.count == 1 } }
        #expect(Set(bus.told.map(\.job.id)) == Set(good.map(\.id)))
        #expect(bus.issued.map(\.job) == [suspect])
        for job in good { #expect(try await ledger.job(job.id)?.status == .completed) }
        #expect(try await ledger.job(strange.id) == nil, "nothing is left of what was not recorded")

        let letters = try await ledger.unreadable(before: nil, limit: 10).reversed()
        #expect(
            letters.map(\.envelope?.type) == [
                EventKind.completed.type, EventKind.completed.type, "upload.marker.v1", "upload.baton.v1",
            ])
        for letter in letters { #expect(letter.reason.hasPrefix("the ledger cannot record a message of job ")) }
        let ofDamaged = letters.filter { $0.reason.contains(damaged.id.rawValue) }
        #expect(ofDamaged.count == 3)
        for letter in ofDamaged {
            #expect(letter.reason.contains("cannot be read") && letter.reason.contains("backup"), "\(letter.reason)")
        }
        #expect(try WireJSON.decode(IssueMarker.self, from: ofDamaged[1].body) == marker)
        try ledger.close()
    }

    @Test func `a message that cannot be recorded is kept once, however often it comes`() async throws {
        let scratch = try Scratch()
        let ledger = try Ledger.open(path: scratch.file())
        let job = Sample.job()
        try await record([.job(job, maybeRepeated: false)], in: ledger)
        try await damage(job, in: ledger)
        for _ in 0..<3 {
            let recording = try await ledger.recordSingly(
                [Sample.event(.completed, job)], view: ControlView(), routes: [], now: Sample.start
            ) { _ in MessageCopy(body: Data("{}".utf8), envelope: MessageEnvelope(messageID: job.id.rawValue)) }
            #expect(recording.owed.isEmpty && recording.refusals.map(\.job) == [job.id])
        }
        #expect(try await ledger.unreadableCount(DeadLetterListing()) == 1)
        try ledger.close()
    }

    // MARK: Orders

    @Test func `an order holds for all jobs but those that cannot obey, which are named with the reason`() async throws
    {
        let scratch = try Scratch()
        let ledger = try Ledger.open(path: scratch.file())
        let jobs = (0..<4).map { Sample.job(key: "\($0)") }
        try await record(jobs.map { .job($0, maybeRepeated: false) }, in: ledger)
        try await damage(jobs[1], in: ledger)
        // Makes SQLite refuse the change of one job alone.
        try await ledger.write { db in
            try db.execute(
                sql: """
                    CREATE TRIGGER refused BEFORE UPDATE ON jobs WHEN new.id = '\(jobs[2].id)'
                    BEGIN SELECT RAISE(ABORT, 'refused'); END
                    """)
        }
        let bus = MemoryNotifierBus()
        let ids = jobs.map(\.id)
        bus.send(
            .order(UploadOrder(.jobs(.cancel, ids), by: "jo", at: Sample.start), replyTo: "here"),
            .order(
                UploadOrder(.matching(.pause, OrderFilter(), atMost: nil), by: "jo", at: Sample.start), replyTo: "there"
            ))
        try await run(bus, ledger) { try await until { bus.answers["there"] != nil && bus.waiting == 0 } }
        let answer = try #require(bus.answers["here"]?.first)
        #expect(answer.matched == 4 && answer.done == 2 && answer.problem == nil)
        #expect(answer.jobs.map(\.done) == [true, false, false, true])
        #expect(answer.jobs[1].reason?.contains("cannot be read") == true)
        #expect(answer.jobs[2].reason?.contains("refused") == true)
        #expect(try await ledger.job(jobs[3].id)?.isCancelling == true)
        #expect(try await ledger.job(jobs[2].id)?.isCancelling == false)
        try ledger.close()
    }

    @Test func `an order that cannot be carried out is answered and kept, and the next one is obeyed`() async throws {
        let scratch = try Scratch()
        let ledger = try Ledger.open(path: scratch.file())
        let job = Sample.job()
        try await record([.job(job, maybeRepeated: false)], in: ledger)
        let order = UploadOrder(.jobs(.pause, [job.id]), by: "jo", at: Sample.start)
        _ = try await ledger.carryOut(order, view: ControlView(), routes: [], now: Sample.start)
        try await ledger.write { try $0.execute(sql: "UPDATE orders SET progress = x'7B'") }
        let bus = MemoryNotifierBus()
        bus.send(
            .order(order, replyTo: "here"),
            .order(UploadOrder(.jobs(.resume, [job.id]), by: "jo", at: Sample.start), replyTo: "there"))
        try await run(bus, ledger) { try await until { bus.answers["there"] != nil && bus.waiting == 0 } }
        let answer = try #require(bus.answers["here"]?.first)
        #expect(answer.problem == .notRecorded && answer.reason?.contains("\(order.id)") == true, "\(answer)")
        #expect(bus.answers["there"]?.first?.done == 1)
        let letter = try #require(try await ledger.unreadable(before: nil, limit: 10).first)
        #expect(letter.envelope?.type == "upload.order.v1")
        #expect(try WireJSON.decode(UploadOrder.self, from: letter.body) == order)
        try ledger.close()
    }

    // MARK: Rows

    @Test func `a note that cannot be read keeps no notifier from starting`() async throws {
        let scratch = try Scratch()
        let ledger = try Ledger.open(path: scratch.file())
        let (lost, rowless, good) = (Sample.job(key: "lost"), Sample.job(key: "rowless"), Sample.job(key: "good"))
        try await record([lost, rowless, good].map { Sample.event(.suspect, $0) }, in: ledger)
        try await ledger.write { db in
            try db.execute(sql: "UPDATE owed SET body = x'7B' WHERE job = ?", arguments: [lost.id.rawValue])
        }
        try await damage(rowless, in: ledger)
        let bus = MemoryNotifierBus()
        try await run(bus, ledger) { try await until { bus.issued.count == 1 && bus.waiting == 0 } }
        #expect(bus.issued.map(\.job) == [good])
        let letters = try await ledger.unreadable(before: nil, limit: 10)
        #expect(Set(letters.map(\.envelope?.messageID)) == [lost.id.rawValue, rowless.id.rawValue])
        for letter in letters { #expect(letter.reason.contains("uploadctl run"), "\(letter.reason)") }
        #expect(try await ledger.owed().isEmpty)
        try ledger.close()
    }

    @Test func `an outcome that cannot be read is given up, and those behind it are delivered`() async throws {
        let scratch = try Scratch()
        let ledger = try Ledger.open(path: scratch.file())
        let jobs = (0..<4).map { Sample.job(key: "\($0)") }
        try await record(jobs.map { Sample.event(.completed, $0) }, in: ledger)
        try await ledger.write { db in
            try db.execute(sql: "UPDATE events SET body = x'7B' WHERE job = 1")
            try db.execute(sql: "DELETE FROM events WHERE job = 2")
        }
        let now = Sample.start + 1
        let due = try await ledger.due(for: "hook", ordered: true, now: now, excluding: [], limit: 1)
        #expect(due.map(\.event.job.id) == [jobs[2].id])
        #expect(try await ledger.status(of: "hook").failed == 2)
        #expect(try await ledger.status(of: "hook").backlog == 2)
        let records = try await ledger.deliveries(DeliveryListing(delegate: "hook", status: .failed))
        #expect(records.allSatisfy { $0.error?.contains("cannot be read") == true })
        try ledger.close()
    }

    @Test func `in a serial line the one behind a damaged row has its turn`() async throws {
        let scratch = try Scratch()
        let ledger = try Ledger.open(path: scratch.file())
        let jobs = (0..<4).map { serial("\($0)") }
        try await record(jobs.map { .job($0, maybeRepeated: false) }, in: ledger)
        try await damage(jobs[1], in: ledger)
        try await ledger.write { db in
            try db.execute(sql: "UPDATE line SET job = 'nonsense' WHERE job = ?", arguments: [jobs[2].id.rawValue])
        }
        let owed = try await ledger.record(
            [Sample.event(.completed, jobs[0])], view: ControlView(), routes: [], now: Sample.start)
        #expect(owed.contains { if case .mark(let marker) = $0.action { marker.job == jobs[3].id } else { false } })
        let letters = try await ledger.unreadable(before: nil, limit: 10)
        #expect(letters.map(\.envelope?.messageID) == [jobs[1].id.rawValue])
        #expect(letters.first?.reason.contains("left out of the serial line") == true)
        try ledger.close()
    }

    @Test(arguments: [nil, "host.example"]) func `lists go on behind a row that cannot be read`(text: String?)
        async throws
    {
        let scratch = try Scratch()
        let ledger = try Ledger.open(path: scratch.file())
        let jobs = (0..<7).map { Sample.job(key: "\($0)") }
        try await record(jobs.map { .job($0, maybeRepeated: false) }, in: ledger)
        try await record(jobs.map { Sample.event(.started, $0) }, in: ledger)
        for index in [1, 2, 3] { try await damage(jobs[index], in: ledger) }
        try await ledger.write { try $0.execute(sql: "UPDATE events SET body = x'7B' WHERE seq BETWEEN 2 AND 4") }
        var filter = LedgerFilter(order: .oldestFirst, limit: 2)
        filter.text = text
        var found: [JobID] = []
        var pages = 0
        repeat {
            let page = try await ledger.jobs(filter)
            found += page.jobs.map(\.id)
            filter.after = page.next
            pages += 1
        } while filter.after != nil && pages < 20
        let readable = [0, 4, 5, 6].map { jobs[$0].id }
        #expect(found == readable)
        #expect(try await Set(ledger.latest(.running, limit: 10).map(\.id)) == Set(readable))
        var events: [JobID] = []
        var sequence: Int64 = 0
        while true {
            let page = try await ledger.events(after: sequence, EventFilter(), limit: 2)
            events += page.events.map(\.event.job.id)
            if page.isLast { break }
            try #require(page.through > sequence)
            sequence = page.through
        }
        #expect(events == readable)
        #expect(try await ledger.events(of: jobs[1].id).isEmpty)
        await #expect(throws: UploadError.self) { _ = try await ledger.job(jobs[1].id) }
        try ledger.close()
    }

    @Test func `what a damaged row may still need is not swept`() async throws {
        let scratch = try Scratch()
        let ledger = try Ledger.open(path: scratch.file())
        let jobs = (0..<2).map { index in
            var job = Sample.job(key: "\(index)")
            job.source = .staged(area: "area", name: "copy-\(index)")
            return job
        }
        var baton = Baton(job: jobs[1])
        let state = UploadState(driver: "s3", payload: ["uploadID": "1"])
        baton.state = state
        try await record(
            [.job(jobs[0], maybeRepeated: false), .event(UploadEvent(kind: .handedOver, of: baton, at: Sample.start))],
            in: ledger)
        try await damage(jobs[0], in: ledger)
        let named = try await ledger.jobs(naming: ["copy-0", "copy-1"], inArea: "area")
        #expect(named.count == 2 && named["copy-0"]?.first?.end == nil)
        let copy = StagedLeftover(kind: .copy, name: "copy-0", changedAt: Sample.start - 1e8, bytes: 1)
        #expect(!StagingRule().isAbandoned(copy, jobs: named["copy-0"] ?? [], now: Sample.start))
        #expect(try await ledger.namedStates(failedSince: Sample.start) == [state])
        try ledger.close()
    }

    @Test func `a damaged row is logged once, with the remedy`() async throws {
        let scratch = try Scratch()
        let log = Lines()
        let ledger = try Ledger.open(path: scratch.file(), logger: log.logger)
        let job = Sample.job()
        try await record([.job(job, maybeRepeated: false)], in: ledger)
        try await damage(job, in: ledger)
        for _ in 0..<3 {
            #expect(try await ledger.jobs(LedgerFilter()).jobs.isEmpty)
            _ = try? await ledger.record(
                [Sample.event(.started, job)], view: ControlView(), routes: [], now: Sample.start)
        }
        #expect(log.lines.count == 1)
        #expect(log.lines.first?.contains(job.id.rawValue) == true && log.lines.first?.contains("backup") == true)
        try ledger.close()
    }

    @Test func `a table that is gone is no message's fault`() async throws {
        let scratch = try Scratch()
        let ledger = try Ledger.open(path: scratch.file())
        try await ledger.write { try $0.execute(sql: "ALTER TABLE tallies RENAME COLUMN over TO under") }
        do throws(UploadError) {
            _ = try await ledger.recordSingly(
                [.job(Sample.job(), maybeRepeated: false)], view: ControlView(), routes: [], now: Sample.start
            ) { _ in MessageCopy(body: Data(), envelope: MessageEnvelope()) }
            Issue.record("it was recorded")
        } catch {
            #expect(error.code == .misconfigured && !LedgerFailure.isOfOne(error))
        }
        #expect(try await ledger.unreadableCount(DeadLetterListing()) == 0)
        try ledger.close()
    }

    @Test(arguments: [
        (ResultCode.SQLITE_CONSTRAINT_DATATYPE, true), (.SQLITE_CONSTRAINT_NOTNULL, true), (.SQLITE_MISMATCH, true),
        (.SQLITE_TOOBIG, true), (.SQLITE_ERROR, true), (.SQLITE_BUSY, false), (.SQLITE_LOCKED, false),
        (.SQLITE_FULL, false), (.SQLITE_IOERR_FSYNC, false), (.SQLITE_CORRUPT, false), (.SQLITE_NOTADB, false),
        (.SQLITE_NOMEM, false), (.SQLITE_INTERRUPT, false), (.SQLITE_READONLY, false), (.SQLITE_CANTOPEN, false),
        (.SQLITE_SCHEMA, false),
    ]) func `what SQLite says is the fault of a message or of the database`(code: ResultCode, isOfOne: Bool) {
        let error = DatabaseError(resultCode: code)
        #expect(LedgerFailure.isOfOne(error) == isOfOne)
        #expect(LedgerFailure.isOfOne(SQLiteFailure.describe(error, path: "x")) == isOfOne)
        #expect(!LedgerFailure.isOfOne(SQLiteFailure.describe(CancellationError(), path: "x")))
    }
}
