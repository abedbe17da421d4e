import Foundation
import Testing
import Uploads

@Suite struct QueuePaceTests {
    private static let start = Date(timeIntervalSince1970: 1_800_000_000)

    /// A queue whose jobs end when the test says so.
    private struct Observed {
        var pace = QueuePace()
        var load = QueueLoad(queue: .standard)
        var uploads: [JobID: QueuePace.Upload] = [:]
        var time = 0.0

        mutating func observe(after seconds: TimeInterval = 5) {
            time += seconds
            pace.note(load, uploads: uploads, at: start + time)
        }

        mutating func end(_ count: Int, bytes: Int64 = 0, failed: Int = 0) {
            let minute = start + (time / 60).rounded(.down) * 60
            if load.throughput.last?.start != minute { load.throughput.append(ThroughputMinute(start: minute)) }
            let index = load.throughput.count - 1
            load.throughput[index].completed += count
            load.throughput[index].failed += failed
            load.throughput[index].bytes += bytes
            load.counts[.queued, default: 0] -= count + failed
            load.bytesLeft -= bytes
        }

        var secondsLeft: TimeInterval? { pace.secondsLeft(of: load) }
    }

    @Test func `nothing is known of a queue that was never observed, and nothing is left of an empty one`() {
        #expect(QueuePace().secondsLeft(of: QueueLoad(queue: .standard, counts: [.queued: 1])) == nil)
        #expect(QueuePace().secondsLeft(of: QueueLoad(queue: .standard, counts: [.paused: 2, .failed: 1])) == 0)
        #expect(QueuePace().completedPerMinute == 0 && QueuePace().bytesPerSecond == 0)
    }

    @Test func `rates are those of the last seconds, and a queue that rests moves nothing`() {
        var queue = Observed()
        queue.load.counts = [.queued: 1000]
        queue.load.bytesLeft = 1_000_000
        queue.observe()
        for _ in 0..<24 {
            queue.end(10, bytes: 10_000, failed: 5)
            queue.observe()
        }
        #expect(queue.pace.completedPerMinute == 120 && queue.pace.failedPerMinute == 60)
        #expect(queue.pace.bytesPerSecond == 2000)
        for _ in 0..<3 { queue.observe() }
        #expect(queue.pace.bytesPerSecond == 0 && queue.pace.completedPerMinute == 90)
        for _ in 0..<9 { queue.observe() }
        #expect(queue.pace.completedPerMinute == 0 && queue.pace.failedPerMinute == 0)
    }

    @Test func `bytes count when they move, and no second time when their job ends`() {
        var queue = Observed()
        let job = JobID()
        queue.load.counts = [.queued: 1, .running: 1]
        queue.load.bytesLeft = 2000
        queue.observe()
        for done in 1...3 {
            queue.uploads[job] = QueuePace.Upload(bytesDone: Int64(done) * 300, secondsLeft: 10)
            queue.observe()
        }
        #expect(queue.pace.bytesPerSecond == 60)
        queue.uploads = [:]
        queue.observe()
        queue.end(1, bytes: 1000)
        queue.observe()
        #expect((25..<35).contains(queue.pace.bytesPerSecond), "300, nothing, and little more than the last 100")
    }

    @Test func `a single upload takes its own time, and what is paused is not waited for`() {
        var queue = Observed()
        queue.load = QueueLoad(
            queue: .standard, counts: [.running: 1, .paused: 5], bytesLeft: 10_000 + 1 << 40, bytesPaused: 1 << 40)
        queue.observe()
        for done in 1...8 {
            queue.uploads[JobID.first] = QueuePace.Upload(bytesDone: Int64(done) * 500, secondsLeft: nil)
            queue.observe()
        }
        let left = queue.secondsLeft ?? 0
        #expect(left > 0 && left < 100_000, "not the terabyte")
        queue.uploads[JobID.first] = QueuePace.Upload(bytesDone: 4500, secondsLeft: 200_000)
        queue.observe()
        #expect(queue.secondsLeft == 200_000)
    }

    @Test func `without any worker no time is told, and soon again when one is back`() {
        var queue = Observed()
        queue.load.counts = [.queued: 10_000]
        queue.observe()
        for _ in 0..<10 {
            queue.end(50)
            queue.observe()
        }
        #expect(queue.secondsLeft.map { abs($0 - 950) < 10 } == true)
        for _ in 0..<6 { queue.observe() }
        #expect((queue.secondsLeft ?? 0) > 950, "the estimate grows while nothing ends")
        for _ in 0..<10 { queue.observe() }
        #expect(queue.secondsLeft == nil)
        for _ in 0..<4 {
            queue.end(10)
            queue.observe()
        }
        #expect(queue.secondsLeft.map { abs($0 - 4730) < 100 } == true, "what was before the pause does not count")
    }

    @Test func `the first observation knows the minutes before it`() {
        var queue = Observed()
        queue.load.counts = [.queued: 600]
        queue.load.throughput = (1...5).map { ThroughputMinute(start: Self.start + Double($0) * 60, completed: 60) }
        queue.observe(after: 365)
        #expect(queue.secondsLeft == 650, "60 in a minute, and none in five seconds since")
        #expect(queue.pace.completedPerMinute == 60)
    }

    @Test func `a clock that is set back, or far ahead, begins anew`() {
        var queue = Observed()
        queue.load.counts = [.queued: 1000]
        for step in [5, 5, -3600, 5, 1e9, 5] {
            queue.end(10)
            queue.observe(after: step)
            #expect(queue.pace.completedPerMinute.isFinite && queue.secondsLeft.map { $0 >= 0 } ?? true)
        }
    }

    @Test func `no number is too large`() {
        var queue = Observed()
        queue.load.counts = [.queued: .max, .running: .max]
        queue.load.bytesLeft = .max
        queue.observe()
        queue.load.throughput = [
            ThroughputMinute(start: Self.start, completed: .max, failed: .max, bytes: .max),
            ThroughputMinute(start: Self.start + 60, completed: .max, failed: .min, bytes: .min),
        ]
        queue.uploads = [JobID(): QueuePace.Upload(bytesDone: .max, secondsLeft: .infinity)]
        queue.observe()
        queue.load.throughput = []
        queue.observe()
        #expect(queue.pace.bytesPerSecond.isFinite && queue.pace.completedPerMinute.isFinite)
        #expect(queue.secondsLeft.map { $0 > 0 } == true)
    }
}

extension JobID {
    fileprivate static let first = JobID()
}
