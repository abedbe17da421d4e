import Foundation
import Testing

@testable import Uploads

@Suite struct RetryPolicyTests {
    let error = UploadError(.networkFailure, "the connection was lost: try again")

    @Test func `no delay is above its bound or below the ladder's step`() {
        for seed in 0..<2000 as Range<UInt64> {
            var random = SeededGenerator(seed: seed)
            let policy = RetryPolicy(
                maxAttempts: 100, maxAge: .infinity, base: .random(in: 0...30, using: &random),
                factor: .random(in: 1...4, using: &random), cap: .random(in: 0...900, using: &random))
            for attempt in 1..<100 {
                guard case .retry(let delay) = policy.decide(attempt: attempt, error: error, age: 0, using: &random)
                else {
                    Issue.record("gave up at attempt \(attempt)")
                    return
                }
                #expect(delay >= RetryPolicy.delayMinimum)
                #expect(delay <= max(RetryPolicy.delayMinimum, policy.bound(attempt: attempt)))
                #expect(policy.bound(attempt: attempt) <= policy.cap)
            }
        }
    }

    @Test func `the bound grows by the factor until the cap`() {
        let policy = RetryPolicy()
        #expect((1...5).map { policy.bound(attempt: $0) } == [2, 4, 8, 16, 32])
        #expect(policy.bound(attempt: 10) == 600)
        #expect(policy.bound(attempt: 1_000_000) == 600)
        #expect(policy.bound(attempt: -3) == 2)
    }

    @Test func `delays are spread over the whole of their range`() {
        var random = SeededGenerator(seed: 7)
        let policy = RetryPolicy()
        let delays = (0..<4000).compactMap { _ -> TimeInterval? in
            guard case .retry(let delay) = policy.decide(attempt: 7, error: error, age: 0, using: &random) else {
                return nil
            }
            return delay
        }
        for quarter in 0..<4 {
            let range = 1 + Double(quarter) * 127 / 4..<1 + Double(quarter + 1) * 127 / 4
            #expect(delays.count { range.contains($0) } > 800)
        }
    }

    @Test func `attempts and age are used up, and a permanent error is not repeated`() {
        var random = SeededGenerator(seed: 1)
        let policy = RetryPolicy()
        #expect(policy.decide(attempt: 10, error: error, age: 0, using: &random) == .giveUp)
        #expect(policy.decide(attempt: 9, error: error, age: 0, using: &random) != .giveUp)
        #expect(policy.decide(attempt: 1, error: error, age: 86_400, using: &random) == .giveUp)
        #expect(policy.decide(attempt: 1, error: error, age: 86_390, using: &random) != .giveUp)
        let permanent = UploadError(.accessDenied, "not for you: ask for access")
        #expect(policy.decide(attempt: 1, error: permanent, age: 0, using: &random) == .giveUp)
    }

    @Test(arguments: [(90.0, 90.0), (0, 1), (-5, 1), (7200, 3600)])
    func `a destination's wish is honoured up to an hour`(wished: TimeInterval, delay: TimeInterval) {
        var random = SeededGenerator(seed: 1)
        let error = UploadError(.rateLimited, "slow down: wait", retry: .after(seconds: wished))
        #expect(RetryPolicy().decide(attempt: 1, error: error, age: 0, using: &random) == .retry(after: delay))
    }

    @Test func `what a producer leaves out is the usual, and nonsense is mended`() throws {
        let policy = try WireJSON.decode(RetryPolicy.self, from: Data(#"{"maxAttempts": 0, "factor": 0.5}"#.utf8))
        #expect(policy == RetryPolicy(maxAttempts: 1, factor: 1))
        #expect(try WireJSON.decode(RetryPolicy.self, from: Data("{}".utf8)) == RetryPolicy())
    }
}
