import Foundation
import Testing

@testable import Uploads

@Suite struct FenceRetentionTests {
    private let start = Date(timeIntervalSince1970: 1_800_000_000)

    private func job(ends kind: EventKind? = .completed, _ change: (inout UploadJob) -> Void = { _ in }) -> LedgerJob {
        var order = UploadJob(
            source: .inline(Data()), destination: .url("https://host.example/a"), size: 0, retry: RetryPolicy(),
            enqueuedAt: start)
        change(&order)
        var job = LedgerJob(Baton(job: order, generation: 2), isWhole: true, at: start)
        if let kind { job.end(UploadEvent(kind: kind, of: job.baton, at: start)) }
        return job
    }

    @Test func `the fence of a job that has not ended stays`() {
        #expect(!job(ends: nil).mayForgetFence(endedBefore: .distantFuture))
    }

    @Test func `it goes when end and time are both long past`() {
        let job = job()
        #expect(!job.mayForgetFence(endedBefore: start))
        #expect(!job.mayForgetFence(endedBefore: start + 86_400))
        #expect(job.mayForgetFence(endedBefore: start + 86_401))
    }

    @Test func `a job that says nothing of its age keeps it as long as any destination may let it live`() {
        let job = job { $0.retry = nil }
        #expect(!job.mayForgetFence(endedBefore: start + RetryPolicy.destinationAgeMaximum))
        #expect(job.mayForgetFence(endedBefore: start + RetryPolicy.destinationAgeMaximum + 1))
    }

    @Test func `a job that was cancelled before its time keeps it until its first baton must have come by`() {
        let job = job(ends: .cancelled) { $0.notBefore = start + 40 * 86_400 }
        #expect(!job.mayForgetFence(endedBefore: start + 41 * 86_400))
        #expect(job.mayForgetFence(endedBefore: start + 41 * 86_400 + 1))
    }

    @Test func `a deadline brings it forward, a job without one keeps it`() {
        let bounded = job {
            $0.retry = RetryPolicy(maxAge: .infinity)
            $0.expiresAt = start + 100
        }
        #expect(bounded.mayForgetFence(endedBefore: start + 101))
        #expect(!job { $0.retry = RetryPolicy(maxAge: .infinity) }.mayForgetFence(endedBefore: .distantFuture))
    }
}
