import Foundation
import Testing

@testable import Uploads

@Suite struct SettlementPlanTests {
    typealias H = SliceHarness

    @Test func `a hand-over raises only the slice and goes on first`() {
        let baton = H.baton(slice: 1)
        let report = SliceReport(bytesSent: 7, activeSeconds: 2, startedAt: H.start)
        let plan = SettlementPlan(SettledSlice(.handOver(H.state), report: report), of: baton, now: H.start)
        #expect(plan.onward?.lane == .continued)
        #expect(plan.onward?.delay == nil)
        #expect(plan.onward?.baton.slice == 2)
        #expect(plan.onward?.baton.generation == 1)
        #expect(plan.onward?.baton.attempts == 0)
        #expect(plan.onward?.baton.bytesSent == 7)
        #expect(plan.event?.kind == .handedOver)
        #expect(plan.acknowledges && !plan.removesStagedCopy)
    }

    @Test func `what was never begun goes back to its own lane`() {
        let plan = SettlementPlan(SettledSlice(.handOver(nil)), of: H.baton(), now: H.start)
        #expect(plan.onward?.lane == .normal)
    }

    @Test func `only a retry counts as an attempt`() {
        var baton = H.baton()
        baton.idleWaits = 3
        let error = H.error(.serverFailure)
        let retry = SettlementPlan(
            SettledSlice(.wait(until: H.start + 8, reason: .retry(error), state: nil)), of: baton, now: H.start)
        #expect(retry.onward?.baton.attempts == 1)
        #expect(retry.onward?.baton.idleWaits == 0)
        #expect(retry.onward?.baton.failures.map(\.code) == [.serverFailure])
        #expect(retry.onward?.delay == 8)
        let locked = SettlementPlan(
            SettledSlice(.wait(until: H.start + 10, reason: .locked, state: H.state)), of: baton, now: H.start)
        #expect(locked.onward?.baton.attempts == 0)
        #expect(locked.onward?.baton.idleWaits == 4)
        #expect(locked.onward?.lane == .continued)
    }

    @Test func `ends remove the staged copy only where nothing is to come`() {
        func plan(_ outcome: Outcome) -> SettlementPlan {
            SettlementPlan(SettledSlice(.ended(outcome)), of: H.baton(), now: H.start)
        }
        #expect(plan(.completed(H.object, response: nil)).removesStagedCopy)
        #expect(plan(.cancelled).removesStagedCopy)
        let failed = plan(.failed(H.error(.rejected), state: H.state))
        #expect(!failed.removesStagedCopy)
        #expect(failed.event?.data.baton.state == H.state)
        #expect(failed.event?.data.error?.code == .rejected)
        #expect(failed.onward == nil)
    }

    @Test func `a superseded delivery is acknowledged in silence, an abandoned one left alone`() {
        let superseded = SettlementPlan(SettledSlice(.superseded), of: H.baton(), now: H.start)
        #expect(superseded.acknowledges && superseded.event == nil && superseded.onward == nil)
        let abandoned = SettlementPlan(SettledSlice(.abandoned), of: H.baton(), now: H.start)
        #expect(!abandoned.acknowledges && abandoned.event == nil && abandoned.onward == nil)
    }

    @Test func `failures that travel are bounded`() {
        var baton = H.baton()
        for _ in 0..<30 {
            let wait = Settlement.wait(until: H.start, reason: .retry(H.error(.serverFailure)), state: nil)
            baton = SettlementPlan(SettledSlice(wait), of: baton, now: H.start).onward?.baton ?? baton
        }
        #expect(baton.attempts == 30)
        #expect(baton.failures.map(\.attempt) == Array(21...30))
    }
}
