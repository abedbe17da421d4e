import Testing

@testable import UploadWorkers
@testable import Uploads

/// A simulation of a lane, a worker of 16 slots and a delay ladder, with a clock that the test moves. It measures how long jobs wait
/// beside destinations whose limits hold up their jobs. The slot policy and the delays of jobs given back are those of production.
@Suite struct SlowNeighbourTests {
    /// A job that has not ended.
    struct Job {
        var destination: Int
        var bytes: Double
        var enqueuedAt: Double
        var left: Double
        var returnedCount = 0
    }

    struct World {
        static let step = 0.02
        static let concurrency = 16
        static let prefetch = concurrency + concurrency / 2

        /// Bytes a second of each destination; nil: no limit.
        let rates: [Double?]
        /// Bytes a second of one slice, also when it runs alone.
        let speed: Double
        /// Bytes a second of one slice at slower destinations.
        var slow: [Int: Double] = [:]
        var now = 0.0
        var random: SeededGenerator
        var policy = SlotPolicy(concurrency: concurrency)
        var givenBack: [Int: GivenBack] = [:]
        var nextGivenBackAt = 0.0
        var nextID: UInt64 = 0
        var lane: [Job] = []
        /// How many jobs of the lane were delivered.
        var taken = 0
        /// The waiting jobs; the job that is due first is the last element.
        var ladder: [(due: Double, job: Job)] = []
        var held: [UInt64: Job] = [:]
        var running: Set<UInt64> = []
        var leaving: [(at: Double, due: Double, id: UInt64)] = []
        /// The seconds that the jobs of each destination waited.
        var waits: [Int: [Double]] = [:]
        var bytesDone: [Double]
        var ended = 0
        var messages = 0
        var idledBesideWork = false

        init(rates: [Double?], speed: Double, seed: UInt64) {
            self.rates = rates
            self.speed = speed
            random = SeededGenerator(seed: seed)
            bytesDone = Array(repeating: 0, count: rates.count)
        }

        /// How many jobs have begun, of this destination and all after it.
        func begun(from destination: Int) -> Int {
            (destination..<rates.count).reduce(0) { $0 + (waits[$1]?.count ?? 0) }
        }

        private mutating func wait(until due: Double, _ job: Job) {
            var low = 0
            var high = ladder.count
            while low < high {
                let middle = (low + high) / 2
                if ladder[middle].due > due { low = middle + 1 } else { high = middle }
            }
            ladder.insert((due, job), at: low)
        }

        mutating func enqueue(_ destination: Int, bytes: Double) {
            lane.append(Job(destination: destination, bytes: bytes, enqueuedAt: now, left: bytes))
        }

        func request(_ id: UInt64, _ job: Job) -> SlotRequest {
            SlotRequest(
                id: id, queue: .standard, lane: .normal, destination: "d\(job.destination)",
                limits: TransferLimits(bytesPerSecond: rates[job.destination].map { Int64($0) }),
                size: Int64(job.bytes), idleWaits: job.returnedCount, runsAlone: false, canYield: false)
        }

        mutating func take(_ decisions: [SlotPolicy.Decision]) {
            for decision in decisions {
                switch decision {
                case .granted(let id):
                    running.insert(id)
                    guard let job = held[id] else { continue }
                    waits[job.destination, default: []].append(now - job.enqueuedAt)
                case .limited(let id): giveBack(id)
                case .preempt, .refused: Issue.record("nothing yields here, and nothing drains")
                }
            }
        }

        mutating func giveBack(_ id: UInt64) {
            guard let job = held[id] else { return }
            let request = request(id, job)
            let at = max(now, nextGivenBackAt)
            nextGivenBackAt = at + 0.0025
            let delay = givenBack[job.destination, default: GivenBack(seed: id)]
                .delay(expected: request.expectedSeconds, idleWaits: request.idleWaits, at: .seconds(now))
            // The ladder's steps are whole seconds.
            leaving.append((at, at + delay.rounded(.up), id))
        }

        mutating func advance() {
            now += Self.step
            let isLooked = Int(now / Self.step) % 10 == 0
            for leaver in leaving where leaver.at <= now {
                guard var job = held.removeValue(forKey: leaver.id) else { continue }
                job.returnedCount += 1
                messages += 1
                wait(until: leaver.due, job)
            }
            leaving.removeAll { $0.at <= now }
            while let next = ladder.last, next.due <= now { lane.append(ladder.removeLast().job) }
            take(policy.advance(to: .seconds(now)))
            work()
            while held.count < Self.prefetch, taken < lane.count {
                nextID += 1
                let job = lane[taken]
                taken += 1
                held[nextID] = job
                take(policy.request(request(nextID, job)))
            }
            guard isLooked else { return }
            let isIdle = running.count { held[$0].map { rates[$0.destination] == nil } ?? false } < Self.concurrency / 2
            let isWorkAtHand = held.contains {
                !running.contains($0.key) && rates[$0.value.destination] == nil
            }
            if isIdle, isWorkAtHand { idledBesideWork = true }
        }

        private mutating func work() {
            var perDestination: [Int: Int] = [:]
            for id in running { perDestination[held[id]?.destination ?? 0, default: 0] += 1 }
            for (destination, count) in perDestination.sorted(by: { $0.key < $1.key }) where rates[destination] != nil {
                take(policy.note(isWaiting: count > 0, at: "d\(destination)"))
            }
            for id in running.sorted() {
                guard var job = held[id] else { continue }
                // A destination's slices share its rate, and none is faster than one slice alone.
                let share = rates[job.destination].map { $0 / Double(perDestination[job.destination] ?? 1) }
                let own = slow[job.destination] ?? speed
                let done = min(job.left, min(share ?? own, own) * Self.step)
                job.left -= done
                bytesDone[job.destination] += done
                held[id] = job
                if job.left <= 0 { end(id, job) }
            }
        }

        private mutating func end(_ id: UInt64, _ job: Job) {
            running.remove(id)
            held[id] = nil
            ended += 1
            let name = "d\(job.destination)"
            if !running.contains(where: { held[$0]?.destination == job.destination }), rates[job.destination] != nil {
                take(policy.note(isWaiting: false, at: name))
            }
            givenBack[job.destination]?.end(at: .seconds(now), isCrowded: policy.isCrowded(name))
            take(policy.release(id))
        }
    }

    private static let mebibyte = 1_048_576.0

    /// Eighteen large files, and a thousand: in each, a small one for another destination comes last.
    @Test(arguments: [(18, 60.0), (1000, 60), (1000, 1), (3000, 8)])
    func `a small job starts within 5 s behind many of a limited destination, which gets its full rate`(
        count: Int, mebibytes: Double
    ) throws {
        let rate = 2 * Self.mebibyte
        var world = World(rates: [rate, nil], speed: 100 * Self.mebibyte, seed: 1)
        for _ in 0..<count { world.enqueue(0, bytes: mebibytes * Self.mebibyte) }
        world.enqueue(1, bytes: 47 * 1024)
        let end = min(100, 0.9 * Double(count) * mebibytes / 2)
        while world.now < end { world.advance() }
        let wait = try #require(world.waits[1]?.first)
        #expect(wait < (count > 1000 ? 5 * Double(count) / 1000 : 5))
        #expect(world.bytesDone[0] >= 0.97 * rate * end, "\(world.bytesDone[0] / (rate * end)) of its rate")
        #expect(!world.idledBesideWork)
        // Jobs are not given back too often: each once at first, and then about as often as they are due.
        #expect(world.messages < count + Int(end) * 40)
    }

    @Test func `many small jobs of a limited destination get its full rate as well`() {
        // 32 jobs a second.
        let rate = 128.0 * 1024
        var world = World(rates: [rate, nil], speed: 100 * Self.mebibyte, seed: 2)
        for _ in 0..<3000 { world.enqueue(0, bytes: 4096) }
        while world.now < 60 { world.advance() }
        #expect(world.bytesDone[0] >= 0.85 * rate * 60, "\(world.bytesDone[0] / (rate * 60)) of its rate")
    }

    @Test func `beside a destination that is slow without a limit a small job starts soon`() throws {
        let slow = 0.1 * Self.mebibyte
        var world = World(rates: [nil, nil], speed: 100 * Self.mebibyte, seed: 3)
        world.slow[0] = slow
        for _ in 0..<1000 { world.enqueue(0, bytes: .random(in: 1...5, using: &world.random) * Self.mebibyte) }
        world.enqueue(1, bytes: 47 * 1024)
        while world.now < 120 { world.advance() }
        let wait = try #require(world.waits[1]?.first)
        #expect(wait < 10)
        let share = world.bytesDone[0] / (Double(World.concurrency) * slow * 120)
        #expect(share >= 0.95, "\(share) of what its slots can do")
        #expect(world.messages < 5000)
    }

    @Test func `of a destination that is fast nothing is given back`() {
        var world = World(rates: [nil, nil], speed: 20 * Self.mebibyte, seed: 4)
        for _ in 0..<3000 { world.enqueue(0, bytes: 2 * Self.mebibyte) }
        while world.ended < 3000, world.now < 60 { world.advance() }
        #expect(world.ended == 3000)
        #expect(world.messages == 0)
    }

    private static let limited = 5

    /// Fifty destinations, five of which have a limit and more jobs than they can take.
    /// - Returns: the world after a minute, and after all jobs of the other destinations have begun, with the number of these jobs.
    private func fifty(seed: UInt64) -> (World, sent: Int) {
        let rates: [Double?] = (0..<50).map { $0 < Self.limited ? Self.mebibyte * Double($0 + 1) / 2 : nil }
        var world = World(rates: rates, speed: 20 * Self.mebibyte, seed: seed)
        for destination in 0..<Self.limited {
            for _ in 0..<200 { world.enqueue(destination, bytes: 30 * Self.mebibyte) }
        }
        world.lane.shuffle(using: &world.random)
        var nextAt = 0.0
        var sent = 0
        while world.now < 60 || (world.begun(from: Self.limited) < sent && world.now < 90) {
            // 6 jobs a second that take a second each: about six of the sixteen slots.
            while nextAt <= min(world.now, 60) {
                world.enqueue(
                    Int.random(in: Self.limited..<50, using: &world.random), bytes: 20 * Self.mebibyte)
                sent += 1
                nextAt += .random(in: 0..<(1.0 / 3), using: &world.random)
            }
            world.advance()
        }
        return (world, sent)
    }

    @Test(arguments: [UInt64(1), 2, 3])
    func `beside five limited destinations none of forty-five others waits longer than its share`(seed: UInt64) {
        let (world, sent) = fifty(seed: seed)
        let others = (Self.limited..<50).flatMap { world.waits[$0] ?? [] }
        #expect(others.count == sent && sent > 300)
        #expect((others.max() ?? 0) < 8)
        for destination in 0..<Self.limited {
            let share = world.bytesDone[destination] / ((world.rates[destination] ?? 1) * world.now)
            #expect(share >= 0.85, "destination \(destination) got \(share) of its rate")
        }
        #expect(!world.idledBesideWork)
    }

    @Test func `what is decided is decided again from the same seed`() {
        let (first, again) = (fifty(seed: 4).0, fifty(seed: 4).0)
        #expect(first.waits == again.waits && first.bytesDone == again.bytesDone && first.messages == again.messages)
    }
}
