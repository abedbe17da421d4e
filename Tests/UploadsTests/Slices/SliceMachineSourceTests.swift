import Foundation
import Testing

@testable import Uploads

@Suite struct SliceMachineSourceTests {
    typealias H = SliceHarness

    @Test func `a part that is not copied yet is looked for a few times, and then waited for without a slot`() {
        var slice = H(H.baton(slice: 1, state: H.state))
        slice.resume(partCount: 2, missing: 1)
        for _ in 0..<12 {
            #expect(slice.tell(.partNotCopied(0)) == [.waitToRetry(0, milliseconds: 20)])
            #expect(slice.tell(.retryDue(0)) == [.sendPart(0)])
        }
        slice.tell(.partNotCopied(0))
        #expect(slice.settlement == .wait(until: H.start + 1, reason: .copying, state: H.state))
    }

    @Test func `the looks at one part do not count for the next`() {
        var slice = H(H.baton(slice: 1, state: H.state), rules: SliceRules(parts: 1))
        slice.resume(partCount: 3, missing: 2)
        for _ in 0..<12 {
            slice.tell(.partNotCopied(0))
            slice.tell(.retryDue(0))
        }
        #expect(slice.tell(.partAccepted(0, nil)) == [.sendPart(1)])
        #expect(slice.tell(.partNotCopied(1)) == [.waitToRetry(1, milliseconds: 20)])
    }

    @Test func `parts under way arrive before the slice waits for more of the copy`() {
        var slice = H(H.baton(slice: 1, state: H.state), rules: SliceRules(parts: 2))
        slice.resume(partCount: 3, missing: 2)
        for _ in 0..<12 {
            slice.tell(.partNotCopied(1))
            slice.tell(.retryDue(1))
        }
        slice.tell(.partNotCopied(1))
        #expect(slice.settlement == nil)
        slice.tell(.partAccepted(0, nil))
        #expect(slice.settlement == .wait(until: H.start + 1, reason: .copying, state: H.state))
    }

    /// A mark of what was missing would make the next slice believe that the destination kept nothing.
    @Test func `a slice whose time is up while the next part is not copied waits, and leaves no mark`() {
        for isLate in [false, true] {
            var slice = H(H.baton(slice: 1, state: H.state))
            slice.resume(partCount: 2, missing: 1)
            if isLate { slice.tell(.partNotCopied(0)) }
            slice.tell(.sliceTimeReached)
            if !isLate { slice.tell(.partNotCopied(0)) }
            #expect(slice.settlement == .wait(until: H.start + 1, reason: .copying, state: H.state))
        }
    }

    @Test func `a slice that stops while it looks for the next part hands over`() {
        var slice = H(H.baton(slice: 1, state: H.state))
        slice.resume(partCount: 2, missing: 1)
        slice.tell(.partNotCopied(0))
        slice.tell(.yieldRequested(.drain))
        #expect(slice.settlement == .handOver(H.state))
    }

    @Test func `the waits for a copy grow to five seconds`() {
        let rules = SliceRules()
        #expect([0, 1, 4, 8, 12, 1_000_000].map { rules.copyDelay(after: $0) } == [1, 1, 2, 4, 5, 5])
    }

    @Test func `a locked copy is waited for ten seconds at a time, and that is no attempt`() {
        var slice = H(H.baton(slice: 1, state: H.state))
        slice.begin()
        slice.holding(.probed(.nothing))
        slice.tell(.sourceBusy)
        #expect(slice.settlement == .wait(until: H.start + 10, reason: .locked, state: H.state))
    }

    @Test func `a vanished copy of a job that is done completes it`() {
        var slice = H(H.baton())
        slice.begin()
        #expect(slice.holding(.sourceGone) == [.probe(nil)])
        slice.holding(.probed(.complete(H.done)))
        #expect(slice.outcome == .completed(H.object, response: nil))
    }

    @Test(arguments: [ProbeAnswer.nothing, .unknowable, .other(H.object, isNewer: false)])
    func `a vanished copy of a job that is not done fails it`(answer: ProbeAnswer) {
        var slice = H(H.baton())
        slice.begin()
        slice.holding(.sourceGone)
        slice.holding(.probed(answer))
        #expect(slice.failure?.code == .invalidFile)
        #expect(slice.failure?.message.contains("enqueue the file again") == true)
    }

    @Test(arguments: [UploadError.Code.invalidFile, .sourceChanged, .sourceIncomplete])
    func `a source that cannot be used fails the job, and its session goes first`(code: UploadError.Code) {
        var slice = H(H.baton(slice: 1, state: H.state))
        slice.begin()
        slice.holding(.probed(.partial(H.otherState, beside: nil)))
        #expect(slice.holding(.failed(H.error(code))) == [.discard(H.otherState)])
        slice.tell(.discarded)
        #expect(slice.outcome == .failed(H.error(code), state: nil))
    }

    @Test(arguments: [UploadError.Code.invalidFile, .sourceChanged, .sourceIncomplete])
    func `a source that changes while it is sent or completed leaves no session`(code: UploadError.Code) {
        for missing in 0...1 {
            var slice = H(H.baton(slice: 1, state: H.state))
            slice.resume(partCount: 2, missing: missing)
            let failed = missing == 1 ? SliceFact.partFailed(0, H.error(code)) : .failed(H.error(code))
            #expect(slice.holding(failed) == [.discard(H.state)])
            slice.tell(.discarded)
            #expect(slice.outcome == .failed(H.error(code), state: nil))
        }
    }

    @Test func `a session that cannot be removed stays named, and other failures keep theirs`() {
        var slice = H(H.baton(slice: 1, state: H.state))
        slice.resume(partCount: 2, missing: 1)
        slice.holding(.partFailed(0, H.error(.sourceChanged)))
        slice.tell(.failed(H.error(.networkFailure)))
        #expect(slice.outcome == .failed(H.error(.sourceChanged), state: H.state))
        slice = H(H.baton(slice: 1, state: H.state))
        slice.resume(partCount: 2, missing: 1)
        slice.holding(.partFailed(0, H.error(.accessDenied)))
        #expect(slice.outcome == .failed(H.error(.accessDenied), state: H.state))
    }

    @Test func `a vanished copy leaves no session, not even one that only the destination knows`() {
        var slice = H(H.baton())
        slice.begin()
        slice.holding(.sourceGone)
        #expect(slice.holding(.probed(.partial(H.otherState, beside: nil))) == [.discard(H.otherState)])
        slice.tell(.discarded)
        #expect(slice.failure?.code == .invalidFile)
        #expect(slice.outcome == slice.failure.map { .failed($0, state: nil) })
    }

    @Test func `a staging area and a destination that are not known are waited for, longer each time`() {
        for (waits, seconds) in [(0, 5.0), (1, 10), (3, 40), (6, 320), (7, 600), (60, 600), (Int.max, 600)] {
            var baton = H.baton()
            baton.idleWaits = waits
            var slice = H(baton)
            slice.holding(.begun)
            slice.tell(.destinationUnknown)
            #expect(slice.settlement == .wait(until: H.start + seconds, reason: .unknownDestination, state: nil))
            slice = H(baton)
            slice.begin()
            slice.tell(.sourceAreaUnknown("a9"))
            #expect(slice.settlement == .wait(until: H.start + seconds, reason: .unknownStagingArea, state: nil))
        }
    }

    @Test func `what stays unknown fails when the patience runs out, with its remedy`() {
        var baton = H.baton(slice: 1)
        baton.waitingSince = H.start
        var slice = H(baton)
        slice.now = H.start + JobLifetime.patience
        slice.holding(.begun)
        slice.tell(.destinationUnknown)
        #expect(slice.failure?.code == .misconfigured)
        #expect(slice.failure?.message.contains("'archive'") == true)
    }

    @Test func `a cancel of a job whose destination no worker knows ends within minutes, and says what may be left`() {
        for (seconds, isOver) in [(299.0, false), (300, true)] {
            var baton = H.baton(generation: 2, slice: 1, isCancel: true)
            baton.waitingSince = H.start
            var slice = H(baton)
            slice.now = H.start + seconds
            slice.holding(.begun)
            if baton.isIssued { slice.tell(.toldStarted) }
            slice.tell(.destinationUnknown)
            #expect((slice.failure != nil) == isOver)
            if isOver {
                #expect(slice.failure?.code == .misconfigured)
                #expect(slice.failure?.message.contains("what it may have left there stays") == true)
            } else {
                #expect(slice.wait?.seconds == 1)
            }
        }
    }

    @Test func `a wait for the unknown does not outlast the job`() {
        var baton = H.baton()
        baton.idleWaits = 20
        baton.job.expiresAt = H.start + 107
        var slice = H(baton)
        slice.now = H.start + 100
        slice.holding(.begun)
        slice.tell(.destinationUnknown)
        #expect(slice.wait?.seconds == 7)
    }

    @Test func `a session of a driver that is no longer configured waits for it`() {
        var slice = H(H.baton(slice: 1, state: H.state))
        slice.begin(driver: "s3")
        #expect(slice.settlement == .wait(until: H.start + 5, reason: .unsupportedVersion, state: H.state))
    }

    @Test func `a reference that makes no sense for its destination fails at once`() {
        var slice = H(H.baton())
        slice.holding(.begun)
        slice.tell(.failed(H.error(.misconfigured)))
        #expect(slice.failure?.code == .misconfigured)
    }

    // MARK: Objects at destinations

    private static let origin = DestinationReference.url("https://store.example/cat.jpg")
    private static let unseen = H.job(source: .object(origin, seen: nil))
    private static let seen = unseen.examined(as: H.object, contentType: "image/jpeg")

    @Test func `an object is looked at first, and the job handed over with what was found`() {
        var slice = H(H.baton(Self.unseen))
        #expect(slice.begin() == [.examineSource])
        slice.tell(.sourceExamined(Self.seen))
        #expect(slice.settlement == .altered(Self.seen))
        #expect(Self.seen.size == 100 && Self.seen.contentType == "image/jpeg")

        var next = H(H.baton(Self.seen, slice: 1))
        #expect(next.begin() == [.probe(nil)])
        #expect(next.holding(.probed(.nothing)) == [.claimSource])
    }

    @Test func `an object that is not there fails its job, unless the job is done`() {
        var slice = H(H.baton(Self.unseen))
        slice.begin()
        slice.tell(.sourceGone)
        #expect(slice.failure?.code == .invalidFile)
        #expect(slice.failure?.message.contains("store.example/cat.jpg") == true)

        var again = H(H.baton(Self.unseen, generation: 2))
        again.begin()
        #expect(again.holding(.sourceGone) == [.probe(nil)])
        again.holding(.probed(.complete(H.done)))
        #expect(again.outcome == .completed(H.object, response: nil))
    }

    @Test func `an object at an unknown destination is waited for, and that is no attempt`() {
        for job in [Self.unseen, Self.seen] {
            var slice = H(H.baton(job, slice: job.isExamined ? 1 : 0))
            slice.begin()
            if job.isExamined { slice.holding(.probed(.nothing)) }
            slice.tell(.sourceOriginUnknown("store"))
            #expect(slice.wait?.reason == WaitReason.unknownDestination.label)
        }
    }

    @Test func `looking that fails is an attempt, and a refusal the end`() {
        var slice = H(H.baton(Self.unseen))
        slice.begin()
        slice.tell(.failed(H.error(.serverFailure)))
        #expect(slice.wait?.reason == WaitReason.retry(H.error(.serverFailure)).label)

        var refused = H(H.baton(Self.unseen))
        refused.begin()
        refused.tell(.failed(H.error(.accessDenied, retry: .never)))
        #expect(refused.failure?.code == .accessDenied)
    }

    @Test func `a paused or cancelled job looks at no object`() {
        var paused = H(H.baton(Self.unseen))
        paused.tell(.begun)
        paused.tell(.validity(.paused))
        #expect(paused.wait?.reason == WaitReason.paused.label)

        var cancelled = H(H.baton(Self.unseen, isCancel: true))
        #expect(cancelled.begin() != [.examineSource])
    }
}
