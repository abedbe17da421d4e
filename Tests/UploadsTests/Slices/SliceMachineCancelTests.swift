import Foundation
import Testing

@testable import Uploads

@Suite struct SliceMachineCancelTests {
    typealias H = SliceHarness

    func cancel(state: UploadState? = nil, source: SourceReference = .staged(area: "a1", name: "n1")) -> H {
        var slice = H(H.baton(H.job(source: source), generation: 2, state: state, isCancel: true))
        slice.begin()
        return slice
    }

    @Test func `cancelling takes the lock, removes the session, looks, removes the copy, and ends`() {
        var slice = cancel(state: H.state)
        #expect(slice.actions == [.claimSource])
        #expect(slice.holding(.sourceClaimed) == [.discard(H.state)])
        #expect(slice.holding(.discarded) == [.probe(nil)])
        #expect(slice.holding(.probed(.nothing)) == [.removeStagedCopy])
        slice.tell(.stagedCopyRemoved)
        #expect(slice.outcome == .cancelled)
    }

    @Test func `cancelling what is done completes it`() {
        var slice = cancel()
        slice.holding(.sourceClaimed)
        slice.holding(.probed(.complete(H.done)))
        #expect(slice.outcome == .completed(H.object, response: nil))
    }

    @Test func `cancelling waits for the lock`() {
        var slice = cancel(state: H.state)
        slice.tell(.sourceBusy)
        #expect(slice.settlement == .wait(until: H.start + 10, reason: .locked, state: H.state))
    }

    @Test func `cancelling a job whose copy is gone looks what is there`() {
        var slice = cancel()
        #expect(slice.holding(.sourceGone) == [.probe(nil)])
        slice.holding(.probed(.nothing))
        #expect(slice.outcome == .cancelled)
    }

    @Test func `cancelling without a lock waits until every worker must have heard`() {
        var slice = cancel(source: .inline(Data("x".utf8)))
        #expect(
            slice.settlement
                == .wait(until: H.start + SliceRules().cancelSettleDelay, reason: .cancelling, state: nil))
        var baton = H.baton(H.job(source: .inline(Data("x".utf8))), generation: 2, slice: 1, isCancel: true)
        baton.idleWaits = 1
        slice = H(baton)
        #expect(slice.begin() == [.probe(nil)])
        slice.holding(.probed(.nothing))
        #expect(slice.outcome == .cancelled)
    }

    @Test func `cancelling a copy that cannot be locked waits as well`() {
        var slice = cancel(state: H.state)
        slice.tell(.sourceUnlocked)
        #expect(
            slice.settlement
                == .wait(until: H.start + SliceRules().cancelSettleDelay, reason: .cancelling, state: H.state))
        var baton = H.baton(generation: 2, slice: 1, state: H.state, isCancel: true)
        baton.idleWaits = 1
        slice = H(baton)
        #expect(slice.begin() == [.claimSource])
        #expect(slice.holding(.sourceUnlocked) == [.discard(H.state)])
        slice.holding(.discarded)
        #expect(slice.holding(.probed(.nothing)) == [.removeStagedCopy])
    }

    @Test func `cancelling removes a session that only the destination knows`() {
        var slice = cancel()
        slice.holding(.sourceClaimed)
        #expect(slice.holding(.probed(.partial(H.otherState, beside: nil))) == [.discard(H.otherState)])
        #expect(slice.holding(.discarded) == [.removeStagedCopy])
    }

    @Test func `what may not be seen keeps no job from being cancelled`() {
        var slice = cancel(state: H.state)
        slice.holding(.sourceClaimed)
        slice.holding(.discarded)
        let denied = UploadError(.accessDenied, "it may not be read", retry: .never)
        #expect(slice.holding(.failed(denied)) == [.removeStagedCopy])
        slice.tell(.stagedCopyRemoved)
        #expect(slice.outcome == .cancelled)
    }

    private func removal() -> H {
        var baton = H.baton(generation: 2, isCancel: true)
        baton.onlyRemovesCopy = true
        var slice = H(baton)
        slice.tell(.begun)
        return slice
    }

    @Test func `where the ledger has ended the round, only the copy goes: no start is told, no destination asked`() {
        var slice = removal()
        #expect(slice.tell(.validity(.paused)) == [.claimSource])
        #expect(slice.holding(.sourceClaimed) == [.removeStagedCopy])
        slice.tell(.stagedCopyRemoved)
        #expect(slice.outcome == .cancelled)
        // It must not remove the copy of the next round.
        slice = removal()
        slice.tell(.validity(.holds))
        slice.tell(.sourceClaimed)
        #expect(slice.tell(.validity(.superseded)) == [.settle(.superseded)])
    }

    @Test(arguments: [SliceFact.sourceBusy, .sourceAreaUnknown("a1"), .sourceGone])
    func `a copy that cannot be removed now is tried again, and one that is gone is done`(answer: SliceFact) {
        var slice = removal()
        slice.tell(.validity(.holds))
        slice.tell(answer)
        #expect((slice.outcome == .cancelled) == (answer == .sourceGone))
        #expect((slice.wait == nil) == (answer == .sourceGone))
    }

    @Test func `cancelling obeys no pause`() {
        var slice = H(H.baton(generation: 2, isCancel: true))
        slice.tell(.begun)
        slice.tell(.validity(.paused))
        slice.tell(.toldStarted)
        slice.tell(.destinationFound(DestinationFacts(driver: "directory", canYield: true)))
        slice.tell(.lost(.paused))
        slice.tell(.sourceClaimed)
        #expect(slice.tell(.validity(.paused)) == [.probe(nil)])
    }

    @Test func `another job's object is left alone and the job ends cancelled`() {
        var slice = cancel()
        slice.holding(.sourceClaimed)
        slice.holding(.probed(.other(H.object, isNewer: true)))
        slice.holding(.stagedCopyRemoved)
        #expect(slice.outcome == .cancelled)
    }

    @Test func `cancelling has tries of its own when the job used up its attempts`() {
        var baton = H.baton(generation: 2, isCancel: true)
        baton.attempts = 9
        var slice = H(baton)
        slice.begin()
        slice.holding(.sourceClaimed)
        slice.tell(.failed(H.error(.networkFailure)))
        #expect(slice.wait?.reason == "retry")
    }

    @Test func `a session that cannot be removed for good does not keep the job from ending`() {
        var slice = cancel(state: H.state)
        slice.holding(.sourceClaimed)
        #expect(slice.holding(.failed(H.error(.accessDenied))) == [.probe(H.state)])
    }

    @Test func `a session that cannot be removed now is tried again`() {
        var slice = cancel(state: H.state)
        slice.holding(.sourceClaimed)
        slice.holding(.failed(H.error(.networkFailure)))
        #expect(slice.wait?.state == H.state)
    }

    @Test func `a cancel that loses its baton touches nothing`() {
        var slice = cancel(state: H.state)
        slice.tell(.sourceClaimed)
        #expect(slice.tell(.validity(.superseded)) == [.settle(.superseded)])
    }
}
