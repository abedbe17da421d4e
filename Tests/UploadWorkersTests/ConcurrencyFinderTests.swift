import Testing

@testable import UploadWorkers
@testable import Uploads

/// Simulations of a destination whose jobs are all alike, in steps of a millisecond.
@Suite struct ConcurrencyFinderTests {
    /// A destination.
    struct Model: Sendable, CustomTestStringConvertible {
        var testDescription: String
        /// Jobs that end in a second while so many run.
        var jobsPerSecond: @Sendable (Int) -> Double
        /// Requests that are accepted in a second; more are refused.
        var accepted: Double?

        /// Each job takes this long, and so many end in a second at most: at the worker, the network or the destination.
        static func latency(_ milliseconds: Double, capacity: Double) -> Model {
            Model(testDescription: "\(milliseconds) ms, \(capacity) jobs/s") { running in
                min(Double(running) / milliseconds * 1000, capacity)
            }
        }

        /// Beyond so many jobs at once, the more run, the fewer end.
        static func knee(_ best: Int, _ milliseconds: Double) -> Model {
            Model(testDescription: "a knee at \(best), \(milliseconds) ms") { running in
                let excess = Double(max(0, running - best)) / Double(best)
                return Double(min(running, best)) / milliseconds * 1000 * max(0.2, 1 - 0.5 * excess)
            }
        }

        static func limited(to rate: Double, _ milliseconds: Double) -> Model {
            var model = latency(milliseconds, capacity: .infinity)
            model.accepted = rate
            model.testDescription = "\(rate) requests/s, \(milliseconds) ms"
            return model
        }

        /// What the best fixed number of jobs brings.
        var best: Double {
            let most = (1...512).map(jobsPerSecond).max() ?? 0
            return min(most, accepted ?? .infinity)
        }
    }

    struct World {
        let model: Model
        var finder: ConcurrencyFinder
        var now = 0
        var running = 0
        var random: SeededGenerator
        var tokens = 0.0
        var ended = 0
        var refused = 0
        /// By the millisecond of their end: when the jobs began, and whether they were accepted.
        var ends: [Int: [(began: Int, isAccepted: Bool)]] = [:]

        init(_ model: Model, most: Int = 512, seed: UInt64 = 7) {
            self.model = model
            random = SeededGenerator(seed: seed)
            finder = ConcurrencyFinder(most: most)
        }

        /// - Parameter demand: the most jobs that are there at once.
        mutating func run(milliseconds: Int, demand: Int = .max) {
            for _ in 0..<milliseconds {
                now += 1
                if let rate = model.accepted { tokens = min(tokens + rate / 1000, rate / 10) }
                for job in ends.removeValue(forKey: now) ?? [] {
                    if !job.isAccepted { finder.noteOverload(at: .milliseconds(now)) }
                    finder.end(
                        work: job.isAccepted ? 1 : 0, duration: .milliseconds(now - job.began),
                        beside: running, at: .milliseconds(now))
                    running -= 1
                    if job.isAccepted { ended += 1 } else { refused += 1 }
                    begin(demand)
                }
                begin(demand)
            }
        }

        private mutating func begin(_ demand: Int) {
            while running < min(finder.width, demand) {
                running += 1
                let isAccepted = model.accepted == nil || tokens >= 1
                if isAccepted { tokens -= 1 }
                let milliseconds = Double(running) / model.jobsPerSecond(running) * 1000
                let end = now + max(1, Int((milliseconds * .random(in: 0.8...1.2, using: &random)).rounded()))
                ends[end, default: []].append((now, isAccepted))
            }
        }
    }

    static let models: [Model] = [
        .latency(4, capacity: 2000), .latency(30, capacity: 2000), .latency(200, capacity: 2000),
        .latency(30, capacity: 200), .knee(24, 30), .knee(8, 10), .knee(100, 200), .limited(to: 1000, 30),
        .limited(to: 300, 200), .limited(to: 200, 5),
    ]

    @Test(arguments: models) func `nine tenths of what the best number of jobs brings`(model: Model) {
        var world = World(model)
        world.run(milliseconds: 60_000)
        let (ended, refused) = (world.ended, world.refused)
        world.run(milliseconds: 60_000)
        let rate = Double(world.ended - ended) / 60
        #expect(rate >= model.best * 0.9, "\(rate) of \(model.best) jobs/s with \(world.finder.width) at once")
        let refusals = Double(world.refused - refused)
        #expect(refusals <= Double(world.ended - ended) * 0.02, "\(refusals) refused")
    }

    /// 32 jobs do a quarter more than 16 here, so 64 are tried, which do a third of that; the best number lies below 32.
    @Test(arguments: 1...10 as ClosedRange<UInt64>)
    func `a knee between two doublings is found within the first seconds`(seed: UInt64) {
        var world = World(.knee(24, 30), seed: seed)
        world.run(milliseconds: 4000)
        #expect((20...27).contains(world.finder.width))
        world.run(milliseconds: 8000)
        #expect(Double(world.ended) >= 0.9 * 12 * world.model.best, "\(world.ended) of \(12 * world.model.best)")
    }

    @Test(arguments: [30.0, 200])
    func `a distant destination gets many jobs within seconds`(milliseconds: Double) {
        var world = World(.latency(milliseconds, capacity: 5000))
        world.run(milliseconds: 5000)
        #expect(world.finder.width >= 128)
    }

    @Test func `no more jobs than needed where more bring nothing`() {
        var world = World(.latency(4, capacity: 1000))
        world.run(milliseconds: 120_000)
        #expect(world.finder.width <= 20)
    }

    @Test func `while fewer jobs are there than may run nothing is learned`() {
        var world = World(.latency(30, capacity: 2000))
        world.run(milliseconds: 60_000, demand: 10)
        #expect(world.finder.width == ConcurrencyFinder.begin)
    }

    @Test func `pauses between many jobs change nothing`() {
        var world = World(.latency(30, capacity: 2000))
        world.run(milliseconds: 20_000)
        let width = world.finder.width
        for _ in 0..<30 {
            world.run(milliseconds: 700)
            world.run(milliseconds: 2000, demand: 0)
        }
        #expect((width * 3 / 4...width * 4 / 3).contains(world.finder.width), "\(world.finder.width), before \(width)")
    }

    @Test func `an overload halves the number, once for all requests that were under way`() {
        var finder = ConcurrencyFinder(most: 16)
        finder.noteOverload(at: .seconds(1))
        for _ in 0..<15 { finder.noteOverload(at: .milliseconds(1200)) }
        #expect(finder.width == 8)
        finder.noteOverload(at: .seconds(3))
        #expect(finder.width == 4)
    }

    @Test func `an outage that has passed is forgotten within three minutes`() {
        var world = World(.latency(100, capacity: 2000))
        world.run(milliseconds: 30_000)
        #expect(world.finder.width > 100)
        for second in 0..<20 { world.finder.noteOverload(at: .milliseconds(world.now + second * 1000)) }
        #expect(world.finder.width == 1)
        world.run(milliseconds: 180_000)
        #expect(world.finder.width > 100)
    }

    @Test func `the upper bound holds`() {
        var world = World(.latency(200, capacity: 5000), most: 40)
        for _ in 0..<600 {
            world.run(milliseconds: 100)
            #expect((1...40).contains(world.finder.width))
        }
        #expect(world.finder.width == 40)
    }
}
