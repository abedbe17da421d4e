import Foundation
import Testing
import Uploads

struct StagingRuleTests {
    private let rule = StagingRule()
    private let now = Date(timeIntervalSince1970: 1_800_000_000)
    private let day: TimeInterval = 86_400

    @Test func `an upload of a copy has seven days`() {
        #expect(!rule.isAbandoned(leftover(.upload, days: 6.9), jobs: [], now: now))
        #expect(rule.isAbandoned(leftover(.upload, days: 7.1), jobs: [], now: now))
    }

    private func leftover(_ kind: StagedLeftover.Kind = .copy, days: Double, isInOutbox: Bool = false) -> StagedLeftover
    {
        StagedLeftover(kind: kind, name: "n", changedAt: now - days * day, isInOutbox: isInOutbox)
    }

    private func job(ended kind: EventKind?, days: Double = 0) -> LedgerJob {
        let order = UploadJob(
            source: .staged(area: "a", name: "n"), destination: .named(DestinationName(unchecked: "x"), key: "k"),
            size: 1)
        var job = LedgerJob(Baton(job: order), isWhole: true, at: now)
        if let kind { job.end = RoundEnd(kind: kind, event: "e", at: now - days * day) }
        return job
    }

    private func isAbandoned(_ leftover: StagedLeftover, _ jobs: LedgerJob...) -> Bool {
        rule.isAbandoned(leftover, jobs: jobs, now: now)
    }

    @Test func `what a live job or the outbox names is kept however old it is`() {
        #expect(!isAbandoned(leftover(days: 400), job(ended: nil)))
        #expect(!isAbandoned(leftover(days: 400), job(ended: .completed, days: 300), job(ended: nil)))
        #expect(!isAbandoned(leftover(days: 400, isInOutbox: true)))
        #expect(!isAbandoned(leftover(days: 400, isInOutbox: true), job(ended: .completed, days: 300)))
    }

    @Test func `a failed job's copy is kept for 7 days, that of another end for an hour`() {
        #expect(!isAbandoned(leftover(days: 20), job(ended: .failed, days: 6.9)))
        #expect(isAbandoned(leftover(days: 20), job(ended: .failed, days: 7.1)))
        #expect(isAbandoned(leftover(days: 20), job(ended: .completed, days: 0.1)))
        #expect(isAbandoned(leftover(days: 20), job(ended: .cancelled, days: 0.1)))
        #expect(!isAbandoned(leftover(days: 20), job(ended: .completed, days: 0.01)))
    }

    @Test func `a job that is about to run again keeps its copy`() {
        var job = job(ended: .failed, days: 20)
        job.wish = IssueWish(marker: IssueMarker(job: job.id, round: 1, generation: 1), verb: .runAgain)
        #expect(!isAbandoned(leftover(days: 30), job))
    }

    @Test func `a copy of an unknown job is kept for the longest delay and the longest age`() {
        #expect(!isAbandoned(leftover(days: 30.9)))
        #expect(isAbandoned(leftover(days: 31.1)))
        #expect(!isAbandoned(leftover(.key, days: 30.9)))
        #expect(isAbandoned(leftover(.key, days: 31.1)))
    }

    @Test func `what was never finished goes after a day without a byte`() {
        #expect(!isAbandoned(leftover(.partial, days: 0.9)))
        #expect(isAbandoned(leftover(.partial, days: 1.1)))
    }
}
