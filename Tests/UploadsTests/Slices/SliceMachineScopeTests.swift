import Foundation
import Testing

@testable import Uploads

/// Which waits are no attempt, and what ends the waiting.
@Suite struct SliceMachineScopeTests {
    typealias H = SliceHarness

    private static func answered(
        _ code: UploadError.Code, _ status: Int, retry: UploadError.Retry? = nil
    ) -> UploadError {
        UploadError(code, "it went wrong: look again", retry: retry, response: ServerResponse(status: status))
    }

    private static let ofDestination = [
        H.error(.noSpace), H.error(.destinationAway), answered(.wrongCredentials, 403),
        answered(.notAuthenticated, 401), H.error(.misconfigured, retry: .afterBackoff),
    ]

    /// Runs one slice of a baton for each step that may meet the error.
    private func slices(_ baton: Baton, meeting error: UploadError, at now: Date = H.start) -> [H] {
        var atLook = H(baton)
        atLook.now = now
        atLook.begin()
        atLook.holding(.failed(error))
        var atPart = H(baton)
        atPart.now = now
        atPart.resume(partCount: 2, missing: 2)
        atPart.holding(.partFailed(0, error))
        while atPart.settlement == nil {
            if case .waitToRetry(let index, _)? = atPart.actions.first {
                atPart.holding(.retryDue(index))
                atPart.holding(.partFailed(index, error))
            } else {
                atPart.holding(.partFailed(1, error))
            }
        }
        var atEnd = H(baton)
        atEnd.now = now
        atEnd.resume(partCount: 2, missing: 0)
        atEnd.holding(.failed(error))
        if atEnd.actions.contains(where: { if case .probe = $0 { true } else { false } }) {
            atEnd.holding(.probed(.partial(H.state, beside: nil)))
        }
        return [atLook, atPart, atEnd]
    }

    private func next(_ slice: H, after baton: Baton) throws -> Baton {
        let settlement = try #require(slice.settlement)
        let report = SliceReport(startedAt: slice.now)
        let plan = SettlementPlan(SettledSlice(settlement, report: report), of: baton, now: slice.now)
        return try #require(plan.onward?.baton)
    }

    @Test(arguments: ofDestination) func `the destination's trouble uses up no attempt, at whatever step it shows`(
        error: UploadError
    ) throws {
        var baton = H.baton(slice: 3, state: H.state)
        baton.attempts = 9
        for slice in slices(baton, meeting: error) {
            #expect(slice.settlement.map(\.isFailure) == false)
            #expect(slice.wait?.reason == "circuitOpen")
            #expect(slice.wait?.state == H.state, "the session stays")
            let next = try next(slice, after: baton)
            #expect(next.attempts == 9)
            #expect(next.failures.isEmpty)
            #expect(next.waitingSince == H.start)
        }
    }

    @Test(arguments: [
        answered(.rateLimited, 429), answered(.rateLimited, 429, retry: .after(seconds: 30)),
        answered(.serverFailure, 503, retry: .after(seconds: 30)), answered(.serverFailure, 423),
        H.error(.rateLimited, retry: .pause(seconds: 30)), answered(.wrongCredentials, 401, retry: .pause(seconds: 30)),
    ]) func `a wait that a server or a limit asked for uses up no attempt`(error: UploadError) throws {
        var baton = H.baton(slice: 3, state: H.state)
        baton.attempts = 9
        for slice in slices(baton, meeting: error) {
            #expect(slice.wait?.reason == "resting")
            if error.retry != .afterBackoff { #expect(slice.wait?.seconds ?? 0 >= 30) }
            #expect(try next(slice, after: baton).attempts == 9)
        }
    }

    @Test(arguments: [
        H.error(.noSpace), answered(.serverFailure, 423), answered(.rateLimited, 429, retry: .after(seconds: 9)),
    ])
    func `a body is not sent again at once to what takes none`(error: UploadError) {
        var slice = H(H.baton(slice: 3, state: H.state))
        slice.resume(partCount: 1, missing: 1)
        slice.holding(.partFailed(0, error))
        #expect(slice.wait != nil)
    }

    @Test func `an attempt is worth three sends of a part, with waits between them`() {
        var slice = H(H.baton(slice: 3, state: H.state))
        slice.resume(partCount: 1, missing: 1)
        var waits: [Int] = []
        while case .sendPart(0)? = slice.actions.first {
            slice.holding(.partFailed(0, Self.answered(.serverFailure, 500)))
            if case .waitToRetry(_, let milliseconds)? = slice.actions.first {
                waits.append(milliseconds)
                slice.holding(.retryDue(0))
            }
        }
        #expect(waits.count == 2)
        #expect(waits.allSatisfy { $0 >= 125 })
        #expect(slice.wait?.reason == "retry")
    }

    @Test func `waiting ends with the destination's patience, and says for what`() {
        let patience: TimeInterval = 3600
        for error in Self.ofDestination + [Self.answered(.rateLimited, 429)] {
            var baton = H.baton(slice: 3, state: H.state)
            baton.waitingSince = H.start
            for (seconds, isOver) in [(patience - 1, false), (patience, true)] {
                var slice = H(baton)
                slice.now = H.start + seconds
                slice.holding(.begun)
                slice.holding(
                    .destinationFound(DestinationFacts(driver: "directory", canYield: true, patience: patience)))
                slice.holding(.failed(error))
                if isOver {
                    #expect(slice.failure?.code == .destinationUnavailable)
                    #expect(slice.failure?.message.contains("it went wrong: look again") == true)
                } else {
                    #expect(slice.wait?.seconds == 1)
                }
            }
        }
    }

    @Test func `progress and a failed attempt begin the patience anew`() throws {
        var baton = H.baton(slice: 3, state: H.state)
        baton.waitingSince = H.start - 3600
        let ends: [Settlement] = [
            .handOver(H.state), .wait(until: H.start + 5, reason: .retry(H.error(.serverFailure)), state: H.state),
        ]
        for end in ends {
            let slice = SettledSlice(end, report: SliceReport(startedAt: H.start))
            #expect(SettlementPlan(slice, of: baton, now: H.start).onward?.baton.waitingSince == nil)
        }
        let waits = SettledSlice(.wait(until: H.start + 5, reason: .resting(H.error(.rateLimited)), state: nil))
        #expect(SettlementPlan(waits, of: baton, now: H.start).onward?.baton.waitingSince == H.start - 3600)
    }

    @Test(arguments: [
        (WaitReason.circuitOpen(H.error(.noSpace)), true), (.resting(H.error(.rateLimited)), true),
        (.notYet(H.error(.unknown)), true), (.unknownDestination, true), (.unknownStagingArea, true),
        (.unsupportedVersion, true), (.limited(H.error(.rateLimited)), false), (.locked, false), (.paused, false),
        (.scheduled, false),
    ])
    func `only what a job cannot do without uses up patience`(reason: WaitReason, counts: Bool) {
        let wait = SettledSlice(.wait(until: H.start + 5, reason: reason, state: nil))
        var baton = H.baton(slice: 3)
        #expect((SettlementPlan(wait, of: baton, now: H.start).onward?.baton.waitingSince == H.start) == counts)
        baton.waitingSince = H.start - 60
        let kept = SettlementPlan(wait, of: baton, now: H.start).onward?.baton.waitingSince
        #expect((kept == nil) == (reason == .paused || reason == .scheduled))
    }

    @Test(arguments: [2.0, 29]) func `a job that lay for days is tried like any other`(days: Double) {
        var slice = H(H.baton())
        slice.now = H.start + days * 86_400
        #expect(slice.begin() == [.claimSource])
        slice.holding(.sourceClaimed)
        slice.holding(.failed(H.error(.serverFailure)))
        #expect(slice.wait?.reason == "retry", "its first attempt is no late one")
    }

    @Test func `the lifetime ends every job`() {
        var slice = H(H.baton())
        slice.now = H.start + JobLifetime.seconds
        slice.begin()
        #expect(slice.failure?.code == .expired)
    }

    @Test func `the policy's age counts from the first failed attempt, and waits do not count`() throws {
        var baton = H.baton(slice: 1)
        baton.job.retry = RetryPolicy(maxAttempts: 100, maxAge: 100, base: 1, cap: 1)
        func failing(at seconds: TimeInterval) -> H {
            var slice = H(baton)
            slice.now = H.start + seconds
            slice.begin()
            slice.holding(.failed(H.error(.serverFailure)))
            return slice
        }
        baton = try next(failing(at: 5000), after: baton)
        #expect(baton.triedSince == H.start + 5000)
        #expect(failing(at: 5090).wait?.reason == "retry")
        #expect(failing(at: 5101).failure?.code == .serverFailure)
        let wait = SettledSlice(
            .wait(until: H.start + 9050, reason: .circuitOpen(H.error(.noSpace)), state: nil))
        baton = try #require(SettlementPlan(wait, of: baton, now: H.start + 5050).onward?.baton)
        #expect(failing(at: 9090).wait?.reason == "retry", "an hour of waiting made it no older")
        #expect(failing(at: 9101).failure?.code == .serverFailure)
    }

    @Test func `a refusal ends a job once others are served, and one that is alone after three`() throws {
        let refused = Self.answered(.accessDenied, 403)
        func slice(_ baton: Baton, servedAt: Date?) -> H {
            var slice = H(baton)
            slice.now = H.start + 60
            slice.holding(.begun)
            slice.holding(
                .destinationFound(DestinationFacts(driver: "directory", canYield: true, servedAt: servedAt)))
            slice.holding(.failed(refused))
            return slice
        }
        var baton = H.baton(slice: 1)
        #expect(slice(baton, servedAt: H.start + 59).wait?.reason == "retry", "perhaps it is the first of many")
        baton = try next(slice(baton, servedAt: nil), after: baton)
        #expect(slice(baton, servedAt: H.start + 59).wait?.reason == "retry", "no job was served since")
        #expect(slice(baton, servedAt: H.start + 61).failure?.code == .accessDenied)
        baton = try next(slice(baton, servedAt: nil), after: baton)
        #expect(slice(baton, servedAt: nil).failure?.code == .accessDenied)
    }
}

extension Settlement {
    fileprivate var isFailure: Bool { if case .ended(.failed) = self { true } else { false } }
}
