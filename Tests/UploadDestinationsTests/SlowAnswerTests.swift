import HTTPCalls
import Testing

@testable import UploadDestinations

@Suite struct SlowAnswerTests {
    private let start = ContinuousClock.now
    private let minimum = HTTPTimes().bytesPerSecondMinimum

    /// Receives this many bytes in each period until the answer is too slow or the seconds are over; returns the second.
    private func endures(_ bytes: Int, a period: Int = 1, for seconds: Int = 600, minimum: Int = 512) -> Int {
        var answer = SlowAnswer(at: start, minimum: minimum)
        for second in stride(from: period, through: seconds, by: period) {
            let now = start + .seconds(second)
            if answer.isTooSlow(at: now) { return second }
            answer.receive(bytes, at: now)
        }
        return seconds
    }

    @Test func `a byte a second ends with the first window`() {
        #expect((60...62).contains(endures(1)))
        #expect((60...90).contains(endures(10_000, a: 30)), "what comes in lumps is measured over the whole window")
    }

    @Test func `what comes up to the minimum goes on`() {
        #expect(endures(530) == 600)
        #expect(endures(1024 * 30, a: 30) == 600)
        #expect(endures(1, minimum: 0) == 600)
        #expect((60...62).contains(endures(530, minimum: 1000)))
    }

    @Test func `one that was fast does not live on that for ever`() {
        var answer = SlowAnswer(at: start, minimum: minimum)
        answer.receive(1 << 30, at: start + .seconds(1))
        var slowAfter: Int?
        for second in 2...400 where slowAfter == nil {
            answer.receive(1, at: start + .seconds(second))
            if answer.isTooSlow(at: start + .seconds(second)) { slowAfter = second }
        }
        #expect((60...130).contains(slowAfter ?? 0))
    }

    @Test func `while the caller takes no bytes the server is not to blame`() {
        var answer = SlowAnswer(at: start, minimum: minimum)
        answer.receive(1, at: start + .seconds(1))
        answer.pause(at: start + .seconds(1))
        #expect(!answer.isTooSlow(at: start + .seconds(1000)))
        answer.receive(1, at: start + .seconds(1000))
        #expect(!answer.isTooSlow(at: start + .seconds(1058)))
        #expect(answer.isTooSlow(at: start + .seconds(1060)))
    }

    @Test func `the answer to a body is waited for as long as the body may take to arrive`() {
        let times = HTTPTimes(firstByteSeconds: 60, stallSeconds: 60)
        #expect(times.answerSeconds(bodyBytes: 0) == 60)
        // 40 KB a second, for a file that fits into the buffers.
        #expect(times.answerSeconds(bodyBytes: 5_000_000) > 5_000_000 / 40_000 + 60)
        #expect(times.answerSeconds(bodyBytes: 5 << 40) == 360, "the buffers hold no more")
    }
}
