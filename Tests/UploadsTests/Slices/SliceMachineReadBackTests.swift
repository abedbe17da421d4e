import Foundation
import Testing

@testable import Uploads

@Suite struct SliceMachineReadBackTests {
    typealias H = SliceHarness

    static let broken = H.error(.checksumMismatch)

    static func job(_ ifExists: IfExists = .replace) -> UploadJob {
        var job = H.job()
        job.verify = true
        job.ifExists = ifExists
        return job
    }

    static func reached(_ bytes: Int64, of object: StoredObject = H.object, isBroken: Bool = false) -> ReadBack {
        var readBack = ReadBack(of: object, isBroken: isBroken)
        readBack.bytes = bytes
        readBack.checksum = "00000000000000aa"
        return readBack
    }

    /// The state that a baton carries of an object that was made: no session, only how far it was read back.
    static func state(_ readBack: ReadBack) -> UploadState {
        UploadState(driver: "directory", payload: [:], readBack: readBack)
    }

    /// Runs the first slice up to its reading back.
    func reading(_ ifExists: IfExists = .replace) -> H {
        var slice = H(H.baton(Self.job(ifExists), slice: 1, state: H.state))
        slice.resume(partCount: 1, missing: 1)
        slice.holding(.partAccepted(0, H.state))
        #expect(slice.holding(.completed(H.done)) == [.readBack(ReadBack(of: H.object))])
        return slice
    }

    /// Runs a slice that is given a state up to what follows the probe.
    func next(
        _ readBack: ReadBack, sees answer: ProbeAnswer, _ ifExists: IfExists = .replace,
        source: SliceFact? = .sourceClaimed
    )
        -> H
    {
        var slice = H(H.baton(Self.job(ifExists), slice: 2, state: Self.state(readBack)))
        slice.begin()
        slice.holding(.probed(answer))
        if let source, slice.actions == [.claimSource] { slice.holding(source) }
        return slice
    }

    @Test func `an object that matches completes the upload, and says that it was verified`() {
        var slice = reading()
        #expect(slice.tell(.readBackReached(Self.reached(100))) == [])
        slice.holding(.readBackMatched)
        var verified = H.object
        verified.verified = .readBack
        #expect(slice.outcome == .completed(verified, response: nil))
    }

    @Test func `without verification nothing is read`() {
        var slice = H(H.baton(slice: 1, state: H.state))
        slice.resume(partCount: 1, missing: 1)
        slice.holding(.partAccepted(0, H.state))
        slice.holding(.completed(H.done))
        #expect(slice.outcome == .completed(H.object, response: nil))
    }

    @Test func `an object that differs is looked at, then uploaded again over what was seen`() throws {
        var slice = reading()
        #expect(slice.holding(.failed(Self.broken)) == [.probe(nil)])
        slice.holding(.probed(.complete(H.done)))
        let wait = try #require(slice.wait)
        #expect(wait.reason == "retry")
        #expect(wait.state == Self.state(ReadBack(of: H.object, isBroken: true)))

        var again = next(ReadBack(of: H.object, isBroken: true), sees: .complete(H.done))
        #expect(again.actions == [.open(resuming: nil, condition: .unchanged(etag: "e1"))])
        again.holding(.opened(SessionFacts(state: H.otherState, partCount: 3, missingCount: 3, bytesMissing: 3)))
        // The state that is handed over with the new session still says that the object there is broken.
        var state = H.otherState
        state.readBack = ReadBack(of: H.object, isBroken: true)
        #expect(again.settlement == .handOver(state.untouched))
    }

    @Test func `an object that is gone before a block of it was read is a failed attempt`() throws {
        let slice = next(ReadBack(of: H.object), sees: .nothing)
        let wait = try #require(slice.wait)
        #expect(wait.reason == "retry")
        #expect(wait.state == nil, "the next attempt begins anew")
    }

    @Test(arguments: [IfExists.skip, .fail])
    func `its own broken object is replaced also by a job that replaces nothing`(ifExists: IfExists) {
        let again = next(ReadBack(of: H.object, isBroken: true), sees: .complete(H.done), ifExists)
        #expect(again.actions == [.open(resuming: nil, condition: .unchanged(etag: "e1"))])
    }

    @Test func `a broken object beside the new session is no success`() {
        var baton = H.baton(Self.job(), slice: 3, state: H.otherState)
        baton.state?.readBack = ReadBack(of: H.object, isBroken: true)
        var slice = H(baton)
        slice.begin()
        slice.holding(.probed(.complete(H.done)))
        slice.holding(.sourceClaimed)
        #expect(slice.actions == [.open(resuming: H.otherState, condition: .unchanged(etag: "e1"))])
    }

    @Test func `a destination that stays broken fails the job when its attempts are used up`() {
        var baton = H.baton(Self.job(), slice: 1, state: H.state)
        baton.attempts = 9
        var slice = H(baton)
        slice.resume(partCount: 1, missing: 1)
        slice.holding(.partAccepted(0, H.state))
        slice.holding(.completed(H.done))
        slice.holding(.failed(Self.broken))
        slice.holding(.probed(.complete(H.done)))
        #expect(slice.failure?.code == .checksumMismatch)
    }

    @Test(arguments: [SliceFact.yieldRequested(.drain), .yieldRequested(.preempt), .lost(.stopped), .graceUsedUp])
    func `reading stops at once and goes on elsewhere`(fact: SliceFact) {
        var slice = reading()
        slice.tell(.readBackReached(Self.reached(50)))
        slice.tell(fact)
        #expect(slice.settlement == .handOver(Self.state(Self.reached(50))))
        let other = next(Self.reached(50), sees: .complete(H.done))
        #expect(other.actions == [.readBack(Self.reached(50))])
    }

    @Test func `a pause is obeyed while reading`() throws {
        var slice = reading()
        slice.tell(.lost(.paused))
        let wait = try #require(slice.wait)
        #expect(wait.reason == "paused" && wait.seconds == 3600)
        #expect(wait.state?.readBack == ReadBack(of: H.object))
    }

    @Test func `however short the slice, it compares something`() {
        var slice = reading()
        #expect(slice.tell(.sliceTimeReached) == [])
        slice.tell(.readBackReached(Self.reached(50)))
        #expect(slice.settlement == .handOver(Self.state(Self.reached(50))))
    }

    @Test func `a failure to read is an attempt, and keeps what was compared`() throws {
        var slice = reading()
        slice.tell(.readBackReached(Self.reached(50)))
        slice.holding(.failed(H.error(.networkFailure)))
        let wait = try #require(slice.wait)
        #expect(wait.reason == "retry" && wait.state == Self.state(Self.reached(50)))
    }

    @Test func `what was refused for good fails the job, and another round reads on`() {
        var slice = reading()
        slice.holding(.failed(H.error(.accessDenied)))
        #expect(slice.outcome == .failed(H.error(.accessDenied), state: Self.state(ReadBack(of: H.object))))
    }

    @Test func `an object that was written again in the meantime is read from its beginning, after a failed attempt`() {
        let newer = StoredObject(location: "/archive/cat.jpg", etag: "e2", size: 100)
        let slice = next(Self.reached(50), sees: .complete(CompletedUpload(newer)))
        #expect(slice.wait?.reason == "retry" && slice.wait?.state == nil)
        var again = H(H.baton(Self.job(), slice: 3))
        again.begin()
        again.holding(.probed(.complete(CompletedUpload(newer))))
        #expect(again.holding(.sourceClaimed) == [.readBack(ReadBack(of: newer))])
    }

    @Test func `an object of which nothing was read yet may be described in other words`() {
        let newer = StoredObject(location: "/archive/cat.jpg", etag: "e2", size: 100)
        let slice = next(Self.reached(0), sees: .complete(CompletedUpload(newer)))
        #expect(slice.actions == [.readBack(ReadBack(of: newer))])
    }

    @Test func `an object that keeps changing under the reader is uploaded again`() throws {
        var slice = reading()
        for version in 2...4 {
            let object = StoredObject(location: "/archive/cat.jpg", etag: "e\(version)", size: 100)
            slice.holding(.failed(Self.broken))
            #expect(slice.holding(.probed(.complete(CompletedUpload(object)))) == [.readBack(ReadBack(of: object))])
        }
        slice.holding(.failed(Self.broken))
        slice.holding(.probed(.complete(CompletedUpload(StoredObject(location: "/", etag: "e5", size: 100)))))
        #expect(try #require(slice.wait).state?.readBack?.isBroken == true)
    }

    @Test func `a newer job's object in its place ends the upload as overtaken`() {
        var slice = reading()
        slice.holding(.failed(Self.broken))
        slice.holding(.probed(.other(H.object, isNewer: true)))
        guard case .completed(let object, _)? = slice.outcome else {
            Issue.record("\(slice.actions)")
            return
        }
        #expect(object.isOvertaken && object.verified == nil)
    }

    @Test(arguments: [ProbeAnswer.nothing, .other(StoredObject(location: "/x", etag: "e9"), isNewer: false)])
    func `an object that is gone or replaced is uploaded again`(answer: ProbeAnswer) throws {
        var slice = reading()
        slice.holding(.failed(H.error(.destinationNotFound)))
        slice.holding(.probed(answer))
        let wait = try #require(slice.wait)
        #expect(wait.reason == "retry" && wait.state == nil)
    }

    @Test func `where the destination cannot be asked, an object that was begun to be read is read on`() {
        #expect(next(Self.reached(50), sees: .unknowable).actions == [.readBack(Self.reached(50))])
        let anonymous = StoredObject(location: "/archive/cat.jpg", size: 100)
        #expect(
            next(Self.reached(50), sees: .other(anonymous, isNewer: false)).actions == [.readBack(Self.reached(50))])
        let broken = next(ReadBack(of: H.object, isBroken: true), sees: .unknowable)
        #expect(broken.actions == [.open(resuming: nil, condition: .none)])
    }

    @Test(arguments: [SliceFact.sourceGone, .failed(H.error(.sourceChanged))])
    func `without its source the object's digests are compared`(source: SliceFact) {
        #expect(
            next(Self.reached(50), sees: .complete(H.done), source: source).actions == [.readBack(Self.reached(50))])
    }

    @Test func `a job that ran out of time while it was read back is still verified`() {
        var job = Self.job()
        job.expiresAt = H.start - 1
        var slice = H(H.baton(job, slice: 2, state: Self.state(Self.reached(50))))
        slice.begin()
        slice.holding(.probed(.complete(H.done)))
        #expect(slice.holding(.sourceClaimed) == [.readBack(Self.reached(50))])
    }

    @Test func `a cancelled job is not read back, and a broken object is no completion`() {
        var slice = H(H.baton(Self.job(), generation: 2, slice: 2, state: Self.state(Self.reached(50)), isCancel: true))
        slice.begin()
        slice.holding(.sourceClaimed)
        slice.holding(.probed(.complete(H.done)))
        #expect(slice.outcome == .completed(H.object, response: nil))

        let state = Self.state(ReadBack(of: H.object, isBroken: true))
        var broken = H(H.baton(Self.job(), generation: 2, slice: 2, state: state, isCancel: true))
        broken.begin()
        broken.holding(.sourceClaimed)
        broken.holding(.probed(.complete(H.done)))
        broken.holding(.stagedCopyRemoved)
        #expect(broken.outcome == .cancelled)
    }

    @Test func `what cannot be read back is refused before anything is sent`() {
        var slice = H(H.baton(Self.job()))
        slice.holding(.begun)
        slice.holding(
            .destinationFound(
                DestinationFacts(driver: "http", canYield: false, readBackProblem: H.error(.rejected))))
        #expect(slice.failure?.code == .rejected)
    }

    @Test func `the state survives the wire`() throws {
        let state = Self.state(Self.reached(50))
        let decoded = try WireJSON.decode(UploadState.self, from: WireJSON.encode(state))
        #expect(decoded == state && decoded.session == nil)
    }

    // MARK: A destination that answers that it has stored other bytes

    static let stored = UploadError(
        .checksumMismatch, "it stored something else", response: ServerResponse(status: 200))

    @Test func `a completing call that tells another checksum is no success, whatever a probe finds`() throws {
        var slice = H(H.baton(slice: 1, state: H.state))
        slice.resume(partCount: 2, missing: 0)
        #expect(slice.actions == [.complete(.absent)])
        #expect(slice.holding(.failed(Self.stored)) == [.probe(H.state)])
        #expect(slice.holding(.probed(.complete(H.done))) == [.discard(H.state)])
        slice.holding(.discarded)
        let state = try #require(slice.wait?.state)
        #expect(state == Self.state(ReadBack(of: H.object, isBroken: true)))

        var again = H(H.baton(slice: 2, state: state))
        again.begin()
        again.holding(.probed(.complete(H.done)))
        #expect(again.holding(.sourceClaimed) == [.open(resuming: nil, condition: .unchanged(etag: "e1"))])
    }

    @Test func `a part that is the object and is told with another checksum is not sent again at once`() throws {
        var slice = H(H.baton())
        slice.begin(canYield: false)
        slice.holding(.sourceClaimed)
        slice.holding(.opened(SessionFacts(state: nil, partCount: 1, missingCount: 1, bytesMissing: 1)))
        slice.tell(.partFailed(0, Self.stored))
        slice.tell(.validity(.holds))
        #expect(slice.actions == [.probe(nil)])
        slice.holding(.failed(H.error(.networkFailure)))
        // The probe failed, so an object that is found there later does not count as a success.
        let state = try #require(slice.wait?.state)
        var again = H(H.baton(slice: 1, state: state))
        again.begin(canYield: false)
        again.holding(.probed(.complete(H.done)))
        #expect(again.holding(.sourceClaimed) == [.open(resuming: nil, condition: .unchanged(etag: "e1"))])
    }

    @Test func `what is stored otherwise is not forgotten by a slice that is called off while it waits to look`() throws
    {
        var slice = H(H.baton(slice: 1, state: H.state))
        slice.resume(partCount: 2, missing: 0)
        #expect(slice.holding(.failed(Self.stored)) == [.probe(H.state)])
        #expect(slice.tell(.yieldRequested(.drain)) == [.withdrawTurns])
        #expect(slice.holding(.turnWithdrawn) == [.discard(H.state)])
        slice.holding(.discarded)
        var again = H(H.baton(slice: 2, state: try #require(slice.wait?.state)))
        again.begin()
        again.holding(.probed(.complete(H.done)))
        #expect(again.holding(.sourceClaimed) == [.open(resuming: nil, condition: .unchanged(etag: "e1"))])
    }

    @Test func `a destination that always tells another checksum fails the job`() {
        var baton = H.baton(slice: 1, state: H.state)
        baton.attempts = 9
        var slice = H(baton)
        slice.resume(partCount: 2, missing: 0)
        slice.holding(.failed(Self.stored))
        slice.holding(.probed(.complete(H.done)))
        slice.holding(.discarded)
        #expect(slice.failure?.code == .checksumMismatch)
    }
}
