import Testing

@testable import UploadWorkers
@testable import Uploads

@Suite struct DestinationShareTests {
    private func request(
        _ id: UInt64, _ lane: Lane = .normal, to destination: String = "slow", canYield: Bool = true
    ) -> SlotRequest {
        SlotRequest(
            id: id, queue: .standard, lane: lane, destination: destination,
            limits: TransferLimits(bytesPerSecond: destination.hasPrefix("slow") ? 1024 : nil), runsAlone: false,
            canYield: canYield)
    }

    @Test func `a quarter of the slots may run, more while no slice waits, and fewer again once one does`() {
        var share = DestinationShare(step: 4, most: 16, at: .zero)
        #expect(share.admits(beside: 3, allowance: 4) && !share.admits(beside: 4, allowance: 4))
        share.grow(beside: 4, at: .milliseconds(500))
        #expect(!share.admits(beside: 4, allowance: 4), "not before a second has passed")
        share.grow(beside: 4, at: .seconds(1))
        #expect(share.admits(beside: 7, allowance: 4) && !share.admits(beside: 8, allowance: 4))
        share.note(isWaiting: true, at: .seconds(2))
        #expect(share.isHeld(at: .seconds(9)))
        #expect(share.admits(beside: 3, allowance: 4) && !share.admits(beside: 4, allowance: 4))
        share.grow(beside: 8, at: .seconds(9))
        for _ in 0..<20 { share.release(at: .seconds(9)) }
        #expect(share.width == 1)
        share.note(isWaiting: false, at: .seconds(10))
        #expect(share.isHeld(at: .milliseconds(10_900)))
        #expect(!share.isHeld(at: .seconds(11)))
    }

    @Test func `what waits for a limit takes no slot from another destination`() {
        var policy = SlotPolicy(concurrency: 4)
        for id in 1...4 as ClosedRange<UInt64> { _ = policy.request(request(id, to: "fast")) }
        #expect(policy.request(request(5, to: "fast")) == [])
        _ = policy.release(1)
        var slow = SlotPolicy(concurrency: 4)
        #expect(slow.request(request(1)) == [.granted(1)])
        #expect(slow.note(isWaiting: true, at: "slow") == [])
        for id in 2...5 as ClosedRange<UInt64> { #expect(slow.request(request(id, to: "fast")) == [.granted(id)]) }
        #expect(slow.request(request(6, to: "fast")) == [])
        #expect(slow.runningCount == 5)
    }

    @Test func `of what a limit holds up a few stay at hand, and the rest is given back at once`() {
        var policy = SlotPolicy(concurrency: 8)
        for id in 1...2 as ClosedRange<UInt64> { #expect(policy.request(request(id)) == [.granted(id)]) }
        _ = policy.note(isWaiting: true, at: "slow")
        for id in 3...4 as ClosedRange<UInt64> { #expect(policy.request(request(id)) == []) }
        for id in 5...100 as ClosedRange<UInt64> { #expect(policy.request(request(id)) == [.limited(id)]) }
        #expect(policy.request(request(101, .urgent)) == [.granted(101)], "something urgent is not")
        #expect(policy.release(1) == [])
        #expect(policy.release(101) == [.granted(3)])
    }

    @Test func `as many limited destinations as slots keep out no other one, limited or not`() {
        var policy = SlotPolicy(concurrency: 4)
        for id in 1...4 as ClosedRange<UInt64> {
            #expect(policy.request(request(id, to: "slow\(id)")) == [.granted(id)])
            _ = policy.note(isWaiting: true, at: "slow\(id)")
        }
        #expect(policy.request(request(5, to: "slow5")) == [], "it comes next")
        #expect(policy.isHeldByLimit(5), "and holds up no other meanwhile")
        #expect(policy.request(request(6, to: "slow6")) == [.limited(6)])
        for id in 7...10 as ClosedRange<UInt64> { #expect(policy.request(request(id, to: "fast")) == [.granted(id)]) }
        #expect(policy.request(request(11, .urgent, to: "slow7")).contains(.granted(11)))
        _ = policy.release(11)
        #expect(policy.release(1) == [.granted(5)])
    }

    @Test
    func
        `of many urgent ones of a limited destination a few stay at hand, too, and what makes way for them is waited for`()
    {
        var policy = SlotPolicy(concurrency: 8)
        for id in 1...2 as ClosedRange<UInt64> { #expect(policy.request(request(id)) == [.granted(id)]) }
        _ = policy.note(isWaiting: true, at: "slow")
        for id in 3...4 as ClosedRange<UInt64> { #expect(policy.request(request(id, .urgent)) == [.granted(id)]) }
        #expect(policy.request(request(5, .urgent)) == [.preempt(2)])
        #expect(!policy.isHeldByLimit(5))
        #expect(policy.request(request(6, .urgent)) == [.preempt(1)])
        #expect(policy.request(request(7, .urgent)) == [.limited(7)])
        #expect(policy.release(3) == [.granted(5)])
    }

    @Test func `a limit that comes later is kept from the start`() {
        var policy = SlotPolicy(concurrency: 4)
        var first = request(1)
        first.limits = TransferLimits()
        #expect(policy.request(first) == [.granted(1)])
        _ = policy.note(isWaiting: true, at: "slow")
        #expect(policy.request(request(2)) == [])
        for id in 3...6 as ClosedRange<UInt64> { #expect(policy.request(request(id, to: "fast")) == [.granted(id)]) }
    }

    @Test func `a job that runs alone waits for the worker, not for a limit`() {
        var policy = SlotPolicy(concurrency: 4)
        #expect(policy.request(request(1)) == [.granted(1)])
        _ = policy.note(isWaiting: true, at: "slow")
        var lone = request(2)
        lone.runsAlone = true
        _ = policy.request(lone)
        #expect(!policy.isHeldByLimit(2))
        #expect(policy.release(1) == [.granted(2)])
    }

    @Test func `something urgent makes way for itself at its own destination's limit`() {
        var policy = SlotPolicy(concurrency: 8)
        func limited(_ id: UInt64, _ lane: Lane = .normal) -> SlotRequest {
            SlotRequest(
                id: id, queue: .standard, lane: lane, destination: "two", limits: TransferLimits(jobs: 2),
                runsAlone: false, canYield: true)
        }
        _ = policy.request(limited(1))
        _ = policy.request(limited(2))
        #expect(policy.request(limited(3)) == [])
        #expect(policy.request(limited(4, .urgent)) == [.preempt(2)])
        #expect(policy.release(2) == [.granted(4)])
    }

    @Test func `beside a destination that holds all slots there is one for another, and a third takes one of its own`()
    {
        var policy = SlotPolicy(concurrency: 4)
        for id in 1...4 as ClosedRange<UInt64> { _ = policy.request(request(id, to: "many")) }
        #expect(policy.request(request(5, to: "many")) == [])
        #expect(policy.request(request(6, to: "one")) == [.granted(6)])
        #expect(policy.request(request(7, to: "one")) == [])
        #expect(policy.request(request(8, to: "third")) == [.preempt(4)])
        #expect(policy.release(4) == [.granted(8)])
        #expect(policy.release(6) == [.granted(7)], "it has none again")
        #expect(policy.release(3) == [], "as many run as there are slots")
        #expect(policy.release(8) == [.granted(5)])
    }

    @Test func `a worker of one slot has no spare slot`() {
        var policy = SlotPolicy(concurrency: 1)
        #expect(policy.request(request(1, to: "many")) == [.granted(1)])
        #expect(policy.request(request(2, to: "one")) == [])
    }

    @Test func `of a destination that has most slots and takes long a few jobs stay at hand`() {
        var policy = SlotPolicy(concurrency: 8)
        for id in 1...10 as ClosedRange<UInt64> { _ = policy.request(request(id, to: "many")) }
        _ = policy.advance(to: .seconds(4))
        #expect(policy.request(request(11, to: "many")) == [], "they have not waited for long")
        _ = policy.advance(to: .seconds(5))
        #expect(policy.request(request(12, to: "many")) == [.limited(12)])
        #expect(policy.request(request(13, .urgent, to: "many")) == [.preempt(8)])
        #expect(policy.request(request(14, to: "one")) == [.granted(14)])
        #expect(policy.release(8) == [.preempt(7)], "the other destination has its slot")
        #expect(policy.release(7) == [.granted(13)])
        #expect(policy.request(request(15, to: "many")) == [.limited(15)])
        #expect(policy.release(6) == [.granted(9)])
        #expect(policy.release(5) == [.granted(10)])
        #expect(policy.request(request(16, to: "many")) == [], "the one that waits now has come later")
    }

    @Test func `what is given back comes again about as fast as it is taken`() {
        var flow = GivenBack(seed: 1)
        var delays: [Double] = []
        for _ in 0..<100 { delays.append(flow.delay(expected: 0.1, at: .zero)) }
        #expect(delays.allSatisfy { (0.7...9).contains($0) })
        let early = delays.count { $0 < 3.3 }
        #expect((30...70).contains(early), "spread over the time that they need, and a little sooner")
        #expect(flow.count(at: .zero) == 100)
        #expect(flow.count(at: .seconds(20)) == 0)
        #expect((0..<1000).allSatisfy { _ in flow.delay(expected: 100, idleWaits: 2, at: .zero) <= 300 })
        #expect((0..<1000).allSatisfy { _ in flow.delay(expected: 100, idleWaits: .max, at: .zero) <= 1200 })
        flow = GivenBack(seed: 2)
        _ = flow.delay(expected: 0.1, at: .zero)
        for second in 0...100 { flow.end(at: .seconds(30 + second), isCrowded: true) }
        let later = (0..<1000).map { _ in flow.delay(expected: 0.1, at: .seconds(131)) }
        #expect((later.max() ?? 0) <= 75, "a minute at most, give or take a quarter")
        #expect(later.count { $0 >= 45 } > 850, "one a second was measured")
    }
}
