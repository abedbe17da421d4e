import Foundation
import Testing

@testable import Uploads

/// A worker whose clock no other clock has confirmed lets no job's time run out.
@Suite struct SliceMachineClockTests {
    typealias H = SliceHarness

    private static var expired: UploadJob {
        var job = H.job()
        job.expiresAt = H.start - 3600
        return job
    }

    private func unconfirmed(_ baton: Baton) -> H {
        var slice = H(baton)
        slice.machine = SliceMachine(baton: baton, isClockConfirmed: false, seed: 1)
        return slice
    }

    @Test func `an expired job waits for a worker that knows the time, a moment at first, and loses nothing`() throws {
        for state in [nil, H.state] {
            var baton = H.baton(Self.expired, slice: 3, state: state)
            baton.attempts = 4
            var slice = unconfirmed(baton)
            slice.begin()
            slice.holding(.probed(state.map { .partial($0, beside: nil) } ?? .nothing))
            #expect(slice.wait?.reason == "clock")
            #expect(slice.wait?.seconds == 1)
            #expect(slice.wait?.state == state)
            let settled = SettledSlice(try #require(slice.settlement))
            let onward = try #require(SettlementPlan(settled, of: baton, now: H.start).onward)
            #expect(onward.baton.attempts == 4)
            #expect(onward.lane == .continued, "ahead of the lane's backlog, so that the broker's time is a fresh one")
            #expect(onward.delay == 1)
        }
        var baton = H.baton(Self.expired, slice: 3)
        baton.idleWaits = 40
        var slice = unconfirmed(baton)
        slice.begin()
        slice.holding(.probed(.nothing))
        #expect(slice.wait?.seconds == 60)
    }

    @Test func `patience and the age of the policy do not end either`() {
        for error in [H.error(.noSpace), H.error(.networkFailure), H.error(.rateLimited, retry: .pause(seconds: 1))] {
            for isConfirmed in [true, false] {
                var baton = H.baton(slice: 3, state: H.state)
                baton.waitingSince = H.start - 40 * 86_400
                baton.triedSince = H.start - 40 * 86_400
                var slice = H(baton)
                slice.machine = SliceMachine(baton: baton, isClockConfirmed: isConfirmed, seed: 1)
                slice.begin()
                slice.holding(.failed(error))
                #expect((slice.failure != nil) == isConfirmed, "\(error.code)")
            }
        }
    }

    @Test func `attempts end as ever`() {
        var baton = H.baton(slice: 3, state: H.state)
        baton.attempts = 9
        var slice = unconfirmed(baton)
        slice.begin()
        slice.holding(.failed(H.error(.networkFailure)))
        #expect(slice.failure?.code == .networkFailure)
    }
}
