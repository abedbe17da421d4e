import Foundation
import Testing

@testable import Uploads

@Suite struct SliceMachineExistsTests {
    typealias H = SliceHarness

    static let kept: StoredObject = {
        var object = H.object
        object.isKept = true
        return object
    }()

    static func baton(_ ifExists: IfExists, slice: Int = 0, round: Int = 1, state: UploadState? = nil) -> Baton {
        var job = H.job()
        job.ifExists = ifExists
        return H.baton(job, round: round, slice: slice, state: state)
    }

    func failedBecauseItExists(_ slice: H) -> Bool {
        slice.failure?.code == .preconditionFailed && slice.failure?.retry == .never
            && slice.failure?.message.contains("already lies there") == true
    }

    @Test(arguments: [IfExists.skip, .fail])
    func `the destination is asked before the source is claimed, and nothing is written where something lies`(
        ifExists: IfExists
    ) {
        for round in 1...2 {
            for isNewer in [false, true] {
                var slice = H(Self.baton(ifExists, round: round))
                #expect(slice.begin() == [.probe(nil)])
                slice.holding(.probed(.other(H.object, isNewer: isNewer)))
                if ifExists == .skip {
                    #expect(slice.outcome == .completed(Self.kept, response: nil))
                } else {
                    #expect(failedBecauseItExists(slice))
                }
                #expect(!slice.machine.hasStarted)
            }
        }
    }

    @Test(arguments: [IfExists.skip, .fail], [ProbeAnswer.nothing, .unknowable, .partial(H.state, beside: nil)])
    func `what is written is written on the condition that nothing lies there`(
        ifExists: IfExists, answer: ProbeAnswer
    ) {
        var slice = H(Self.baton(ifExists, slice: 1, state: H.state))
        slice.begin()
        #expect(slice.holding(.probed(answer)) == [.claimSource])
        #expect(slice.holding(.sourceClaimed) == [.open(resuming: H.state, condition: .absent)])
        slice.holding(.opened(SessionFacts(state: H.state, partCount: 2, missingCount: 0, bytesMissing: 0)))
        #expect(slice.actions == [.complete(.absent)])
    }

    @Test(arguments: [IfExists.skip, .fail])
    func `a session of the job's own goes before the job ends, and one that cannot be removed stays named`(
        ifExists: IfExists
    ) {
        var slice = H(Self.baton(ifExists, slice: 1, state: H.state))
        slice.begin()
        #expect(slice.holding(.probed(.partial(H.otherState, beside: H.object))) == [.discard(H.otherState)])
        slice.tell(.failed(H.error(.accessDenied)))
        if ifExists == .skip {
            #expect(slice.outcome == .completed(Self.kept, response: nil))
        } else {
            guard case .failed(_, state: H.otherState)? = slice.outcome else {
                Issue.record("\(slice.actions)")
                return
            }
        }
    }

    @Test func `a job that goes beside what lies there looks at the next place, and nothing is written`() {
        for answer in [ProbeAnswer.other(H.object, isNewer: false), .other(H.object, isNewer: true)] {
            var slice = H(Self.baton(.rename))
            #expect(slice.begin() == [.probe(nil)])
            slice.holding(.probed(answer))
            #expect(slice.settlement == .altered(slice.machine.baton.job.renamed!))
            #expect(!slice.machine.hasStarted)
        }
    }

    @Test(arguments: [false, true])
    func `what was begun at the place that was taken goes first`(canBeRemoved: Bool) {
        var slice = H(Self.baton(.rename, slice: 1, state: H.state))
        slice.begin()
        #expect(slice.holding(.probed(.partial(H.otherState, beside: H.object))) == [.discard(H.otherState)])
        slice.tell(canBeRemoved ? .discarded : .failed(H.error(.accessDenied)))
        #expect(slice.settlement == .altered(slice.machine.baton.job.renamed!))
    }

    @Test func `when all places are taken it fails`() {
        var baton = Self.baton(.rename)
        while let next = baton.job.renamed { baton.job = next }
        var slice = H(baton)
        slice.begin()
        slice.holding(.probed(.other(H.object, isNewer: false)))
        #expect(failedBecauseItExists(slice))
    }

    @Test(arguments: [IfExists.skip, .fail, .replace, .rename])
    func `the job's own object completes it, whatever it says of others`(ifExists: IfExists) {
        var slice = H(Self.baton(ifExists, slice: 1))
        slice.begin()
        slice.holding(.probed(.complete(H.done)))
        #expect(slice.outcome == .completed(H.object, response: nil))
    }

    @Test(arguments: [IfExists.skip, .fail])
    func `what came before the completing call is asked for and kept`(ifExists: IfExists) {
        var slice = H(Self.baton(ifExists, slice: 1, state: H.state))
        slice.resume(partCount: 2, missing: 0)
        #expect(slice.holding(.failed(H.error(.preconditionFailed))) == [.probe(H.state)])
        #expect(slice.holding(.probed(.partial(H.state, beside: H.object))) == [.discard(H.state)])
        slice.tell(.discarded)
        if ifExists == .skip {
            #expect(slice.outcome == .completed(Self.kept, response: nil))
        } else {
            #expect(failedBecauseItExists(slice))
        }
    }

    @Test func `what came and went again does not keep the job from completing`() {
        var slice = H(Self.baton(.fail, slice: 1, state: H.state))
        slice.resume(partCount: 2, missing: 0)
        slice.holding(.failed(H.error(.preconditionFailed)))
        #expect(slice.holding(.probed(.partial(H.state, beside: nil))) == [.complete(.absent)])
    }

    func sendingWhole(_ ifExists: IfExists, seeing answer: ProbeAnswer) -> H {
        var slice = H(Self.baton(ifExists, slice: 1))
        slice.begin(canYield: false)
        slice.holding(.probed(answer))
        slice.holding(.sourceClaimed)
        slice.holding(.opened(SessionFacts(state: nil, partCount: 1, missingCount: 1, bytesMissing: 1)))
        return slice
    }

    @Test(arguments: [IfExists.skip, .fail])
    func `a write-only destination decides, and its refusal is the answer`(ifExists: IfExists) {
        var slice = sendingWhole(ifExists, seeing: .unknowable)
        #expect(slice.holding(.partFailed(0, H.error(.preconditionFailed))) == [.probe(nil)])
        slice.holding(.probed(.unknowable))
        if ifExists == .skip {
            guard case .completed(let object, response: nil)? = slice.outcome else {
                Issue.record("\(slice.actions)")
                return
            }
            #expect(object == StoredObject(location: "archive:cat.jpg", isKept: true))
        } else {
            #expect(failedBecauseItExists(slice))
            #expect(slice.failure?.message.contains("an attempt of this job") == true)
        }
    }

    @Test func `a plain write that is refused is made again on what is seen now`() {
        var slice = sendingWhole(.replace, seeing: .nothing)
        #expect(slice.holding(.partFailed(0, H.error(.preconditionFailed))) == [.probe(nil)])
        #expect(
            slice.holding(.probed(.other(H.object, isNewer: false)))
                == [.open(resuming: nil, condition: .unchanged(etag: "e1"))])
        #expect(
            slice.holding(.opened(SessionFacts(state: nil, partCount: 1, missingCount: 1, bytesMissing: 1))) == [
                .sendPart(0)
            ])
        #expect(slice.holding(.partAccepted(0, nil)) == [.complete(.unchanged(etag: "e1"))])
    }

    @Test func `a plain write that keeps being refused becomes an attempt`() throws {
        var slice = sendingWhole(.replace, seeing: .nothing)
        var writes = 0
        while slice.settlement == nil {
            writes += 1
            try #require(writes < 10)
            slice.holding(.partFailed(0, H.error(.preconditionFailed)))
            slice.holding(.probed(.other(H.object, isNewer: false)))
            if slice.settlement == nil {
                slice.holding(.opened(SessionFacts(state: nil, partCount: 1, missingCount: 1, bytesMissing: 1)))
            }
        }
        #expect(writes == SliceRules().openingsMaximum)
        #expect(slice.wait?.reason == "retry")
    }

    @Test func `a refused write whose probe fails is tried again: the object may be the job's own`() {
        var slice = sendingWhole(.replace, seeing: .nothing)
        slice.holding(.partFailed(0, H.error(.preconditionFailed)))
        slice.holding(.failed(H.error(.networkFailure)))
        #expect(slice.wait?.reason == "retry")

        var forbidden = sendingWhole(.replace, seeing: .nothing)
        forbidden.holding(.partFailed(0, H.error(.preconditionFailed)))
        forbidden.holding(.failed(H.error(.accessDenied)))
        #expect(forbidden.failure?.code == .preconditionFailed)
    }

    @Test func `a refusal that no condition of ours asked for fails the job`() {
        var slice = sendingWhole(.replace, seeing: .unknowable)
        slice.holding(.partFailed(0, H.error(.preconditionFailed)))
        slice.holding(.probed(.unknowable))
        #expect(slice.failure?.code == .preconditionFailed)
    }

    @Test func `a paused job decides nothing`() {
        var slice = H(Self.baton(.skip, slice: 1))
        slice.tell(.begun)
        slice.tell(.validity(.paused))
        slice.tell(.destinationFound(DestinationFacts(driver: "directory", canYield: true)))
        slice.tell(.validity(.paused))
        slice.tell(.probed(.other(H.object, isNewer: false)))
        #expect(slice.wait?.reason == "paused")
    }

    @Test func `a cancelled job leaves what it finds and is cancelled`() {
        var job = H.job()
        job.ifExists = .skip
        var slice = H(H.baton(job, generation: 2, isCancel: true))
        slice.begin()
        slice.holding(.sourceClaimed)
        slice.holding(.probed(.other(H.object, isNewer: false)))
        slice.holding(.stagedCopyRemoved)
        #expect(slice.outcome == .cancelled)
    }
}
