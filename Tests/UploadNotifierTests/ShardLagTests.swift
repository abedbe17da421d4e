import Foundation
import Testing
import UploadTesting
import Uploads

@testable import UploadNotifier

@Suite struct ShardLagTests {
    private let start = Sample.start

    @Test func `what is not recorded grows older, also when it comes once more`() {
        var lag = ShardLag()
        #expect(lag.seconds(now: start) == 0)
        lag.take(madeAt: start)
        lag.take(madeAt: start + 5)
        #expect(lag.seconds(now: start + 10) == 10)
        lag.take(madeAt: start)
        #expect(lag.seconds(now: start + 1000) == 1000)
    }

    @Test func `the lag of the last batch counts for a minute, and an older message at hand counts more`() {
        var lag = ShardLag()
        lag.take(madeAt: start)
        lag.record(now: start + 7)
        #expect(lag.waitingSince == nil)
        #expect(lag.seconds(now: start + 30) == 7)
        lag.record(now: start + 60)
        #expect(lag.seconds(now: start + 66) == 7, "nothing was at hand")
        #expect(lag.seconds(now: start + 67) == 0)
        lag.take(madeAt: start + 60)
        #expect(lag.seconds(now: start + 80) == 20)
    }

    @Test func `a clock that is ahead makes no lag below zero, and one that is put back no lag for ever`() {
        var lag = ShardLag()
        lag.take(madeAt: start + 100)
        #expect(lag.seconds(now: start) == 0)
        lag.record(now: start)
        #expect(lag.seconds(now: start) == 0)
        lag.take(madeAt: start - 50)
        lag.record(now: start)
        #expect(lag.seconds(now: start) == 50)
        #expect(lag.seconds(now: start - 3600) == 0)
    }

    @Test func `only shards that the notifier has are measured, each by its own jobs`() throws {
        let (clock, four) = (ManualClock(), try #require(Shards(4)))
        let metrics = ShardMetrics(clock: clock.clock)
        metrics.turn(to: [1, 2])
        let jobs = (0..<4).map { digit in
            var job = Sample.job(key: "\(digit)")
            job.id = job.id.ending(in: "\(digit)")
            job.enqueuedAt = start - Double(digit) * 10
            return NotifierMessage.job(job, maybeRepeated: false)
        }
        metrics.take(jobs, four)
        #expect(metrics.lags == [1: 10, 2: 20])
        metrics.record(Array(jobs.prefix(2)), four)
        clock.advance(to: start + 61)
        #expect(metrics.lags == [1: 0, 2: 81])
        metrics.turn(to: [2, 3])
        #expect(metrics.lags == [2: 81, 3: 0], "a shard that comes anew has nothing at hand")
    }

    @Test func `a notifier shows its shards while it works, and none when it has ended`() async throws {
        let scratch = try Scratch()
        let ledger = try Ledger.open(path: scratch.file())
        let (bus, clock, job) = (MemoryNotifierBus(), ManualClock(), Sample.job())
        let metrics = ShardMetrics(clock: clock.clock)
        let service = NotifierService(
            bus: bus, ledger: ledger, delegates: [], metrics: metrics, clock: clock.clock, logger: quiet)
        try await service.run {
            bus.send(.job(job, maybeRepeated: false))
            try await until { bus.acknowledged == 1 }
            #expect(metrics.lags == [0: start.timeIntervalSince(job.enqueuedAt)])
        }
        #expect(metrics.lags.isEmpty)
        try ledger.close()
    }
}
