import Testing
import Uploads

@testable import UploadWorkers

@Suite struct SlotPolicyTests {
    func request(
        _ id: UInt64, _ lane: Lane = .normal, to destination: String = "d", limit: Int? = nil, alone: Bool = false,
        canYield: Bool = true, of queue: String = "default", size: Int64 = 0
    ) -> SlotRequest {
        SlotRequest(
            id: id, queue: QueueName(unchecked: queue), lane: lane, destination: destination,
            limits: TransferLimits(jobs: limit), size: size, parts: 4, runsAlone: alone, canYield: canYield)
    }

    /// Asks for slots for so many jobs like the first.
    func ask(_ count: UInt64, like first: SlotRequest, _ policy: inout SlotPolicy) -> [SlotPolicy.Decision] {
        (0..<count).flatMap { number in
            var request = first
            request.id += number
            return policy.request(request)
        }
    }

    @Test func `no more jobs run at a destination than it takes at once, but a quarter more that are urgent`() {
        var policy = SlotPolicy(concurrency: 64)
        #expect(ask(20, like: request(1), &policy) == (1...16).map { .granted($0) })
        #expect(ask(5, like: request(101, .urgent), &policy) == (101...104).map { .granted($0) } + [.preempt(16)])
        #expect(policy.release(16) == [.granted(105)])
        #expect(policy.release(1) == [])
        #expect(ask(20, like: request(201, to: "e"), &policy) == (201...216).map { .granted($0) })
    }

    @Test func `where the destination takes no more at once, a queue without a slot gets one of the other queue's`() {
        var policy = SlotPolicy(concurrency: 64)
        _ = ask(16, like: request(1, of: "many"), &policy)
        _ = ask(3, like: request(101, to: "e", of: "many"), &policy)
        #expect(policy.request(request(200, of: "one")) == [.preempt(16)])
        #expect(policy.release(16) == [.granted(200)])
    }

    @Test func `jobs that end faster when more run let more run`() {
        var policy = SlotPolicy(concurrency: 100)
        var running = ask(2000, like: request(1), &policy)
        #expect(policy.width == 16)
        // Each job takes 100 ms.
        for round in 1...20 {
            _ = policy.advance(to: .milliseconds(100 * round))
            running = running.flatMap { decision -> [SlotPolicy.Decision] in
                guard case .granted(let id) = decision else { return [] }
                return policy.release(id, work: 1)
            }
        }
        #expect(policy.width == 100)
        #expect(policy.runningCount == 100)
    }

    @Test func `jobs that wait for a destination which takes few at once are given back, but for a few`() {
        var policy = SlotPolicy(concurrency: 64)
        for second in 1...4 {
            _ = policy.advance(to: .seconds(second))
            policy.noteOverload(at: "d")
        }
        #expect(ask(10, like: request(1), &policy) == [.granted(1)])
        #expect(policy.advance(to: .seconds(8)) == [])
        #expect(policy.advance(to: .seconds(9)) == [10, 9, 8, 7, 6].map { .limited($0) })
    }

    @Test func `large jobs run no more at once than memory allows, and another destination's first one beside them`() {
        var policy = SlotPolicy(concurrency: 64)
        #expect(ask(10, like: request(1, size: 1 << 30), &policy).count == 10)
        #expect(ask(10, like: request(101, to: "e", size: 1 << 30), &policy) == (101...106).map { .granted($0) })
        #expect(policy.request(request(200, to: "f", size: 1 << 30)) == [.granted(200)])
        #expect(policy.request(request(300, to: "f", size: 1000)) == [])
        #expect(policy.release(200) == [.granted(300)])
        #expect(policy.release(1) == [])
        #expect(policy.release(2) == [.granted(107)])
    }

    @Test func `as many run as there are slots, and the next when one is free`() {
        var policy = SlotPolicy(concurrency: 2)
        #expect(policy.request(request(1)) == [.granted(1)])
        #expect(policy.request(request(2)) == [.granted(2)])
        #expect(policy.request(request(3)) == [])
        #expect(policy.release(1) == [.granted(3)])
        #expect(policy.runningCount == 2)
    }

    @Test func `lanes are served in order, each with its share`() {
        var policy = SlotPolicy(concurrency: 1)
        _ = policy.request(request(0, canYield: false))
        var lanes: [UInt64: Lane] = [:]
        var id: UInt64 = 0
        for lane in [Lane.bulk, .normal, .continued, .urgent] {
            for _ in 0..<200 {
                id += 1
                lanes[id] = lane
                _ = policy.request(request(id, lane, canYield: false))
            }
        }
        var served: [Lane: Int] = [:]
        var running: UInt64 = 0
        for _ in 0..<150 {
            guard case .granted(let next)? = policy.release(running).first, let lane = lanes[next] else {
                Issue.record("no waiting job was let in")
                return
            }
            if served.isEmpty { #expect(lane == .urgent) }
            served[lane, default: 0] += 1
            running = next
        }
        #expect((79...81).contains(served[.urgent] ?? 0))
        #expect((39...41).contains(served[.continued] ?? 0))
        #expect((19...21).contains(served[.normal] ?? 0))
        #expect((9...11).contains(served[.bulk] ?? 0))
    }

    @Test func `a lane that was empty does not catch up on what it missed`() {
        var policy = SlotPolicy(concurrency: 1)
        _ = policy.request(request(0, .bulk))
        for id in 1...40 as ClosedRange<UInt64> { _ = policy.request(request(id, .normal)) }
        for id in 0..<30 as Range<UInt64> { _ = policy.release(id) }
        for id in 100...140 as ClosedRange<UInt64> { _ = policy.request(request(id, .continued)) }
        var continued = 0
        var running: UInt64 = 30
        for _ in 0..<12 {
            guard case .granted(let next)? = policy.release(running).first else { break }
            if next >= 100 { continued += 1 }
            running = next
        }
        #expect((7...9).contains(continued))
    }

    @Test func `a destination's limit holds up its own jobs and no others`() {
        var policy = SlotPolicy(concurrency: 4)
        #expect(policy.request(request(1, to: "a", limit: 1)) == [.granted(1)])
        #expect(policy.request(request(2, to: "a", limit: 1)) == [])
        #expect(policy.isHeldByLimit(2))
        #expect(policy.request(request(3, to: "b")) == [.granted(3)])
        #expect(policy.release(1) == [.granted(2)])
    }

    @Test func `a job that runs alone waits for an empty worker and keeps it empty`() {
        var policy = SlotPolicy(concurrency: 4)
        _ = policy.request(request(1))
        _ = policy.request(request(2, canYield: false))
        #expect(policy.request(request(3, alone: true)) == [.preempt(1)])
        #expect(policy.request(request(4)) == [])
        #expect(policy.release(1) == [])
        #expect(policy.release(2) == [.granted(3)])
        #expect(policy.request(request(5, .urgent)) == [])
        #expect(policy.release(3) == [.granted(5), .granted(4)])
    }

    @Test func `something urgent asks the youngest that can yield, once`() {
        var policy = SlotPolicy(concurrency: 3)
        _ = policy.request(request(1))
        _ = policy.request(request(2))
        _ = policy.request(request(3, canYield: false))
        #expect(policy.request(request(4, .urgent)) == [.preempt(2)])
        #expect(policy.request(request(5, .urgent)) == [.preempt(1)])
        #expect(policy.request(request(6, .urgent)) == [])
        #expect(policy.release(2) == [.granted(4)])
        #expect(policy.request(request(7, .normal)) == [])
    }

    @Test func `nothing urgent is asked to make room for something urgent`() {
        var policy = SlotPolicy(concurrency: 1)
        _ = policy.request(request(1, .urgent))
        #expect(policy.request(request(2, .urgent)) == [])
    }

    @Test func `a draining policy refuses waiting and new requests`() {
        var policy = SlotPolicy(concurrency: 1)
        _ = policy.request(request(1))
        _ = policy.request(request(2))
        #expect(policy.drain() == [.refused(2)])
        #expect(policy.request(request(3)) == [.refused(3)])
        #expect(policy.release(1) == [])
    }

    @Test func `random traffic never exceeds slots or limits, and each request is decided once`() {
        var random = SystemRandomNumberGenerator()
        for _ in 0..<200 {
            let slots = Int.random(in: 1...5, using: &random)
            var policy = SlotPolicy(concurrency: slots)
            var requests: [UInt64: SlotRequest] = [:]
            var running: Set<UInt64> = []
            var decided: Set<UInt64> = []
            func take(_ decisions: [SlotPolicy.Decision]) {
                for decision in decisions {
                    switch decision {
                    case .granted(let id):
                        #expect(decided.insert(id).inserted)
                        running.insert(id)
                    case .limited(let id):
                        #expect(decided.insert(id).inserted)
                        #expect(requests[id]?.destination == "limited")
                    case .preempt, .refused: break
                    }
                }
                let destinations = Set(running.compactMap { requests[$0]?.destination })
                #expect(running.count <= (slots >= 4 && destinations.count > 1 ? slots + 1 : slots))
                #expect(running.count { requests[$0]?.destination == "limited" } <= 2)
                if running.contains(where: { requests[$0]?.runsAlone == true }) { #expect(running.count == 1) }
            }
            for id in 0..<60 as Range<UInt64> {
                let isLimited = Bool.random(using: &random)
                let next = request(
                    id, Lane.allCases.randomElement(using: &random) ?? .normal, to: isLimited ? "limited" : "free",
                    limit: isLimited ? 2 : nil, alone: Int.random(in: 0..<10, using: &random) == 0)
                requests[id] = next
                take(policy.request(next))
                if Bool.random(using: &random), let one = running.randomElement(using: &random) {
                    running.remove(one)
                    take(policy.release(one))
                }
            }
            while let one = running.first {
                running.remove(one)
                take(policy.release(one))
            }
            #expect(decided.count == 60)
        }
    }
}
