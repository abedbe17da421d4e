import Foundation
import Testing

@testable import Uploads

private typealias H = SliceHarness

/// A destination that has the bytes and is not done with them.
@Suite struct SliceMachineNotYetTests {
    private static func notYet(_ seconds: TimeInterval = 5) -> UploadError {
        UploadError(.unknown, "it is still validated: wait", retry: .notYet(seconds: seconds))
    }

    /// Runs up to the completing call of an upload that has no missing parts.
    private func completing(_ change: (inout Baton) -> Void = { _ in }) -> H {
        var baton = H.baton(slice: 1, state: H.state)
        change(&baton)
        var slice = H(baton)
        slice.resume(partCount: 1, missing: 0, canYield: false)
        #expect(slice.actions == [.complete(.absent)])
        return slice
    }

    @Test func `it is asked again in a later slice, with its state, and that is no attempt`() throws {
        var slice = completing { $0.attempts = 9 }
        slice.tell(.failed(Self.notYet()))
        #expect(
            slice.settlement == .wait(until: H.start + 5, reason: .notYet(Self.notYet()), state: H.state),
            "the last attempt is not used up, nothing is probed and nothing discarded")
        let settlement = try #require(slice.settlement)
        let plan = SettlementPlan(SettledSlice(settlement), of: slice.machine.baton, now: H.start)
        let next = try #require(plan.onward?.baton)
        #expect(next.attempts == 9 && next.failures.isEmpty && next.idleWaits == 1 && next.state == H.state)
        #expect(plan.event?.data.error == Self.notYet())

        var later = H(next)
        later.resume(partCount: 1, missing: 0, canYield: false)
        later.holding(.completed(H.done))
        #expect(later.outcome == .completed(H.object, response: nil))
    }

    @Test(arguments: [(0, 5.0), (1, 10), (3, 40), (6, 120), (60, 120)])
    func `waits grow to two minutes`(idleWaits: Int, expected: TimeInterval) {
        var slice = completing { $0.idleWaits = idleWaits }
        slice.tell(.failed(Self.notYet()))
        #expect(slice.wait?.seconds == expected)
    }

    @Test(arguments: [(600.0, 600.0), (1e9, 3600), (0, 1), (-.infinity, 1), (.nan, 1)])
    func `what the destination asks for is honoured within bounds`(wished: TimeInterval, expected: TimeInterval) {
        var slice = completing()
        slice.tell(.failed(Self.notYet(wished)))
        #expect(slice.wait?.seconds == expected)
    }

    @Test func `it ends with the job's age, looked at once more then`() {
        var slice = completing { $0.job.expiresAt = H.start + 3 }
        slice.tell(.failed(Self.notYet()))
        #expect(slice.wait?.seconds == 3)

        slice = completing { $0.job.expiresAt = H.start + 3 }
        slice.now = H.start + 4
        slice.tell(.failed(Self.notYet()))
        #expect(slice.failure?.code == .expired)
        #expect(slice.failure?.retry == .never)
        #expect(slice.failure?.message.contains("still validated") == true)
        #expect(slice.outcome == slice.failure.map { .failed($0, state: H.state) }, "a later round asks on")
    }

    @Test func `a paused job waits as one`() {
        var slice = completing()
        slice.tell(.lost(.paused))
        slice.tell(.failed(Self.notYet()))
        #expect(slice.wait?.reason == "paused")
    }

    @Test func `a probe or a session may say so, too`() {
        var slice = H(H.baton(slice: 1, state: H.state))
        slice.begin(canYield: false)
        slice.tell(.failed(Self.notYet()))
        #expect(slice.wait?.reason == "notYet")

        slice = H(H.baton(slice: 1, state: H.state))
        slice.begin(canYield: false)
        slice.holding(.probed(.nothing))
        slice.holding(.sourceClaimed)
        slice.tell(.failed(Self.notYet()))
        #expect(slice.wait?.reason == "notYet")
    }

    @Test func `a part that says so is not sent again in this slice`() {
        var slice = H(H.baton(slice: 1, state: H.state))
        slice.resume(partCount: 1, missing: 1, canYield: false)
        slice.tell(.partFailed(0, Self.notYet(0.1)))
        #expect(slice.wait?.reason == "notYet")
    }

    @Test func `a job that is to be cancelled does not wait for it for ever`() {
        var slice = H(H.baton(slice: 1, state: H.state, isCancel: true))
        slice.begin()
        #expect(slice.holding(.sourceClaimed) == [.discard(H.state)])
        slice.holding(.discarded)
        slice.tell(.failed(Self.notYet()))
        #expect(slice.wait?.reason == "retry")
    }

    @Test func `a destination that is not done is alive`() {
        let error = UploadError(.serverFailure, "m", retry: .notYet(seconds: 5))
        #expect(CircuitEvidence(error, of: H.job().destination, isWrite: true) == .works(.signIn))
        var slice = H(H.baton(slice: 1, state: H.state))
        slice.holding(.begun)
        slice.holding(.destinationFound(DestinationFacts(driver: "directory", canYield: false, way: .trial(.reach))))
        slice.tell(.failed(Self.notYet()))
        #expect(slice.wait?.reason == "notYet", "and ends the trial")
    }
}
