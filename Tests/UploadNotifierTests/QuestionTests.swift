import Foundation
import GRDB
import Testing
import UploadTesting
import Uploads

@testable import UploadNotifier

@Suite("Questions", .timeLimit(.minutes(10)))
struct QuestionTests {
    private func ask(_ jobs: JobID...) -> UploadOrder { UploadOrder(.ask(jobs), by: "app", at: Sample.start) }

    private func run(
        _ bus: MemoryNotifierBus, _ path: String, progress: LatestProgress = LatestProgress(),
        while body: (Ledger) async throws -> Void
    ) async throws {
        let ledger = try Ledger.open(path: path)
        let service = NotifierService(bus: bus, ledger: ledger, delegates: [], progress: progress, logger: quiet)
        try await service.run { try await body(ledger) }
        try ledger.close()
    }

    private func progress(_ job: UploadJob, bytesDone: Int64) -> UploadEvent {
        var event = UploadEvent(kind: .progress, of: Baton(job: job), at: Sample.start)
        event.data.bytesDone = bytesDone
        event.data.bytesPerSecond = 2
        return event
    }

    @Test func `a question is answered from the messages before it, and is not recorded`() async throws {
        let scratch = try Scratch()
        let bus = MemoryNotifierBus()
        let latest = LatestProgress()
        let (running, paused, ended, unknown) = (
            Sample.job(key: "a"), Sample.job(key: "b"), Sample.job(key: "c"), JobID()
        )
        latest.note([progress(running, bytesDone: 3)])
        bus.send(
            Sample.event(.started, running), .job(paused, maybeRepeated: false), Sample.event(.started, paused),
            Sample.event(.paused, paused, slice: 1), Sample.event(.completed, ended),
            .order(ask(running.id, unknown, paused.id, ended.id), replyTo: "here"),
            .order(ask(running.id), replyTo: nil))
        try await run(bus, scratch.file(), progress: latest) { _ in
            try await until { bus.acknowledged == 7 }
            // The control log is read once, at the start: no question depends on it.
            #expect(bus.attemptsAtViews.count == 1)
        }
        let answer = try #require(bus.answers["here"]?.first)
        #expect(bus.answers.count == 1 && answer.problem == nil && answer.matched == 4 && answer.done == 3)
        #expect(answer.jobs.map(\.id) == [running.id, unknown, paused.id, ended.id])
        let reports = answer.jobs.map(\.report)
        #expect(reports.map { $0?.status } == [.running, nil, .paused, .completed])
        #expect(reports[0]?.isSliceStarted == true && reports[0]?.slice == 0)
        #expect(reports[0]?.bytesDone == 3 && reports[0]?.bytesPerSecond == 2 && reports[0]?.size == 5)
        #expect(reports[0]?.progressAt == Sample.start)
        #expect(reports[2]?.isSliceStarted == false && reports[2]?.slice == 1 && reports[2]?.bytesDone == nil)
        #expect(answer.jobs[1].reason?.contains("knows no job") == true)
        let queue = try DatabaseQueue(path: scratch.file())
        #expect(try await queue.read { try Int.fetchOne($0, sql: "SELECT count(*) FROM orders") } == 0)
    }

    @Test func `orders before a question in one batch are obeyed before it is answered`() async throws {
        let scratch = try Scratch()
        let bus = MemoryNotifierBus()
        let job = Sample.job()
        bus.send(
            .job(job, maybeRepeated: false),
            .order(UploadOrder(.jobs(.cancel, [job.id]), by: "jo", at: Sample.start), replyTo: nil),
            Sample.event(.waiting, job, slice: 1), .order(ask(job.id), replyTo: "here"))
        try await run(bus, scratch.file()) { _ in try await until { bus.acknowledged == 5 } }
        let report = try #require(bus.answers["here"]?.first?.jobs.first?.report)
        #expect(report.status == .waiting && report.slice == 1)
    }

    @Test func `a damaged row costs a question the answer about that job alone`() async throws {
        let scratch = try Scratch()
        let ledger = try Ledger.open(path: scratch.file())
        let (good, bad) = (Sample.job(key: "good"), Sample.job(key: "bad"))
        _ = try await ledger.record(
            [good, bad].map { .job($0, maybeRepeated: false) }, view: ControlView(), routes: [], now: Sample.start)
        try await ledger.pool.write { db in
            try db.execute(
                sql: "UPDATE jobs SET record = CAST('{' AS BLOB) WHERE id = ?", arguments: [bad.id.rawValue])
        }
        let answers = try await ledger.reports(of: [bad.id, good.id, bad.id])
        #expect(answers.map(\.id) == [bad.id, good.id, bad.id])
        #expect(answers.map { $0.report?.status } == [nil, .queued, nil])
        #expect(answers[0].reason?.contains("cannot be read") == true)
    }

    /// The broker takes a message of 4 MiB.
    @Test func `an answer about as many jobs as can be asked for fits into a message`() throws {
        var known = LedgerJob(Baton(job: Sample.job()), isWhole: true, at: Sample.start)
        known.status = .waiting
        known.reason = String(repeating: "\u{1}", count: WireLimits.nameLengthMaximum)
        known.trouble = String(repeating: "\u{1}", count: FailureRecord.messageCodePointsMaximum)
        var answer = OrderAnswer(order: UUID())
        answer.add(
            (0..<UploadOrder.jobsMaximum).map { _ in OrderAnswer.Job(id: JobID(), report: JobReport(known)) })
        let body = try WireJSON.encode(answer)
        #expect(body.count < WireLimits.bodyBytesMaximum)
        #expect(try WireJSON.decode(OrderAnswer.self, from: body) == answer)
    }
}
