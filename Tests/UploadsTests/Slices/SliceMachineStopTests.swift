import Foundation
import Testing

@testable import Uploads

@Suite struct SliceMachineStopTests {
    typealias H = SliceHarness

    func sending(parts: Int = 2, missing: Int = 9, canYield: Bool = true) -> H {
        var slice = H(H.baton(slice: 1, state: H.state), rules: SliceRules(parts: parts))
        slice.resume(partCount: 9, missing: missing, canYield: canYield)
        return slice
    }

    func sendingWhole() -> H {
        var slice = H(H.baton())
        slice.begin(canYield: false)
        slice.holding(.sourceClaimed)
        slice.holding(.opened(SessionFacts(state: nil, partCount: 1, missingCount: 1, bytesMissing: 1)))
        return slice
    }

    @Test(arguments: [SliceFact.yieldRequested(.drain), .yieldRequested(.preempt), .sliceTimeReached])
    func `at a request to stop the parts in flight finish and the baton is handed over`(fact: SliceFact) {
        var slice = sending()
        #expect(slice.tell(fact) == [.withdrawTurns])
        #expect(slice.tell(.partAccepted(1, H.state)) == [.withdrawTurns])
        slice.tell(.partAccepted(0, H.otherState))
        let mark: Int64? = fact == .sliceTimeReached ? 9 : nil
        #expect(slice.settlement == .handOver(H.marked(H.otherState, mark)))
    }

    @Test func `for something urgent parts that do not move are cut, once, and their failures are no failures`() {
        var slice = sending()
        #expect(slice.tell(.yieldOverdue) == [], "not asked to make way")
        slice.tell(.yieldRequested(.preempt))
        #expect(slice.tell(.yieldOverdue) == [.withdrawTurns, .cancelRequests])
        #expect(slice.tell(.yieldOverdue) == [])
        slice.tell(.partFailed(1, H.error(.cancelled)))
        slice.tell(.partFailed(0, H.error(.networkFailure)))
        #expect(slice.settlement == .handOver(H.state))
    }

    @Test func `a step that waits for its turn is called off for something urgent`() {
        var slice = H(H.baton(slice: 3, state: H.state))
        slice.begin()
        #expect(slice.tell(.yieldRequested(.preempt)) == [.withdrawTurns])
        #expect(slice.tell(.yieldOverdue) == [.withdrawTurns], "also one that has come to wait since")
        slice.tell(.turnWithdrawn)
        #expect(slice.settlement == .handOver(H.state))
    }

    @Test func `when its queue is stopped the parts in flight finish and the baton is handed over`() {
        var slice = sending()
        #expect(slice.tell(.lost(.stopped)) == [.withdrawTurns])
        slice.tell(.partAccepted(1, H.state))
        slice.tell(.partAccepted(0, H.otherState))
        #expect(slice.settlement == .handOver(H.otherState))
    }

    @Test func `in a stopped queue nothing is begun`() {
        var slice = H(H.baton())
        slice.tell(.begun)
        slice.tell(.validity(.stopped))
        #expect(slice.settlement == .handOver(nil))
    }

    @Test func `what cannot be interrupted goes on in a stopped queue`() {
        var slice = sendingWhole()
        #expect(slice.tell(.lost(.stopped)) == [])
        #expect(slice.holding(.partAccepted(0, nil)) == [.complete(.none)])
    }

    @Test func `a part that fails or waits on the way out is left to the next slice`() {
        var slice = sending()
        slice.tell(.partFailed(0, H.error(.networkFailure)))
        slice.tell(.yieldRequested(.drain))
        slice.tell(.partFailed(1, H.error(.networkFailure)))
        #expect(slice.settlement == .handOver(H.state))
    }

    @Test(arguments: [SliceFact.yieldRequested(.drain), .yieldRequested(.preempt), .sliceTimeReached])
    func `what cannot be interrupted goes on`(fact: SliceFact) {
        var slice = sendingWhole()
        #expect(slice.tell(fact) == [])
        #expect(slice.holding(.partAccepted(0, nil)) == [.complete(.none)])
    }

    /// A machine whose grace is used up while a write is under way.
    func abandoned(_ begun: H) -> H {
        var slice = begun
        slice.tell(.yieldRequested(.drain))
        #expect(slice.tell(.graceUsedUp) == [.cancelRequests, .awaitLastAnswers(milliseconds: 2000)])
        return slice
    }

    @Test func `what cannot be interrupted is dropped when the grace is used up`() {
        var slice = abandoned(sendingWhole())
        slice.tell(.partFailed(0, H.error(.cancelled)))
        #expect(slice.settlement == .handOver(nil))
    }

    @Test func `at the end of the grace parts in flight are dropped, not failed`() {
        var slice = abandoned(sending())
        #expect(slice.tell(.partFailed(0, H.error(.cancelled))) == [])
        slice.tell(.partAccepted(1, H.otherState))
        #expect(slice.settlement == .handOver(H.otherState))
    }

    @Test(arguments: [SliceFact.lastAnswersDue, .graceUsedUp])
    func `what does not answer at the end of the grace is not waited for long`(fact: SliceFact) {
        var slice = sendingWhole()
        #expect(slice.tell(.lastAnswersDue) == [], "nothing waits for it")
        slice = abandoned(slice)
        slice.tell(fact)
        #expect(slice.settlement == .handOver(nil))
    }

    @Test func `an acceptance that came with the end of the grace completes the job`() {
        var slice = abandoned(sendingWhole())
        #expect(slice.holding(.partAccepted(0, nil)) == [.complete(.none)])
        slice.tell(.completed(H.done))
        #expect(slice.outcome == .completed(H.object, response: nil))

        slice = sendingWhole()
        #expect(slice.tell(.partAccepted(0, nil)) == [.checkValidity])
        slice = abandoned(slice)
        #expect(slice.tell(.validity(.holds)) == [.complete(.none)])

        slice = abandoned(sending(missing: 0))
        slice.tell(.completed(H.done))
        #expect(slice.outcome == .completed(H.object, response: nil))
        slice = abandoned(sending(missing: 0))
        slice.tell(.failed(H.error(.cancelled)))
        #expect(slice.settlement == .handOver(H.state))
    }

    @Test func `a refusal that came with the end of the grace ends the job, a doubt does not`() {
        var slice = abandoned(sendingWhole())
        slice.tell(
            .partFailed(0, UploadError(.rejected, "too large: cut it", response: ServerResponse(status: 413))))
        #expect(slice.failure?.code == .rejected)
        slice = abandoned(sendingWhole())
        slice.tell(.partFailed(0, UploadError(.serverFailure, "failed: wait", response: ServerResponse(status: 500))))
        #expect(slice.settlement == .handOver(nil))
    }

    @Test func `at the end of the grace an object is not read back any more`() {
        var job = H.job()
        job.verify = true
        var slice = H(H.baton(job, slice: 1, state: H.state))
        slice.resume(partCount: 9, missing: 0)
        #expect(slice.tell(.graceUsedUp) == [.cancelRequests, .awaitLastAnswers(milliseconds: 2000)])
        slice.holding(.completed(H.done))
        guard case .handOver(let state?) = slice.settlement else {
            Issue.record("\(String(describing: slice.settlement))")
            return
        }
        #expect(state.readBack == ReadBack(of: H.object) && state.session == nil)
    }

    @Test func `the last part that is accepted after the time for uncut steps is not sent again`() {
        var slice = sendingWhole()
        slice.tell(.uncutTimeReached)
        #expect(slice.holding(.partAccepted(0, nil)) == [.complete(.none)])
        slice = sending(missing: 1, canYield: false)
        slice.tell(.uncutTimeReached)
        slice.tell(.partAccepted(0, H.otherState))
        #expect(slice.settlement == .handOver(H.marked(H.otherState, 1)), "the next slice only completes it")
    }

    @Test func `a drain lets what is nearly done complete, a preemption does not`() {
        var slice = sending(missing: 1)
        slice.tell(.yieldRequested(.drain))
        #expect(slice.holding(.partAccepted(0, H.state)) == [.complete(.absent)])
        slice = sending(missing: 1)
        slice.tell(.yieldRequested(.preempt))
        slice.tell(.partAccepted(0, H.state))
        #expect(slice.settlement == .handOver(H.state))
    }

    @Test func `the end of the slice lets what is nearly done complete`() {
        var slice = sending(missing: 1)
        slice.tell(.sliceTimeReached)
        #expect(slice.holding(.partAccepted(0, H.state)) == [.complete(.absent)])
    }

    @Test func `a slice that is over before its first part still carries one`() {
        var slice = H(H.baton(slice: 1, state: H.state), rules: SliceRules(parts: 2))
        slice.begin()
        slice.tell(.sliceTimeReached)
        slice.holding(.probed(.partial(H.state, beside: nil)))
        slice.holding(.sourceClaimed)
        slice.holding(.opened(SessionFacts(state: H.state, partCount: 9, missingCount: 9, bytesMissing: 9)))
        #expect(slice.actions == [.sendPart(0), .sendPart(1)])
        slice.tell(.partAccepted(0, H.state))
        slice.tell(.partAccepted(1, H.state))
        #expect(slice.settlement == .handOver(H.marked(H.state, 9)))
    }

    @Test(arguments: [(former: Int64(9), isAttempt: true), (8, true), (10, false)])
    func `a slice after one that used up its time must find that the destination has kept something`(
        former: Int64, isAttempt: Bool
    ) {
        var slice = H(H.baton(slice: 2, state: H.marked(H.state, former)))
        slice.resume(partCount: 9, missing: 9)
        #expect((slice.wait?.reason == "retry") == isAttempt)
        #expect((slice.actions.first == .sendPart(0)) == !isAttempt)
        if isAttempt { #expect(slice.wait?.state == H.state, "the next slice has all its time again") }
    }

    @Test func `what was not begun is handed over as it came`() {
        var slice = H(H.baton())
        slice.tell(.yieldRequested(.drain))
        slice.holding(.begun)
        #expect(slice.settlement == .handOver(nil))
        #expect(!slice.machine.hasStarted)
        slice = H(H.baton(slice: 3, state: H.state))
        slice.begin()
        slice.tell(.yieldRequested(.drain))
        slice.holding(.probed(.nothing))
        #expect(slice.settlement == .handOver(H.state))
    }

    @Test func `a session that is being opened is waited for and handed over`() {
        var slice = H(H.baton())
        slice.begin()
        slice.holding(.sourceClaimed)
        #expect(slice.tell(.yieldRequested(.drain)) == [.withdrawTurns])
        slice.holding(.opened(SessionFacts(state: H.state, partCount: 1, missingCount: 1, bytesMissing: 1)))
        #expect(slice.settlement == .handOver(H.state))
    }

    @Test func `an uncut step that takes too long is cut, looked for, and fails with a remedy`() {
        var slice = sendingWhole()
        #expect(slice.tell(.uncutTimeReached) == [.cancelRequests])
        #expect(slice.holding(.partFailed(0, H.error(.cancelled))) == [.probe(nil)])
        slice.tell(.probed(.nothing))
        #expect(slice.failure?.code == .interrupted)
        #expect(slice.failure?.message.contains("use a destination that takes parts") == true)
    }

    @Test func `what goes up in one piece and would take too long fails before its time is over, with a remedy`() {
        var slice = sendingWhole()
        #expect(slice.tell(.uncutTimeTooShort(bytesDone: 1, seconds: 10)) == [.cancelRequests])
        #expect(slice.holding(.partFailed(0, H.error(.cancelled))) == [.probe(nil)])
        slice.tell(.probed(.nothing))
        #expect(slice.failure?.code == .interrupted && slice.failure?.retry == .never)
        #expect(slice.failure?.message.contains("consumerTimeout") == true, "\(slice.failure?.message ?? "")")
        var resumable = sending(missing: 1)
        #expect(resumable.tell(.uncutTimeTooShort(bytesDone: 1, seconds: 10)).isEmpty, "what has a session hands over")
    }

    @Test func `a completing call that takes too long is cut, looked for, and tried again`() {
        var slice = sending(missing: 0)
        #expect(slice.tell(.uncutTimeReached) == [.cancelRequests])
        #expect(slice.holding(.failed(H.error(.cancelled))) == [.probe(H.state)])
        slice.tell(.probed(.partial(H.state, beside: nil)))
        #expect(slice.wait?.reason == "retry")
        #expect(slice.wait?.state == H.state)
    }

    @Test(arguments: [
        (BatonValidity.superseded, Settlement.superseded), (.disconnected, .abandoned),
    ])
    func `a lost baton stops at once and touches nothing`(validity: BatonValidity, settlement: Settlement) {
        var slice = sending()
        #expect(slice.tell(.lost(validity)) == [.settle(settlement)])
        #expect(slice.tell(.partAccepted(0, H.state)) == [])
        slice = H(H.baton(slice: 1, state: H.state))
        slice.begin()
        #expect(slice.tell(.probed(.complete(H.done))) == [.checkValidity])
        #expect(slice.tell(.validity(validity)) == [.settle(settlement)])
    }

    @Test func `a paused job stops at the next part boundary and waits an hour at a time`() {
        var slice = sending()
        #expect(slice.tell(.lost(.paused)) == [.withdrawTurns])
        slice.tell(.partAccepted(0, H.state))
        slice.tell(.partAccepted(1, H.state))
        #expect(slice.settlement == .wait(until: H.start + 3600, reason: .paused, state: H.state))
    }

    @Test func `a fresh paused job waits without touching anything`() {
        var slice = H(H.baton())
        slice.tell(.begun)
        slice.tell(.validity(.paused))
        #expect(slice.settlement == .wait(until: H.start + 3600, reason: .paused, state: nil))
    }

    @Test func `a paused job that was held before is probed first, and then waits`() {
        var slice = H(H.baton(slice: 1, state: H.state))
        slice.tell(.begun)
        #expect(slice.tell(.validity(.paused)) == [.findDestination])
        slice.tell(.destinationFound(DestinationFacts(driver: "directory", canYield: true)))
        #expect(slice.tell(.validity(.paused)) == [.probe(H.state)])
        slice.tell(.probed(.partial(H.otherState, beside: nil)))
        #expect(slice.settlement == .wait(until: H.start + 3600, reason: .paused, state: H.otherState))
    }

    @Test func `a paused job that turns out to be done is completed`() {
        var slice = H(H.baton(slice: 1))
        slice.tell(.begun)
        slice.tell(.validity(.paused))
        slice.tell(.destinationFound(DestinationFacts(driver: "directory", canYield: true)))
        slice.tell(.validity(.paused))
        slice.tell(.probed(.complete(H.done)))
        #expect(slice.outcome == .completed(H.object, response: nil))
    }

    @Test func `a paused job that cannot be asked for, or has no destination now, waits on as paused`() {
        var slice = H(H.baton(slice: 1, state: H.state))
        slice.tell(.begun)
        slice.tell(.validity(.paused))
        slice.tell(.destinationFound(DestinationFacts(driver: "directory", canYield: true)))
        slice.tell(.validity(.paused))
        slice.tell(.failed(H.error(.networkFailure)))
        #expect(slice.wait?.reason == "paused")
        slice = H(H.baton(slice: 1, state: H.state))
        slice.tell(.begun)
        slice.tell(.validity(.paused))
        slice.tell(.destinationUnknown)
        #expect(slice.wait?.reason == "paused")
    }
}
