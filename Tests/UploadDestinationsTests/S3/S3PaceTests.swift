import Foundation
import Testing

@testable import UploadDestinations

struct S3PaceTests {
    private let start = ContinuousClock.now

    @Test func `no request waits until the server has refused one`() {
        var pace = S3Pace()
        for _ in 0..<1000 { #expect(pace.turn(at: start) == start) }
    }

    @Test func `after a refusal requests begin after a pause, one after the other`() {
        var pace = S3Pace()
        pace.refused(startedAt: start, retryAfter: nil, at: start)
        let first = pace.turn(at: start)
        #expect(first == start + S3Pace.pauseMinimum)
        #expect(pace.turn(at: start) == first + S3Pace.gapMinimum)
        #expect(pace.turn(at: start) == first + S3Pace.gapMinimum * 2)
    }

    @Test func `Retry-After is the pause`() {
        var pace = S3Pace()
        pace.refused(startedAt: start, retryAfter: 3, at: start)
        #expect(pace.turn(at: start) == start + .seconds(3))
    }

    @Test func `refusals of requests that were under way together count once`() {
        var pace = S3Pace()
        for index in 0..<64 {
            pace.refused(startedAt: start, retryAfter: nil, at: start + .milliseconds(index + 1))
        }
        #expect(pace.gap == S3Pace.gapMinimum)
        pace.refused(startedAt: start + .seconds(1), retryAfter: nil, at: start + .seconds(2))
        #expect(pace.gap == S3Pace.gapMinimum * 2)
    }

    @Test func `however often it is refused, gap and pause are bounded`() {
        var pace = S3Pace()
        var now = start
        for _ in 0..<100 {
            now += .seconds(60)
            pace.refused(startedAt: now, retryAfter: nil, at: now)
        }
        #expect(pace.gap == S3Pace.gapMaximum)
        #expect(pace.turn(at: now) == now + S3Pace.pauseMaximum)
    }

    @Test func `success brings the full speed back`() {
        var pace = S3Pace()
        for second in 1...8 {
            let now = start + .seconds(second)
            pace.refused(startedAt: now, retryAfter: nil, at: now)
        }
        let before = pace.gap
        pace.served()
        #expect(pace.gap < before)
        for _ in 0..<200 { pace.served() }
        #expect(pace.gap == .zero)
        let later = start + .seconds(100)
        #expect(pace.turn(at: later) == later)
        #expect(pace.turn(at: later) == later)
    }
}
