import Testing

@testable import UploadWorkers
@testable import Uploads

@Suite struct SlotSharesTests {
    func request(
        _ id: UInt64, _ lane: Lane = .normal, of queue: String, to destination: String = "d", limit: Int? = nil,
        alone: Bool = false, canYield: Bool = true
    ) -> SlotRequest {
        SlotRequest(
            id: id, queue: QueueName(unchecked: queue), lane: lane, destination: destination,
            limits: TransferLimits(jobs: limit), runsAlone: alone, canYield: canYield)
    }

    @Test func `the one job of a queue comes before many hundreds of another`() {
        var policy = SlotPolicy(concurrency: 4)
        for id in 1...900 as ClosedRange<UInt64> { _ = policy.request(request(id, of: "many", canYield: false)) }
        #expect(policy.request(request(20_000, .bulk, of: "one", canYield: false)) == [])
        #expect(policy.release(1) == [.granted(20_000)])
        #expect(policy.release(20_000) == [.granted(5)])
    }

    @Test func `a queue without a slot gets one from the queue that has most, and only one`() {
        var policy = SlotPolicy(concurrency: 4)
        for id in 1...4 as ClosedRange<UInt64> { _ = policy.request(request(id, of: "many")) }
        #expect(policy.request(request(5, of: "many")) == [])
        #expect(policy.request(request(6, of: "one")) == [.preempt(4)])
        #expect(policy.request(request(7, of: "one")) == [])
        #expect(policy.release(4) == [.granted(6)])
        #expect(policy.release(3) == [.granted(7)])
        #expect(policy.release(2) == [.granted(5)])
    }

    @Test func `no queue takes another's only slot`() {
        var policy = SlotPolicy(concurrency: 2)
        _ = policy.request(request(1, of: "a"))
        _ = policy.request(request(2, of: "b"))
        #expect(policy.request(request(3, of: "c")) == [])
    }

    @Test func `free slots go round between queues`() {
        var policy = SlotPolicy(concurrency: 1)
        _ = policy.request(request(0, of: "a", canYield: false))
        for id in 1...30 as ClosedRange<UInt64> {
            _ = policy.request(request(id, of: ["a", "b", "c"][Int(id % 3)], canYield: false))
        }
        var served: [UInt64] = []
        var running: UInt64 = 0
        while case .granted(let next)? = policy.release(running).first {
            served.append(next)
            running = next
        }
        #expect(served.count == 30)
        for first in stride(from: 0, to: 27, by: 3) {
            #expect(Set(served[first..<first + 3].map { $0 % 3 }).count == 3)
        }
    }

    @Test func `the slot that something urgent asked for goes to it, not to another queue`() {
        var policy = SlotPolicy(concurrency: 2)
        _ = policy.request(request(1, of: "a"))
        _ = policy.request(request(2, of: "a"))
        #expect(policy.request(request(3, .urgent, of: "a")) == [.preempt(2)])
        // Another queue asks for its share, and waits for it.
        _ = policy.request(request(4, of: "b"))
        #expect(policy.release(2).first == .granted(3))
    }

    @Test func `what was let in by its share is not taken back by what is urgent`() {
        var policy = SlotPolicy(concurrency: 1)
        _ = policy.request(request(0, .urgent, of: "a"))
        for id in 1...20 as ClosedRange<UInt64> { _ = policy.request(request(id, .urgent, of: "a")) }
        _ = policy.request(request(100, .bulk, of: "a"))
        var running: UInt64 = 0
        for _ in 0..<20 {
            let decisions = policy.release(running)
            guard case .granted(let next)? = decisions.first else { break }
            running = next
            if next == 100 {
                #expect(decisions == [.granted(100)])
                #expect(policy.request(request(200, .urgent, of: "a")) == [])
                return
            }
        }
        Issue.record("the job of the lane bulk was never let in")
    }

    /// A worker under constant traffic; a slice that is asked to hand over does so, and its job comes back.
    struct World {
        var random: SeededGenerator
        var policy: SlotPolicy
        let slots: Int
        let queues: [String]
        var requests: [UInt64: SlotRequest] = [:]
        var running: [UInt64] = []
        var asked: Set<UInt64> = []
        /// When each request began to wait, counted in slices that have ended.
        var waitingSince: [UInt64: Int] = [:]
        var ends = 0
        var nextID: UInt64 = 0
        var longestWait = 0

        init(seed: UInt64) {
            random = SeededGenerator(seed: seed)
            slots = Int.random(in: 1...6, using: &random)
            policy = SlotPolicy(concurrency: slots)
            queues = Array(["a", "b", "c", "d"].prefix(Int.random(in: 1...4, using: &random)))
        }

        mutating func take(_ decisions: [SlotPolicy.Decision]) {
            for decision in decisions {
                switch decision {
                case .granted(let id):
                    longestWait = max(longestWait, ends - (waitingSince.removeValue(forKey: id) ?? ends))
                    running.append(id)
                case .preempt(let id):
                    #expect(requests[id]?.canYield == true)
                    #expect(asked.insert(id).inserted)
                // It comes again some time later.
                case .limited(let id):
                    waitingSince[id] = nil
                    requests[id] = nil
                case .refused: Issue.record("refused")
                }
            }
            #expect(running.count <= (slots < 4 ? slots : slots + 1))
            if running.contains(where: { requests[$0]?.runsAlone == true }) { #expect(running.count == 1) }
            for destination in ["x", "y"] {
                #expect(running.count { requests[$0]?.destination == destination } <= 2)
            }
        }

        mutating func come(_ lane: Lane? = nil, as former: SlotRequest? = nil) {
            nextID += 1
            let destination = ["x", "y", "free"].randomElement(using: &random) ?? "free"
            var request =
                former
                ?? SlotRequest(
                    id: 0, queue: QueueName(unchecked: queues.randomElement(using: &random) ?? "a"),
                    lane: lane ?? Lane.allCases.randomElement(using: &random) ?? .normal, destination: destination,
                    limits: TransferLimits(jobs: destination == "free" ? nil : 2),
                    runsAlone: Int.random(in: 0..<12, using: &random) == 0,
                    canYield: Bool.random(using: &random))
            request.id = nextID
            requests[nextID] = request
            waitingSince[nextID] = ends
            take(policy.request(request))
        }

        mutating func end() {
            guard let index = running.indices.randomElement(using: &random) else {
                Issue.record("nothing runs though something waits")
                return
            }
            let id = running.remove(at: index)
            ends += 1
            let former = requests.removeValue(forKey: id)
            take(policy.release(id))
            guard asked.remove(id) != nil, var former else { return }
            former.lane = .continued
            come(as: former)
        }
    }

    @Test(.timeLimit(.minutes(10))) func `under constant traffic of any mix every job gets in, and loners stay alone`()
    {
        for seed in 0..<30 as Range<UInt64> {
            var world = World(seed: seed)
            for _ in 0..<1000 {
                while world.waitingSince.count < 25 { world.come() }
                world.end()
            }
            let longest = max(world.longestWait, world.waitingSince.values.map { world.ends - $0 }.max() ?? 0)
            #expect(longest < 700, "seed \(seed): \(longest) ends")
            while world.policy.runningCount > 0 { world.end() }
            #expect(world.waitingSince.isEmpty)
        }
    }
}
