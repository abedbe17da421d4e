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

    // MARK: The place that the source is read from

    private func source(_ way: DestinationFacts.Way) -> DestinationFacts {
        DestinationFacts(driver: "directory", canYield: true, sourceWay: way)
    }

    /// A slice that is about to claim its source.
    private func claiming(_ way: DestinationFacts.Way, isCancel: Bool = false) -> (H, [SliceAction]) {
        var slice = H(H.baton(slice: 1, isCancel: isCancel))
        slice.holding(.begun)
        var actions = slice.holding(.destinationFound(source(way)))
        if !isCancel { actions = slice.holding(.probed(.nothing)) }
        return (slice, actions)
    }

    @Test func `an open circuit of the source makes a job wait once the destination was asked, and that is no attempt`()
    {
        let (slice, _) = claiming(.blocked(until: H.start + 90, why))
        #expect(slice.wait?.reason == "circuitOpen" && slice.wait?.seconds ?? 0 >= 90)
        // Its object may be there already: then the source is not needed.
        var done = H(H.baton(slice: 1))
        done.holding(.begun)
        #expect(done.holding(.destinationFound(source(.blocked(until: H.start + 90, why)))) == [.probe(nil)])
        done.holding(.probed(.complete(H.done)))
        #expect(done.outcome == .completed(H.object, response: nil))
    }

    @Test func `a cancelled job does not wait for the circuit of its source`() {
        let (slice, _) = claiming(.blocked(until: H.start + 90, why), isCancel: true)
        #expect(slice.wait?.reason == "cancelling")
    }

    @Test func `a trial of the source that fails is no attempt, and one of the destination is told apart`() {
        let failure = H.error(.serverFailure)
        var (slice, actions) = claiming(.trial(.reach))
        #expect(actions == [.claimSource])
        slice.holding(.failed(failure.ofSource))
        #expect(slice.wait?.reason == "circuitOpen")

        (slice, _) = claiming(.trial(.reach))
        slice.holding(.failed(failure))
        #expect(slice.wait?.reason == "retry")

        // A part that arrived shows that the source can be read.
        (slice, _) = claiming(.trial(.reach))
        slice.holding(.sourceClaimed)
        slice.holding(.opened(SessionFacts(state: nil, partCount: 1, missingCount: 1, bytesMissing: 100)))
        slice.holding(.partAccepted(0, nil))
        #expect(slice.holding(.failed(failure.ofSource)) == [.probe(nil)])
        slice.holding(.probed(.nothing))
        #expect(slice.wait?.reason == "retry")
    }

    @Test func `what the source's place refuses to all holds up the job, whatever its destination`() {
        let refused = UploadError(.wrongCredentials, "refused: give others").ofSource
        var job = H.job()
        job.destination = .url("https://host.example/x")
        job.source = .staged(area: "area", name: "copy")
        var slice = H(H.baton(job, slice: 1))
        slice.holding(.begun)
        slice.holding(.destinationFound(source(.free)))
        slice.holding(.probed(.nothing))
        slice.holding(.failed(refused))
        #expect(slice.wait?.reason == "circuitOpen")
    }

    @Test func `a job waits for its turn to read, and that is no attempt`() {
        var (slice, _) = claiming(.free)
        slice.holding(.sourceLimited(UploadError(.rateLimited, "enough read", retry: .pause(seconds: 10))))
        #expect(slice.wait?.reason == "limited" && slice.wait?.seconds == 10)

        var baton = H.baton(slice: 1)
        baton.idleWaits = 20
        var later = H(baton)
        later.holding(.begun)
        later.holding(.destinationFound(source(.free)))
        later.holding(.probed(.nothing))
        later.holding(.sourceLimited(UploadError(.rateLimited, "enough read", retry: .pause(seconds: 10))))
        #expect((60...120).contains(later.wait?.seconds ?? 0))
    }

    @Test func `failures of the source say nothing of the destination`() {
        let failure = UploadError(.networkFailure, "lost: try again")
        let destination = H.job().destination
        #expect(CircuitEvidence(.partFailed(0, failure), of: destination, isWrite: true) == .failing(.write, failure))
        #expect(CircuitEvidence(.partFailed(0, failure.ofSource), of: destination, isWrite: true) == nil)
        #expect(SliceFact.partFailed(0, failure.ofSource).sourceFailure == failure)
        #expect(SliceFact.partFailed(0, failure).sourceFailure == nil)
    }
}
