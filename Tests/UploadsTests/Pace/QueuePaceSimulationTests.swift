import Foundation
import Testing
import Uploads

/// The time left, held against pools of which it is known: from a minute after each change it is within a factor of 1.5.
@Suite struct QueuePaceSimulationTests {
    struct Scenario: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let pool: SimulatedPool
        /// By the second at which they happen.
        var changes: [Double: @Sendable (inout SimulatedPool) -> Void] = [:]
        /// Seconds before which nothing is checked besides.
        var learning = 0.0
    }

    private static func pool(_ slots: Int, overhead: Double = 0.1, _ sizes: [Double]) -> SimulatedPool {
        var pool = SimulatedPool(slots: slots, overhead: overhead)
        pool.enqueue(sizes)
        return pool
    }

    /// Sizes from 1 KiB to 1 GiB, as many of each order.
    private static func mixed(_ count: Int, _ seed: UInt64 = 1) -> [Double] {
        var random = SplitMix64(state: seed)
        return (0..<count).map { _ in 1024 * pow(2, Double.random(in: 0..<20, using: &random)) }
    }

    private static let small = [Double](repeating: 4096, count: 40_000)
    private static let large = [Double](repeating: 20e9, count: 40)

    static let scenarios = [
        Scenario(testDescription: "small files", pool: pool(8, small)),
        Scenario(testDescription: "large files, of which none ends for minutes", pool: pool(4, large)),
        Scenario(testDescription: "files of all sizes", pool: pool(8, mixed(2500))),
        Scenario(
            testDescription: "small files first, after an hour of all sizes",
            pool: pool(8, mixed(800) + mixed(3000, 2).sorted()), learning: 400),
        Scenario(
            testDescription: "large files first, after an hour of all sizes",
            pool: pool(8, mixed(800) + mixed(3000, 2).sorted().reversed()), learning: 400),
        Scenario(
            testDescription: "workers come and go", pool: pool(8, overhead: 2, small),
            changes: [300: { $0.slots = 40 }, 900: { $0.slots = 4 }, 1500: { $0.slots = 30 }]),
        Scenario(
            testDescription: "workers come and go while large files are under way", pool: pool(8, mixed(4000)),
            changes: [300: { $0.slots = 2 }, 900: { $0.slots = 16 }]),
        Scenario(
            testDescription: "the network gets slow and fast", pool: pool(8, large + mixed(2000)),
            changes: [600: { $0.network = 20e6 }, 1200: { $0.network = 400e6 }]),
        Scenario(
            testDescription: "much more of what it knows is enqueued", pool: pool(8, small.prefix(9000) + mixed(1500)),
            changes: [200: { $0.enqueue(small) }, 500: { $0.enqueue(large) }], learning: 150),
        Scenario(
            testDescription: "one huge file among small ones", pool: pool(8, small + [200e9] + small),
            learning: 600),
        Scenario(
            testDescription: "a few slow jobs a minute",
            pool: pool(4, overhead: 10, [Double](repeating: 1e4, count: 500)),
            learning: 120),
    ]

    @Test(arguments: scenarios) func theTimeLeftIsNearTheTruth(_ scenario: Scenario) {
        var (pool, pace) = (scenario.pool, QueuePace())
        var (changedAt, checks) = (scenario.learning, 0)
        while !pool.isEmpty {
            if let change = scenario.changes[pool.time] {
                change(&pool)
                changedAt = max(changedAt, pool.time)
            }
            pool.advance(by: 5)
            pace.note(pool.load, uploads: pool.uploads, at: pool.now)
            guard pool.time >= changedAt + 60, pool.time.truncatingRemainder(dividingBy: 60) == 0 else { continue }
            let truth = pool.secondsLeft
            // The end is as long as the last job, whatever the pace.
            guard truth >= 60 else { continue }
            let told = pace.secondsLeft(of: pool.load) ?? 0
            #expect(told / truth < 1.5 && truth / told < 1.5, "after \(pool.time) s: \(told) s for \(truth) s")
            checks += 1
        }
        #expect(checks >= 4)
        #expect(pace.secondsLeft(of: pool.load) == 0)
    }
}
