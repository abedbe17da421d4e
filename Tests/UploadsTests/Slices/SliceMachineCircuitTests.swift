import Foundation
import Testing

@testable import Uploads

@Suite struct SliceMachineCircuitTests {
    typealias H = SliceHarness

    let why = UploadError(.serverFailure, "it keeps failing: look at it")

    func blocked(_ seconds: TimeInterval) -> DestinationFacts {
        DestinationFacts(driver: "directory", canYield: true, way: .blocked(until: H.start + seconds, why))
    }

    let trial = DestinationFacts(driver: "directory", canYield: true, way: .trial(.reach))

    @Test func `an open circuit makes a job wait before anything is opened, and that is no attempt`() throws {
        var baton = H.baton(slice: 3, state: H.state)
        baton.attempts = 2
        var slice = H(baton)
        slice.holding(.begun)
        slice.holding(.destinationFound(blocked(90)))
        guard case .wait(let until, let reason, let state)? = slice.settlement else {
            Issue.record("did not wait")
            return
        }
        #expect(until >= H.start + 90)
        #expect(reason == .circuitOpen(why))
        #expect(state == H.state)
        let plan = SettlementPlan(
            SettledSlice(.wait(until: until, reason: reason, state: state)), of: baton, now: slice.now)
        #expect(plan.onward?.baton.attempts == 2)
        #expect(plan.onward?.baton.idleWaits == 1)
        #expect(plan.event?.data.error == why)
        #expect(plan.event?.data.reason == "circuitOpen")
        #expect(plan.event?.data.waitingUntil == until)
    }

    @Test func `the wait grows with each time, up to two minutes`() {
        for waits in 0...40 {
            var baton = H.baton()
            baton.idleWaits = waits
            for seed in 0..<20 as Range<UInt64> {
                var slice = H(baton, seed: seed)
                slice.holding(.begun)
                slice.holding(.destinationFound(blocked(0.5)))
                let bound = min(120, 2 * pow(2, Double(waits)))
                #expect((bound / 2...bound).contains(slice.wait?.seconds ?? -1))
            }
        }
    }

    @Test func `a job whose time runs out at an open circuit fails and says why`() {
        var job = H.job()
        job.expiresAt = H.start
        var slice = H(H.baton(job))
        slice.holding(.begun)
        slice.holding(.destinationFound(blocked(9)))
        #expect(slice.failure?.code == .expired)
        #expect(slice.failure?.message.contains(why.message) == true)
    }

    @Test func `a trial that meets the same failure is no attempt`() {
        for attempts in [0, 9] {
            var baton = H.baton(slice: 1)
            baton.attempts = attempts
            var slice = H(baton)
            slice.holding(.begun)
            #expect(slice.holding(.destinationFound(trial)) == [.probe(nil)])
            slice.holding(.failed(H.error(.serverFailure)))
            #expect(slice.wait?.reason == "circuitOpen")
        }
    }

    @Test func `a trial whose request was answered is a slice like any other`() {
        var slice = H(H.baton(slice: 1))
        slice.holding(.begun)
        slice.holding(.destinationFound(trial))
        slice.holding(.probed(.nothing))
        slice.holding(.sourceClaimed)
        slice.holding(.failed(H.error(.serverFailure)))
        #expect(slice.wait?.reason == "retry")
    }

    @Test func `what is the job's own fault counts in a trial as well`() {
        var slice = H(H.baton(slice: 1))
        slice.holding(.begun)
        slice.holding(.destinationFound(trial))
        slice.holding(.failed(H.error(.accessDenied)))
        #expect(slice.failure?.code == .accessDenied)
    }

    @Test func `a cancel waits at an open circuit, at first long enough to act without a lock later`() {
        var slice = H(H.baton(generation: 2, state: H.state, isCancel: true))
        slice.holding(.begun)
        slice.holding(.toldStarted)
        #expect(slice.holding(.destinationFound(blocked(3))) == [.claimSource])
        slice.holding(.sourceClaimed)
        #expect(slice.wait?.reason == "circuitOpen")
        #expect(slice.wait?.seconds ?? 0 >= SliceRules().cancelSettleDelay)
        #expect(slice.wait?.state == H.state)
    }
}
