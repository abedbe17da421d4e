import Testing

@testable import Uploads

@Suite struct TokenBucketTests {
    @Test func `a second's worth passes at once, and then no more than the rate`() throws {
        var bucket = TokenBucket(rate: 10, at: .zero)
        for _ in 0..<10 { #expect(bucket.take(1, at: .zero) == nil) }
        let wait = bucket.take(1, at: .zero)
        #expect(abs(try #require(wait) / .seconds(1) - 0.1) < 1e-6)
        #expect(bucket.take(1, at: .milliseconds(99)) != nil)
        #expect(bucket.take(1, at: .milliseconds(100)) == nil)
    }

    @Test func `what is more than a second's worth leaves a debt`() {
        var bucket = TokenBucket(rate: 10, at: .zero)
        #expect(bucket.take(50, at: .zero) == nil)
        #expect(bucket.take(1, at: .milliseconds(4000)) != nil)
        #expect(bucket.take(1, at: .milliseconds(4100)) == nil)
    }

    @Test func `idle time is not saved up`() {
        var bucket = TokenBucket(rate: 10, at: .zero)
        #expect(bucket.take(10, at: .seconds(3600)) == nil)
        #expect(bucket.take(1, at: .seconds(3600)) != nil)
    }

    @Test func `a changed rate holds from now on`() {
        var bucket = TokenBucket(rate: 1, at: .zero)
        #expect(bucket.take(1, at: .zero) == nil)
        bucket.setRate(1000, at: .zero)
        #expect(bucket.take(10, at: .milliseconds(10)) == nil)
        bucket.setRate(1, at: .milliseconds(1000))
        #expect(bucket.take(1, at: .milliseconds(1000)) == nil)
        #expect(bucket.take(1, at: .milliseconds(1000)) != nil)
    }

    @Test func `in no stretch of time passes more than its rate and a second's worth`() {
        for seed in 0..<300 as Range<UInt64> {
            var random = SeededGenerator(seed: seed)
            let rate = Double.random(in: 0.5...5000, using: &random)
            let start = Duration.seconds(Double.random(in: 0...1e6, using: &random))
            var bucket = TokenBucket(rate: rate, at: start)
            var now = start
            var passed: [(at: Duration, amount: Double)] = []
            while passed.count < 60 {
                let amount = min(rate, Double.random(in: 0...rate, using: &random))
                if let wait = bucket.take(amount, at: now) {
                    #expect(wait > .zero)
                    #expect(wait <= .seconds(1.0001))
                    now += wait
                    // There are enough tokens exactly when it said so.
                    #expect(bucket.take(amount, at: now) == nil)
                }
                passed.append((now, amount))
                if Int.random(in: 0..<4, using: &random) == 0 {
                    now += .seconds(Double.random(in: 0...2, using: &random))
                }
            }
            for first in passed.indices {
                var sum = 0.0
                for last in first..<passed.count {
                    sum += passed[last].amount
                    let seconds = (passed[last].at - passed[first].at) / .seconds(1)
                    #expect(sum <= rate * (seconds + 1) * 1.0001)
                }
            }
        }
    }
}
