import Foundation
import Testing

@testable import Uploads

@Suite struct SliceMachineProbeTests {
    typealias H = SliceHarness

    @Test(arguments: [
        H.baton(slice: 1), H.baton(generation: 2), H.baton(round: 2), H.baton(slice: 1, state: H.state),
    ])
    func `a job that a worker held before is probed before the source is opened`(baton: Baton) {
        var slice = H(baton)
        #expect(slice.begin() == [.probe(baton.state)])
        #expect(slice.holding(.probed(.nothing)) == [.claimSource])
    }

    @Test func `this job's object ends it, and an open session goes first`() {
        var slice = H(H.baton(slice: 1, state: H.state))
        slice.begin()
        #expect(slice.holding(.probed(.complete(H.done))) == [.discard(H.state)])
        slice.tell(.discarded)
        #expect(slice.outcome == .completed(H.object, response: nil))
    }

    @Test func `an end is told even if the left-over session cannot be removed`() {
        var slice = H(H.baton(slice: 1, state: H.state))
        slice.begin()
        slice.holding(.probed(.complete(H.done)))
        slice.tell(.failed(H.error(.networkFailure)))
        #expect(slice.outcome == .completed(H.object, response: nil))
    }

    @Test func `a newer job's object ends it as overtaken and is not overwritten`() {
        var slice = H(H.baton(slice: 1))
        slice.begin()
        slice.holding(.probed(.other(H.object, isNewer: true)))
        guard case .completed(let object, response: nil)? = slice.outcome else {
            Issue.record("\(slice.actions)")
            return
        }
        #expect(object.isOvertaken)
    }

    @Test(arguments: [
        (ProbeAnswer.nothing, WriteCondition.absent),
        (.other(H.object, isNewer: false), .unchanged(etag: "e1")),
        (.other(StoredObject(location: "x"), isNewer: false), .none),
        (.unknowable, .none),
        (.partial(H.state, beside: nil), .absent),
        (.partial(H.state, beside: H.object), .unchanged(etag: "e1")),
        (.partial(H.state, beside: StoredObject(location: "x")), .none),
    ])
    func `what is completed is written on the condition that was seen`(answer: ProbeAnswer, condition: WriteCondition) {
        var slice = H(H.baton(slice: 1, state: H.state))
        slice.begin()
        slice.holding(.probed(answer))
        #expect(slice.holding(.sourceClaimed) == [.open(resuming: H.state, condition: condition)])
        slice.holding(.opened(SessionFacts(state: H.state, partCount: 2, missingCount: 0, bytesMissing: 0)))
        #expect(slice.actions == [.complete(condition)])
    }

    @Test func `the session that the destination knows is gone on with`() {
        var slice = H(H.baton(slice: 1, state: H.state))
        slice.begin()
        slice.holding(.probed(.partial(H.otherState, beside: nil)))
        #expect(slice.holding(.sourceClaimed) == [.open(resuming: H.otherState, condition: .absent)])
    }

    @Test func `a probe that fails is an attempt and keeps the state`() throws {
        var slice = H(H.baton(slice: 1, state: H.state))
        slice.begin()
        slice.tell(.failed(H.error(.serverFailure)))
        let wait = try #require(slice.wait)
        #expect(wait.reason == "retry")
        #expect(wait.state == H.state)
    }

    @Test func `a failed condition is probed and the write made on what is seen now`() {
        var slice = H(H.baton(slice: 1, state: H.state))
        slice.resume(partCount: 2, missing: 0)
        #expect(slice.actions == [.complete(.absent)])
        #expect(slice.holding(.failed(H.error(.preconditionFailed))) == [.probe(H.state)])
        #expect(slice.holding(.probed(.other(H.object, isNewer: false))) == [.complete(.unchanged(etag: "e1"))])
        slice.tell(.completed(H.done))
        #expect(slice.outcome == .completed(H.object, response: nil))
    }

    @Test func `a condition that keeps failing becomes an attempt`() throws {
        var slice = H(H.baton(slice: 1, state: H.state))
        slice.resume(partCount: 2, missing: 0)
        var completions = 0
        while slice.settlement == nil {
            completions += 1
            try #require(completions < 10)
            slice.holding(.failed(H.error(.preconditionFailed)))
            slice.holding(.probed(.other(H.object, isNewer: false)))
        }
        #expect(completions == SliceRules().completionsMaximum)
        #expect(slice.wait?.reason == "retry")
        #expect(slice.wait?.state == H.state)
    }

    @Test func `what keeps changing where the part is the object becomes an attempt that says so`() {
        var slice = H(H.baton(slice: 1))
        slice.begin(canYield: false)
        slice.holding(.probed(.nothing))
        slice.holding(.sourceClaimed)
        for opening in 1...SliceRules().openingsMaximum {
            #expect(slice.settlement == nil, "\(opening)")
            slice.holding(.opened(SessionFacts(state: nil, partCount: 1, missingCount: 1, bytesMissing: 1)))
            slice.holding(.partFailed(0, H.error(.preconditionFailed)))
            let object = StoredObject(location: "/archive/cat.jpg", etag: "e\(opening)")
            slice.holding(.probed(.other(object, isNewer: false)))
        }
        guard case .wait(_, .retry(let error), state: nil)? = slice.settlement else {
            Issue.record("\(slice.actions)")
            return
        }
        #expect(error.code == .preconditionFailed && error.retry == .afterBackoff)
        #expect(error.message.contains("keeps changing"))
    }

    @Test(arguments: [true, false])
    func `a condition that is refused where nothing lies is the end, for the server takes the name for another`(
        isOnePart: Bool
    ) {
        var slice: H
        if isOnePart {
            slice = H(H.baton(slice: 1))
            slice.begin(canYield: false)
            slice.holding(.probed(.nothing))
            slice.holding(.sourceClaimed)
            for _ in 1...SliceRules().openingsMaximum {
                slice.holding(.opened(SessionFacts(state: nil, partCount: 1, missingCount: 1, bytesMissing: 1)))
                slice.holding(.partFailed(0, H.error(.preconditionFailed)))
                slice.holding(.probed(.nothing))
            }
        } else {
            slice = H(H.baton(slice: 1, state: H.state))
            slice.resume(partCount: 2, missing: 0)
            for _ in 1...SliceRules().completionsMaximum {
                slice.holding(.failed(H.error(.preconditionFailed)))
                slice.holding(.probed(.nothing))
            }
            #expect(slice.actions == [.discard(H.state)])
            slice.tell(.discarded)
        }
        #expect(slice.failure?.code == .preconditionFailed && slice.failure?.retry == .never)
        #expect(slice.failure?.message.contains("takes the name for another one") == true)
    }

    @Test func `a failed condition because a newer job came first ends as overtaken`() {
        var slice = H(H.baton(slice: 1, state: H.state))
        slice.resume(partCount: 2, missing: 0)
        slice.holding(.failed(H.error(.preconditionFailed)))
        #expect(slice.holding(.probed(.other(H.object, isNewer: true))) == [.discard(H.state)])
    }

    @Test func `an object that came beside the session is seen when the condition fails, and a newer job's is kept`() {
        var slice = H(H.baton(slice: 1, state: H.state))
        slice.begin()
        slice.holding(.probed(.partial(H.state, beside: H.object)))
        slice.holding(.sourceClaimed)
        slice.holding(.opened(SessionFacts(state: H.state, partCount: 2, missingCount: 0, bytesMissing: 0)))
        #expect(slice.actions == [.complete(.unchanged(etag: "e1"))])
        slice.holding(.failed(H.error(.preconditionFailed)))
        let replaced = StoredObject(location: "/archive/cat.jpg", etag: "e2")
        #expect(
            slice.holding(.probed(.partial(H.state, beside: replaced))) == [.complete(.unchanged(etag: "e2"))])
        slice.holding(.failed(H.error(.preconditionFailed)))
        #expect(slice.holding(.probed(.other(replaced, isNewer: true))) == [.discard(H.state)])
        slice.tell(.discarded)
        guard case .completed(let object, response: nil)? = slice.outcome else {
            Issue.record("\(slice.actions)")
            return
        }
        #expect(object.isOvertaken)
        #expect(object.etag == "e2")
    }

    @Test(arguments: [UploadError.Code.networkFailure, .serverFailure, .invalidResponse, .unknown])
    func `a lost answer to the completing call is looked for before anything is called a failure`(
        code: UploadError.Code
    ) {
        var slice = H(H.baton())
        slice.begin(canYield: false)
        slice.holding(.sourceClaimed)
        slice.holding(.opened(SessionFacts(state: nil, partCount: 1, missingCount: 0, bytesMissing: 0)))
        #expect(slice.holding(.failed(H.error(code))) == [.probe(nil)])
        slice.holding(.probed(.complete(H.done)))
        #expect(slice.outcome == .completed(H.object, response: nil))
    }

    @Test func `a completing call that did not work is an attempt and keeps the state`() {
        var slice = H(H.baton(slice: 1, state: H.state))
        slice.resume(partCount: 2, missing: 0)
        slice.holding(.failed(H.error(.serverFailure)))
        slice.holding(.probed(.partial(H.state, beside: nil)))
        #expect(slice.wait?.reason == "retry")
        #expect(slice.wait?.state == H.state)
    }

    @Test func `a session that an earlier slice handed over and that has vanished is a failed attempt without it`() {
        var slice = H(H.baton(slice: 1, state: H.state))
        slice.begin()
        slice.holding(.probed(.nothing))
        slice.holding(.sourceClaimed)
        #expect(slice.holding(.failed(H.error(.sessionExpired))) == [.probe(H.state)])
        slice.holding(.probed(.nothing))
        #expect(slice.wait?.reason == "retry")
        #expect(slice.wait?.state == nil)
    }

    @Test func `where one session has vanished another that the destination has is gone on with`() {
        var slice = H(H.baton(slice: 1, state: H.state))
        slice.resume(partCount: 2, missing: 1)
        slice.holding(.partFailed(0, H.error(.sessionExpired)))
        #expect(
            slice.holding(.probed(.partial(H.otherState, beside: nil))) == [
                .open(resuming: H.otherState, condition: .absent)
            ])
    }

    @Test func `a session that vanished because it was completed ends the job`() {
        var slice = H(H.baton(slice: 1, state: H.state))
        slice.resume(partCount: 2, missing: 1)
        #expect(slice.holding(.partFailed(0, H.error(.sessionExpired))) == [.probe(H.state)])
        slice.holding(.probed(.complete(H.done)))
        slice.holding(.discarded)
        #expect(slice.outcome == .completed(H.object, response: nil))
    }

    @Test func `sessions that keep vanishing as they are opened become an attempt without a state`() throws {
        var slice = H(H.baton(slice: 1))
        slice.begin()
        slice.holding(.probed(.nothing))
        slice.holding(.sourceClaimed)
        var openings = 0
        while slice.settlement == nil {
            openings += 1
            try #require(openings < 10)
            slice.holding(.failed(H.error(.sessionExpired)))
            slice.holding(.probed(.nothing))
        }
        #expect(openings == SliceRules().openingsMaximum)
        #expect(slice.wait?.reason == "retry")
        #expect(slice.wait?.state == nil)
    }

    @Test func `the same session that the destination still claims to have is not opened for ever`() {
        var slice = H(H.baton(slice: 1, state: H.state))
        slice.begin()
        slice.holding(.probed(.partial(H.state, beside: nil)))
        slice.holding(.sourceClaimed)
        slice.holding(.failed(H.error(.sessionExpired)))
        slice.holding(.probed(.partial(H.state, beside: nil)))
        #expect(slice.wait?.reason == "retry")
        #expect(slice.wait?.state == nil)
    }
}
