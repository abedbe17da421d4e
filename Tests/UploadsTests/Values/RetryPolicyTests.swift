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

    @Test(arguments: 1...9) func `full jitter: each tenth of the range is as likely as any other`(attempt: Int) {
        var random = SeededGenerator(seed: UInt64(attempt))
        var again = SeededGenerator(seed: UInt64(attempt))
        let policy = RetryPolicy()
        let width = policy.bound(attempt: attempt) - RetryPolicy.delayMinimum
        var tenths = [Int](repeating: 0, count: 10)
        for _ in 0..<10_000 {
            let decision = policy.decide(attempt: attempt, error: error, age: 0, using: &random)
            #expect(decision == policy.decide(attempt: attempt, error: error, age: 0, using: &again))
            guard case .retry(let delay) = decision else {
                Issue.record("gave up at attempt \(attempt)")
                return
            }
            let tenth = Int((delay - RetryPolicy.delayMinimum) / width * 10)
            #expect((0...10).contains(tenth))
            tenths[min(tenth, 9)] += 1
        }
        // Four standard deviations of 1,000 of 10,000 at one in ten.
        for tenth in tenths { #expect(abs(tenth - 1000) <= 120) }
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

    @Test func `whatever the policy, no delay is early, late, past the age or longer than was wished`() {
        for seed in 0..<5000 as Range<UInt64> {
            var random = SeededGenerator(seed: seed)
            let policy = RetryPolicy(
                maxAttempts: .random(in: 1...20, using: &random), maxAge: .random(in: 0...100_000, using: &random),
                base: .random(in: 0...100, using: &random), factor: .random(in: 1...10, using: &random),
                cap: .random(in: 0...4000, using: &random))
            let attempt = Int.random(in: 1...25, using: &random)
            let age = Double.random(in: 0...120_000, using: &random)
            let wished = Double.random(in: -10...9000, using: &random)
            let asks = Bool.random(using: &random)
            let error = UploadError(.rateLimited, "slow down: wait", retry: asks ? .after(seconds: wished) : nil)
            guard case .retry(let delay) = policy.decide(attempt: attempt, error: error, age: age, using: &random)
            else {
                // It gave up only because attempts or age were used up.
                let longest = asks ? max(1, min(wished, 3600)) : max(1, policy.bound(attempt: attempt))
                #expect(attempt >= policy.maxAttempts || age + longest > policy.maxAge)
                continue
            }
            #expect(attempt < policy.maxAttempts)
            #expect(age + delay <= policy.maxAge)
            #expect(delay >= RetryPolicy.delayMinimum)
            if asks {
                #expect(delay == max(1, min(wished, RetryPolicy.retryAfterMaximum)))
            } else {
                #expect(delay <= max(RetryPolicy.delayMinimum, policy.cap))
            }
        }
    }

    @Test(arguments: [Double.nan, .infinity, -.infinity])
    func `a wish that is no time is no harm`(wished: Double) {
        var random = SeededGenerator(seed: 1)
        let error = UploadError(.rateLimited, "slow down: wait", retry: .after(seconds: wished))
        if case .retry(let delay) = RetryPolicy().decide(attempt: 1, error: error, age: 0, using: &random) {
            #expect((1...3600).contains(delay))
        }
    }

    @Test func `what a producer leaves out is the usual`() throws {
        #expect(try WireJSON.decode(RetryPolicy.self, from: Data("{}".utf8)) == RetryPolicy())
    }

    @Test(arguments: [
        #"{"maxAttempts": 0}"#, #"{"maxAttempts": 1000000001}"#, #"{"maxAge": -1}"#, #"{"maxAge": 1e10}"#,
        #"{"base": -1}"#,
        #"{"factor": 0.5}"#, #"{"factor": 1e300}"#, #"{"cap": 1e300}"#,
    ])
    func `a producer's nonsense is refused`(text: String) {
        #expect(throws: DecodingError.self) { try WireJSON.decode(RetryPolicy.self, from: Data(text.utf8)) }
    }

    @Test func `no delay that grows for ever is none at all`() {
        var random = SeededGenerator(seed: 1)
        var policy = RetryPolicy(maxAttempts: 1_000_000_000, maxAge: 1e9, base: 0)
        policy.factor = 1e300
        let decision = policy.decide(
            attempt: 999_999, error: UploadError(.serverFailure, "busy"), age: 0, using: &random)
        #expect(decision == .retry(after: RetryPolicy.delayMinimum))
    }
}
