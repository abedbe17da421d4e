import Foundation
import Testing

@testable import Uploads

/// A session that the slice before has opened without doing anything else.
struct SliceMachineUntouchedTests {
    private typealias H = SliceHarness

    private func untouched(slice: Int = 1, generation: Int = 1) -> Baton {
        var baton = H.baton(slice: slice, state: H.state.untouched)
        baton.generation = generation
        return baton
    }

    @Test func `the slice that opens it says so`() {
        var slice = H(H.baton())
        slice.begin()
        slice.holding(.sourceClaimed)
        slice.holding(
            .opened(SessionFacts(state: H.state, partCount: 3, missingCount: 3, bytesMissing: 3)))
        #expect(slice.settlement == .handOver(H.state.untouched))
    }

    @Test func `the next one tells the driver, once`() {
        var slice = H(untouched())
        #expect(slice.begin() == [.probe(H.state.untouched)])
        slice.holding(.probed(.partial(H.state.untouched, beside: nil)))
        #expect(slice.holding(.sourceClaimed) == [.open(resuming: H.state.untouched, condition: .absent)])
        slice.holding(.failed(H.error(.sessionExpired)))
        // After a failure the slice asks the destination.
        #expect(slice.actions == [.probe(H.state)])
    }

    @Test func `what is handed over later is not untouched`() {
        var slice = H(untouched())
        slice.begin()
        slice.holding(.probed(.partial(H.state.untouched, beside: nil)))
        slice.tell(.yieldRequested(.preempt))
        slice.holding(.sourceClaimed)
        #expect(slice.settlement == .handOver(H.state))
        var paused = H(untouched())
        paused.begin()
        paused.holding(.probed(.partial(H.state.untouched, beside: nil)))
        paused.holding(.failed(H.error(.networkFailure)))
        #expect(paused.wait?.state == H.state)
    }

    /// Credentials that may not look: an upload that was begun under the condition that nothing lies there is completed
    /// without it.
    @Test(arguments: [IfExists.replace, .fail])
    func `what cannot be seen is replaced, and never kept from being`(ifExists: IfExists) {
        var baton = untouched()
        baton.job.ifExists = ifExists
        var slice = H(baton)
        slice.begin()
        slice.holding(.probed(.partial(H.state.untouched, beside: nil)))
        slice.holding(.sourceClaimed)
        slice.holding(.opened(SessionFacts(state: H.state, partCount: 2, missingCount: 0, bytesMissing: 0)))
        #expect(slice.actions == [.complete(.absent)])
        slice.holding(.failed(H.error(.preconditionFailed)))
        slice.holding(.probed(.unknowable))
        if ifExists == .replace {
            #expect(slice.actions == [.complete(.none)])
        } else {
            // Its session is removed first.
            #expect(slice.actions == [.discard(H.state)])
            slice.holding(.discarded)
            #expect(slice.failure?.code == .preconditionFailed)
        }
    }

    /// The destination has the job's object, and nothing proves its bytes.
    @Test func `an unproved object is sent again where that is possible, and is the job's own everywhere else`() {
        var unproved = H.done
        unproved.isUnproved = true
        var held = H(H.baton(slice: 1))
        held.begin()
        #expect(held.holding(.probed(.complete(unproved))) == [.claimSource])
        #expect(held.holding(.sourceClaimed) == [.open(resuming: nil, condition: .unchanged(etag: "e1"))])
        var gone = H(H.baton(slice: 1))
        gone.begin()
        gone.holding(.probed(.complete(unproved)))
        gone.holding(.sourceGone)
        gone.holding(.probed(.complete(unproved)))
        #expect(gone.outcome == .completed(H.object, response: nil))
        var cancelled = H(H.baton(slice: 1, isCancel: true))
        cancelled.begin()
        cancelled.holding(.sourceClaimed)
        cancelled.holding(.probed(.complete(unproved)))
        #expect(cancelled.outcome == .completed(H.object, response: nil))
    }

    /// The destination has the job's object without its lock.
    @Test func `an object with a flaw is no success, and a cancelled job leaves it`() {
        var flawed = H.done
        flawed.flaw = H.error(.rejected, retry: .never)
        var held = H(H.baton(slice: 1))
        held.begin()
        held.holding(.probed(.complete(flawed)))
        #expect(held.failure?.code == .rejected)
        var cancelled = H(H.baton(slice: 1, isCancel: true))
        cancelled.begin()
        cancelled.holding(.sourceClaimed)
        cancelled.holding(.probed(.complete(flawed)))
        #expect(cancelled.actions == [.removeStagedCopy])
        cancelled.holding(.stagedCopyRemoved)
        #expect(cancelled.outcome == .cancelled)
    }

    @Test func `an issued baton may come behind a slice that was lost`() {
        var slice = H(untouched(generation: 2))
        #expect(slice.begin() == [.probe(H.state)])
    }

    @Test func `it is written where it holds, and nowhere else`() throws {
        let json = String(decoding: try WireJSON.encode(H.state), as: UTF8.self)
        #expect(!json.contains("isUntouched"))
        let written = try WireJSON.encode(H.state.untouched)
        #expect(try WireJSON.decode(UploadState.self, from: written) == H.state.untouched)
    }
}
