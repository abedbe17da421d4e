import Foundation
import Testing

@testable import Uploads

@Suite struct FenceRetentionTests {
    private let start = Date(timeIntervalSince1970: 1_800_000_000)
    private let day: TimeInterval = 86_400

    private func job(
        round: Int = 1, generation: Int = 2, endedAfter: TimeInterval? = 60,
        _ change: (inout UploadJob) -> Void = { _ in }
    ) -> LedgerJob {
        var order = UploadJob(
            source: .inline(Data()), destination: .url("https://host.example/a"), size: 0, retry: RetryPolicy(),
            enqueuedAt: start)
        change(&order)
        var job = LedgerJob(Baton(job: order, round: round, generation: generation), isWhole: true, at: start)
        if let endedAfter { job.end(UploadEvent(kind: .completed, of: job.baton, at: start + endedAfter)) }
        return job
    }

    @Test func `the fence of a job that has not ended stays`() {
        #expect(job(endedAfter: nil).fenceEndsAt == nil)
    }

    @Test func `it goes a day after its job's lifetime, however long that was to be tried`() {
        #expect(job().fenceEndsAt == start + 31 * day)
        #expect(job { $0.retry = nil }.fenceEndsAt == start + 31 * day)
        #expect(job { $0.retry = RetryPolicy(maxAge: 6 * 3600) }.fenceEndsAt == start + 31 * day)
        #expect(job { $0.retry = RetryPolicy(maxAge: .infinity) }.fenceEndsAt == start + 31 * day)
    }

    @Test func `a job that was cancelled before its time keeps it until its first baton must have come by`() {
        #expect(job { $0.notBefore = start + 40 * day }.fenceEndsAt == start + 71 * day)
    }

    @Test func `a deadline brings it forward`() {
        let bounded = job {
            $0.retry = RetryPolicy(maxAge: .infinity)
            $0.expiresAt = start + 2 * 3600
        }
        #expect(bounded.fenceEndsAt == start + 2 * 3600 + day)
    }

    @Test func `what waited on the ladder when the round ended is waited for`() {
        // An hour: a pause, or a cancellation that the destination has asked to come back later.
        #expect(job(endedAfter: 31 * day).fenceEndsAt == start + 32 * day + 3600)
        let slow = job(endedAfter: 0) {
            $0.retry = RetryPolicy(maxAge: 60, cap: 10 * 3600)
            $0.expiresAt = start + 1
        }
        #expect(slow.fenceEndsAt == start + 10 * 3600 + day)
        #expect(job { $0.retry = RetryPolicy(maxAge: 60, cap: .infinity) }.fenceEndsAt == start + 60 + 51 * day)
    }

    @Test func `a later round's baton that was not begun has its time before it, so its fence stays longer`() {
        #expect(job(round: 2, generation: 5).fenceEndsAt == start + 60 + 51 * day)
        #expect(job(round: 2, generation: 5) { $0.expiresAt = start + day }.fenceEndsAt == start + 2 * day)
    }

    @Test func `of a job in a serial line only what was issued twice leaves a baton below the fence`() {
        #expect(job { $0.serial = .end }.fenceEndsAt == start + 60 + 3600 + day)
        #expect(job(generation: 3) { $0.serial = .end }.fenceEndsAt == start + 60 + 51 * day)
    }
}
