import Testing
import Uploads

@testable import UploadWorkers

@Suite struct SlotPolicyTests {
    func request(
        _ id: UInt64, _ lane: Lane = .normal, to destination: String = "d", limit: Int? = nil, alone: Bool = false,
        canYield: Bool = true, of queue: String = "default"
    ) -> SlotRequest {
        SlotRequest(
            id: id, queue: QueueName(unchecked: queue), lane: lane, destination: destination,
            limits: TransferLimits(jobs: limit), runsAlone: alone, canYield: canYield)
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
