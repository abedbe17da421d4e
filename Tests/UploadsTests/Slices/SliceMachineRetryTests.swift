import Foundation
import Testing

@testable import Uploads

/// Which retry policy counts: the job's, the destination's or the default.
@Suite struct SliceMachineRetryTests {
    typealias H = SliceHarness

    private func settled(job: RetryPolicy?, destination: RetryPolicy?, attempts: Int = 0) -> H {
        var baton = H.baton()
        baton.job.retry = job
        baton.attempts = attempts
        var slice = H(baton)
        slice.holding(.begun)
        slice.holding(.destinationFound(DestinationFacts(driver: "directory", canYield: true, retry: destination)))
        slice.holding(.sourceClaimed)
        slice.holding(.failed(H.error(.networkFailure)))
        return slice
    }

    @Test func `a job that says nothing takes the destination's policy`() {
        let once = RetryPolicy(maxAttempts: 1)
        #expect(settled(job: nil, destination: once).failure?.code == .networkFailure)
        #expect(settled(job: nil, destination: RetryPolicy(maxAttempts: 30), attempts: 20).wait != nil)
    }

    @Test func `what a producer said wins`() {
        let once = RetryPolicy(maxAttempts: 1)
        #expect(settled(job: RetryPolicy(), destination: once).wait != nil)
        #expect(settled(job: once, destination: RetryPolicy(maxAttempts: 30)).failure != nil)
    }

    @Test func `without a policy of job or destination the default counts`() {
        #expect(settled(job: nil, destination: nil, attempts: 8).wait != nil)
        #expect(settled(job: nil, destination: nil, attempts: 9).failure != nil)
    }

    @Test func `the destination's age ends a job that has been tried for so long`() {
        var baton = H.baton(slice: 1)
        for (seconds, isEnd) in [(30.0, false), (120, true)] {
            baton.triedSince = H.start - seconds
            var slice = H(baton)
            slice.holding(.begun)
            slice.holding(
                .destinationFound(
                    DestinationFacts(driver: "directory", canYield: true, retry: RetryPolicy(maxAge: 60))))
            slice.holding(.failed(H.error(.serverFailure)))
            #expect((slice.failure?.code == .serverFailure) == isEnd)
        }
    }

    @Test func `the destination's base and cap bound the wait`() throws {
        let slow = RetryPolicy(base: 300, cap: 300)
        let waits = try (0..<20).map { _ in try #require(settled(job: nil, destination: slow).wait).seconds }
        // The harness has one seed, so only the bound is checked.
        #expect(waits.allSatisfy { (1...300).contains($0) })
        let quick = try #require(settled(job: nil, destination: RetryPolicy(base: 1, cap: 1)).wait)
        #expect(quick.seconds == 1)
    }
}
