import Foundation
import Testing

@testable import Uploads

@Suite struct ClockComparisonTests {
    private let day = Date(timeIntervalSince1970: 1_800_000_000)
    private let uptime: TimeInterval = 1000

    /// Compares this clock, that many seconds ahead, with another one.
    private func comparison(_ witness: ClockComparison.Witness, ahead: TimeInterval) -> ClockComparison {
        var comparison = ClockComparison()
        comparison.note(day, by: witness, now: day + ahead, uptime: uptime)
        return comparison
    }

    @Test func `a clock that no other has confirmed is not believed, nor called wrong`() {
        let comparison = ClockComparison()
        #expect(!comparison.isConfirmed(now: day, uptime: uptime))
        #expect(comparison.disagreement == nil)
    }

    @Test(arguments: [-299.0, 0, 299]) func `a server or the broker that shows about the same confirms it`(
        ahead: TimeInterval
    ) {
        for witness in [ClockComparison.Witness.server, .broker] {
            let comparison = comparison(witness, ahead: ahead)
            #expect(comparison.isConfirmed(now: day + ahead, uptime: uptime))
            #expect(comparison.disagreement == nil)
        }
    }

    @Test func `a day ahead a server says so, and what lay for long may mean nothing`() {
        #expect(comparison(.server, ahead: 86_400).disagreement == 86_400)
        for witness in [ClockComparison.Witness.broker, .producer] {
            #expect(comparison(witness, ahead: 86_400).disagreement == nil)
        }
        for witness in [ClockComparison.Witness.server, .broker, .producer] {
            #expect(!comparison(witness, ahead: 86_400).isConfirmed(now: day + 86_400, uptime: uptime))
        }
    }

    @Test func `a time from the future shows a clock that is behind, whichever witness says it`() {
        for witness in [ClockComparison.Witness.server, .broker, .producer] {
            #expect(comparison(witness, ahead: -86_400).disagreement == -86_400)
            #expect(!comparison(witness, ahead: -86_400).isConfirmed(now: day - 86_400, uptime: uptime))
        }
    }

    @Test func `a job of this moment proves nothing: it may be old, and the clock behind`() {
        #expect(!comparison(.producer, ahead: 0).isConfirmed(now: day, uptime: uptime))
    }

    @Test func `a clock that steps is confirmed no longer, one that runs on is, for six hours`() {
        let comparison = comparison(.server, ahead: 0)
        #expect(comparison.isConfirmed(now: day + 6 * 3600, uptime: uptime + 6 * 3600))
        #expect(!comparison.isConfirmed(now: day + 6 * 3600 + 1, uptime: uptime + 6 * 3600 + 1))
        #expect(!comparison.isConfirmed(now: day + 86_400, uptime: uptime + 1))
        #expect(!comparison.isConfirmed(now: day - 3600, uptime: uptime + 1))
    }

    @Test func `a clock that agrees ends a disagreement`() {
        var comparison = comparison(.producer, ahead: -1e6)
        comparison.note(day, by: .broker, now: day + 2, uptime: uptime)
        #expect(comparison.disagreement == nil)
        #expect(comparison.isConfirmed(now: day + 2, uptime: uptime))
    }
}
