import Foundation
import Hummingbird
import Testing
import UploadTesting
import Uploads

@testable import UploadNotifier

@Suite struct LatestProgressTests {
    private let time = ManualClock()
    private let latest: LatestProgress

    init() { latest = LatestProgress(clock: time.clock) }

    private func report(
        _ job: UploadJob, _ bytes: Int64, rate: Double = 8, after seconds: TimeInterval = 0
    ) -> UploadEvent {
        var event = UploadEvent(kind: .progress, of: Baton(job: job), at: Sample.start + seconds)
        event.data.bytesDone = bytes
        event.data.bytesPerSecond = rate
        return event
    }

    private func event(_ kind: EventKind, _ job: UploadJob, after seconds: TimeInterval) -> NotifierMessage {
        .event(UploadEvent(kind: kind, of: Baton(job: job), at: Sample.start + seconds))
    }

    private func changes(since version: UInt64 = 0, limit: Int = 100) -> (entries: [JobID], version: UInt64) {
        let changes = latest.changes(since: version, limit: limit) { _ in true }
        return (changes.entries.map(\.job), changes.version)
    }

    @Test func `the latest report of a job counts, with an even rate`() {
        let job = Sample.job()
        latest.note([report(job, 1, rate: 100), report(job, 3, rate: 200, after: 1)])
        #expect(
            latest.progress(of: job.id) == JobProgress(bytesDone: 3, bytesPerSecond: 130, at: Sample.start + 1))
        latest.note([report(job, 2)])
        #expect(latest.progress(of: job.id)?.bytesDone == 3, "what comes late does not go back")
    }

    @Test func `what a report says is kept within the file`() {
        let job = Sample.job()
        latest.note([report(job, 1 << 40, rate: -5)])
        #expect(latest.progress(of: job.id)?.bytesDone == job.size)
        #expect(latest.progress(of: job.id)?.bytesPerSecond == 0)
        #expect(latest.progress(of: job.id)?.secondsLeft(of: job.size) == nil)
    }

    @Test(arguments: [
        EventKind.completed, .failed, .cancelled, .waiting, .paused, .handedOver, .suspect,
    ])
    func `a job that no worker holds any more leaves, and its late reports with it`(kind: EventKind) {
        let job = Sample.job()
        latest.note([report(job, 1)])
        latest.note(recorded: [event(kind, job, after: 2)])
        #expect(latest.progress(of: job.id) == nil)
        latest.note([report(job, 2, after: 1)])
        #expect(latest.progress(of: job.id) == nil)
        latest.note([report(job, 2, after: 3)])
        #expect(latest.progress(of: job.id)?.bytesDone == 2, "the next slice")
    }

    @Test func `a clock that is behind hides a job for seconds only`() {
        let job = Sample.job()
        latest.note([report(job, 1)])
        latest.note(recorded: [event(.handedOver, job, after: 600)])
        time.advance(to: Sample.start + 11)
        latest.note([report(job, 2, after: 11)])
        #expect(latest.progress(of: job.id)?.bytesDone == 2)
    }

    @Test func `what says nothing for a minute is forgotten`() {
        let job = Sample.job()
        latest.note([report(job, 1)])
        time.advance(to: Sample.start + 59)
        #expect(latest.progress(of: job.id) != nil)
        time.advance(to: Sample.start + 60)
        #expect(latest.progress(of: job.id) == nil)
        #expect(changes().entries.isEmpty)
    }

    @Test func `there is room for so many jobs and no more`() {
        let jobs = (0...LatestProgress.countMaximum).map { Sample.job(key: "\($0)") }
        latest.note(jobs.map { report($0, 1) })
        #expect(latest.progress(of: jobs[0].id) != nil)
        #expect(jobs.last.map { latest.progress(of: $0.id) == nil } == true)
        time.advance(to: Sample.start + 61)
        latest.note(jobs.suffix(1).map { report($0, 2, after: 61) })
        #expect(jobs.last.map { latest.progress(of: $0.id) != nil } == true)
    }

    @Test func `a reader sees each job once for all that changed, the longest ago first, in portions`() {
        let jobs = (0..<3).map { Sample.job(key: "\($0)") }
        latest.note(jobs.map { report($0, 1) } + [report(jobs[0], 2, after: 1)])
        let first = changes(limit: 2)
        #expect(first.entries == [jobs[1].id, jobs[2].id])
        let second = changes(since: first.version, limit: 2)
        #expect(second.entries == [jobs[0].id])
        #expect(changes(since: second.version).entries.isEmpty)
    }

    @Test func `the notifier hears the feed, and what it records clears the latest`() async throws {
        let house = try await APIHouse()
        let feed = ScriptedFeed()
        let bus = MemoryNotifierBus()
        let service = NotifierService(
            bus: bus, ledger: house.ledger, delegates: [], progress: house.progress, progressFeed: feed, logger: quiet)
        let running = Task { try await service.run() }
        defer { running.cancel() }
        let job = Sample.job()
        bus.send(.job(job, maybeRepeated: false), Sample.event(.started, job))
        try await until { try await house.ledger.job(job.id)?.status == .running }
        feed.tell(WorkerNews(progress: [report(job, 2, rate: 1)]))
        try await until { house.progress.progress(of: job.id) != nil }
        try await house.with { client in
            let story = try await client.ask(.get, "/v1/jobs/\(job.id)").json
            let shown = (story["job"] as? [String: Any])?["progress"] as? [String: Any]
            #expect(shown?["bytesDone"] as? Int == 2)
            #expect(shown?["secondsLeft"] as? Double == 3)
        }
        bus.send(Sample.event(.handedOver, job, slice: 1))
        try await until { house.progress.progress(of: job.id) == nil }
        house.progress.note([report(job, 3, after: 5)])
        try await house.with { client in
            let page = try await client.ask(.get, "/v1/jobs").json
            let shown = try #require((page["jobs"] as? [[String: Any]])?.first)
            #expect(shown["status"] as? String == "queued" && shown["progress"] == nil)
        }
    }
}
