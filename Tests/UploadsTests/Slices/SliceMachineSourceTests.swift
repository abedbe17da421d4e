import Foundation
import Testing

@testable import Uploads

@Suite struct SliceMachineSourceTests {
    typealias H = SliceHarness

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

    @Test(arguments: [ProbeAnswer.nothing, .unknowable, .other(H.object, isNewer: false), .partial(H.state)])
    func `a vanished copy of a job that is not done fails it`(answer: ProbeAnswer) {
        var slice = H(H.baton())
        slice.begin()
        slice.holding(.sourceGone)
        slice.holding(.probed(answer))
        #expect(slice.failure?.code == .invalidFile)
        #expect(slice.failure?.message.contains("enqueue the file again") == true)
    }

    @Test(arguments: [UploadError.Code.invalidFile, .sourceChanged])
    func `a source that cannot be used fails the job with its state`(code: UploadError.Code) {
        var slice = H(H.baton(slice: 1, state: H.state))
        slice.begin()
        slice.holding(.probed(.partial(H.state)))
        slice.tell(.failed(H.error(code)))
        #expect(slice.outcome == .failed(H.error(code), state: H.state))
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

    @Test func `what stays unknown fails when the job's time runs out, with its remedy`() {
        var slice = H(H.baton())
        slice.now = H.start + 86_400
        slice.holding(.begun)
        slice.tell(.destinationUnknown)
        #expect(slice.failure?.code == .misconfigured)
        #expect(slice.failure?.message.contains("'archive'") == true)
    }

    @Test func `a wait for the unknown does not outlast the job`() {
        var baton = H.baton()
        baton.idleWaits = 20
        var slice = H(baton)
        slice.now = H.start + 86_400 - 7
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
}
