import Foundation
import Testing

@testable import Uploads

@Suite struct SliceMachineFreshTests {
    @Test func `a job of one part is claimed, opened, sent and completed without a probe`() {
        var slice = SliceHarness(SliceHarness.baton())
        #expect(slice.tell(.begun) == [.checkValidity])
        #expect(slice.tell(.validity(.holds)) == [.findDestination])
        #expect(slice.tell(.destinationFound(DestinationFacts(driver: "http", canYield: false))) == [.claimSource])
        #expect(slice.tell(.sourceClaimed) == [.checkValidity])
        #expect(slice.tell(.validity(.holds)) == [.open(resuming: nil)])
        #expect(
            slice.tell(.opened(SessionFacts(state: nil, partCount: 1, missingCount: 1, bytesMissing: 1))) == [
                .checkValidity
            ])
        #expect(slice.tell(.validity(.holds)) == [.sendPart(0)])
        #expect(slice.tell(.partAccepted(0, nil)) == [.checkValidity])
        #expect(slice.tell(.validity(.holds)) == [.complete(.none)])
        slice.tell(.completed(SliceHarness.done))
        #expect(slice.settlement == .ended(.completed(SliceHarness.object, response: nil)))
        #expect(slice.machine.isSettled)
    }

    @Test func `a job of several parts hands over as soon as its session exists`() {
        var slice = SliceHarness(SliceHarness.baton())
        slice.begin()
        slice.holding(.sourceClaimed)
        slice.tell(.opened(SessionFacts(state: SliceHarness.state, partCount: 3, missingCount: 3, bytesMissing: 3)))
        #expect(slice.settlement == .handOver(SliceHarness.state.untouched))
    }

    @Test func `several parts without a state are sent at once, for nothing could be resumed`() {
        var slice = SliceHarness(SliceHarness.baton())
        slice.begin(canYield: false)
        slice.holding(.sourceClaimed)
        slice.holding(.opened(SessionFacts(state: nil, partCount: 3, missingCount: 3, bytesMissing: 3)))
        #expect(slice.actions == [.sendPart(0), .sendPart(1), .sendPart(2)])
    }

    @Test func `a fresh baton is told as started by its runner's clock, not by the machine`() {
        var slice = SliceHarness(SliceHarness.baton())
        #expect(slice.holding(.begun) == [.findDestination])
    }

    @Test func `an issued baton is told as started before anything else`() {
        var slice = SliceHarness(SliceHarness.baton(generation: 2, state: SliceHarness.state))
        #expect(slice.holding(.begun) == [.tellStarted(SliceHarness.state)])
        #expect(slice.tell(.toldStarted) == [.findDestination])
    }

    @Test func `a start that cannot be told leaves the delivery to the broker`() {
        var slice = SliceHarness(SliceHarness.baton(generation: 2))
        slice.holding(.begun)
        slice.tell(.failed(SliceHarness.error(.networkFailure)))
        #expect(slice.settlement == .abandoned)
    }

    @Test func `a job that is not due waits until it is`() {
        var job = SliceHarness.job()
        job.notBefore = SliceHarness.start + 500
        var slice = SliceHarness(SliceHarness.baton(job))
        slice.begin()
        #expect(slice.settlement == .wait(until: SliceHarness.start + 500, reason: .scheduled, state: nil))
    }

    @Test func `a job that became due is worked on`() {
        var job = SliceHarness.job()
        job.notBefore = SliceHarness.start + 500
        var slice = SliceHarness(SliceHarness.baton(job))
        slice.now = SliceHarness.start + 500
        #expect(slice.begin() == [.claimSource])
    }

    @Test(arguments: [true, false]) func `a job whose time ran out fails as expired`(byDeadline: Bool) {
        var job = SliceHarness.job()
        if byDeadline { job.expiresAt = SliceHarness.start + 60 } else { job.enqueuedAt -= JobLifetime.seconds - 60 }
        var slice = SliceHarness(SliceHarness.baton(job))
        slice.now = SliceHarness.start + 60
        slice.begin()
        #expect(slice.failure?.code == .expired)
        let message = slice.failure?.message ?? ""
        let words =
            byDeadline
            ? ["it is 60 s old", "\(WireJSON.timestamp(SliceHarness.start + 60)) (expiresAt)", "with a later time"]
            : ["it is 30 d old", "jobs have 30 d; enqueue the file again"]
        for word in words { #expect(message.contains(word), "\(message)") }
    }

    @Test func `time in a serial line does not use up a job's time`() {
        var job = SliceHarness.job()
        job.retry = RetryPolicy(maxAge: 60)
        job.serial = .end
        var slice = SliceHarness(SliceHarness.baton(job, generation: 2))
        slice.now = SliceHarness.start + 100_000
        slice.begin()
        #expect(slice.failure == nil)
    }

    @Test func `an expired job with a session is asked for, its session discarded, then it fails`() {
        var job = SliceHarness.job()
        job.expiresAt = SliceHarness.start
        var slice = SliceHarness(SliceHarness.baton(job, slice: 2, state: SliceHarness.state))
        #expect(slice.begin() == [.probe(SliceHarness.state)])
        #expect(slice.holding(.probed(.partial(SliceHarness.state, beside: nil))) == [.discard(SliceHarness.state)])
        slice.tell(.discarded)
        guard case .failed(let error, state: nil)? = slice.outcome else {
            Issue.record("\(slice.actions)")
            return
        }
        #expect(error.code == .expired)
    }

    @Test func `an expired session that cannot be discarded stays named`() {
        var job = SliceHarness.job()
        job.expiresAt = SliceHarness.start
        var slice = SliceHarness(SliceHarness.baton(job, slice: 2, state: SliceHarness.state))
        slice.begin()
        slice.holding(.probed(.partial(SliceHarness.state, beside: nil)))
        slice.tell(.failed(SliceHarness.error(.networkFailure)))
        guard case .failed(_, state: SliceHarness.state)? = slice.outcome else {
            Issue.record("\(slice.actions)")
            return
        }
    }

    @Test func `a job that was done before it expired is completed`() {
        var job = SliceHarness.job()
        job.expiresAt = SliceHarness.start
        var slice = SliceHarness(SliceHarness.baton(job, slice: 2))
        slice.begin()
        slice.holding(.probed(.complete(SliceHarness.done)))
        #expect(slice.outcome == .completed(SliceHarness.object, response: nil))
    }

    @Test func `a later round does not expire by the age of the first`() {
        var slice = SliceHarness(SliceHarness.baton(round: 2))
        slice.now = SliceHarness.start + 30 * 86_400
        #expect(slice.begin() == [.probe(nil)])
        #expect(slice.holding(.probed(.nothing)) == [.claimSource])
    }
}
