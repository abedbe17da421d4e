import Foundation
import Testing
import Uploads

/// A day of a pool that is scaled by `upload_queue_work_seconds`, as `deploy/kubernetes` does it: the lag stays below its target through bursts,
/// and the number of workers does not go up and down.
@Suite struct ScalingSimulationTests {
    /// Kubernetes' HorizontalPodAutoscaler with the behaviour that the manifest asks for.
    private struct Scaler {
        static let (minimum, maximum) = (2, 20)
        /// Seconds in which the work that is left is to be done.
        static let workTarget = 240.0
        /// Differences of less are ignored.
        static let tolerance = 0.1
        private(set) var workers = minimum
        /// With the seconds at which they were wanted.
        private var wishes: [(at: Double, workers: Int)] = []
        private var raisedAt = -Double.infinity
        private var loweredAt = -Double.infinity

        mutating func observe(work: Double?, at time: Double) {
            guard let work else { return }
            let share = work / Self.workTarget / Double(workers)
            let wish = abs(share - 1) <= Self.tolerance ? workers : Int((work / Self.workTarget).rounded(.up))
            wishes.append((time, min(max(wish, Self.minimum), Self.maximum)))
            wishes.removeAll { $0.at < time - 600 }
            let latest = wishes.last?.workers ?? workers
            if latest > workers, time >= raisedAt + 60 {
                workers = min(latest, workers * 2)
                raisedAt = time
            } else if let highest = wishes.map(\.workers).max(), highest < workers, time >= loweredAt + 60 {
                // The highest wish of the last ten minutes; one worker a minute.
                workers -= 1
                loweredAt = time
            }
        }
    }

    struct Day: Sendable, CustomTestStringConvertible {
        let testDescription: String
        /// Seconds of a job besides its bytes.
        var overhead = 0.5
        var sizes: ClosedRange<Double> = 1e5...1e6
        /// Jobs a second.
        var usual = 4.0
        /// Jobs that come within a minute, by the hour.
        var bursts: [Int: Int] = [:]
        /// Bytes per second that the destination takes from all workers.
        var destination = Double.infinity
    }

    static let days = [
        Day(testDescription: "small files", bursts: [3: 20_000, 9: 12_000, 10: 12_000, 17: 30_000]),
        Day(
            testDescription: "large files", overhead: 1, sizes: 20e6...400e6, usual: 0.4,
            bursts: [4: 1200, 12: 600, 13: 900]),
        Day(
            testDescription: "files of all sizes", overhead: 0.5, sizes: 1e4...200e6, usual: 1,
            bursts: [2: 2000, 8: 3000, 15: 1500, 20: 3000]),
    ]

    @Test(arguments: days) func theLagStaysBelowItsTargetWithoutFlapping(_ day: Day) {
        let told = Self.simulate(day)
        // Ten minutes of a day of bursts may be late: workers take a minute to come, and the pace is not known before.
        #expect(told.worstLag < 600 && told.lateMinutes <= 10, "\(told)")
        // Up once for each burst, and down once after it.
        #expect(told.turns <= 2 * day.bursts.count + 2, "\(told)")
        #expect(told.peak > Scaler.minimum * 2, "\(told)")
    }

    /// More workers would not help: their number stays, instead of growing without an end.
    @Test func aDestinationThatHoldsTheWorkersUpIsNotMetWithMoreAndMoreOfThem() {
        var day = Self.days[1]
        day.bursts = [2: 1000]
        let free = Self.simulate(day)
        day.destination = 220e6
        let held = Self.simulate(day)
        #expect(held.peak <= free.peak + 2 && held.turns <= 4, "\(held), \(free)")
    }

    private struct Told {
        var (worstLag, lateMinutes, turns, peak) = (0.0, 0, 0, 0)
    }

    private static func simulate(_ day: Day) -> Told {
        var random = SplitMix64(state: 7)
        var (pool, pace, scaler, told) = (
            SimulatedPool(slots: 0, overhead: day.overhead), QueuePace(), Scaler(), Told()
        )
        /// Workers that are on their way, by the second at which they begin.
        var coming: [Double] = []
        var (running, direction, owed) = (Scaler.minimum, 0, 0.0)
        for step in 0..<(24 * 360) {
            let time = Double(step) * 10
            let hour = Int(time / 3600)
            // Three times as many by day as by night.
            owed += 10 * day.usual * (1 + 0.5 * sin((time / 86_400 - 0.25) * 2 * .pi))
            if time.truncatingRemainder(dividingBy: 3600) < 60 { owed += Double(day.bursts[hour] ?? 0) / 6 }
            pool.enqueue((0..<Int(owed)).map { _ in .random(in: day.sizes, using: &random) })
            owed -= owed.rounded(.down)
            running += coming.count { $0 <= time }
            coming.removeAll { $0 <= time }
            pool.slots = running * 8
            pool.network = min(Double(running) * 100e6, day.destination)
            pool.advance(by: 10)
            pace.note(pool.load, uploads: pool.uploads, workers: running, at: pool.now)
            let lag = pool.oldestAge
            told.worstLag = max(told.worstLag, lag)
            if lag > 300, step % 6 == 0 { told.lateMinutes += 1 }
            guard step % 3 == 0 else { continue }
            let before = scaler.workers
            scaler.observe(work: pace.workerSecondsLeft(of: pool.load), at: time)
            let change = scaler.workers - before
            if change > 0 { coming += [Double](repeating: time + 40, count: change) }
            if change < 0 {
                let late = min(-change, coming.count)
                coming.removeLast(late)
                running += change + late
            }
            if change.signum() != 0, change.signum() != direction {
                if direction != 0 { told.turns += 1 }
                direction = change.signum()
            }
            told.peak = max(told.peak, scaler.workers)
        }
        return told
    }
}
