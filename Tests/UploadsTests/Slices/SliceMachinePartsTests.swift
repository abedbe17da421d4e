import Foundation
import Testing

@testable import Uploads

@Suite struct SliceMachinePartsTests {
    typealias H = SliceHarness

    @Test func `as many parts are sent at once as worker and destination allow`() {
        for (rules, limit, width) in [(4, Int?.none, 4), (4, 2, 2), (2, 8, 2), (4, 0, 1)] {
            var slice = H(H.baton(slice: 1, state: H.state), rules: SliceRules(parts: rules))
            slice.begin(parts: limit)
            slice.holding(.probed(.partial(H.state, beside: nil)))
            slice.holding(.sourceClaimed)
            slice.holding(.opened(SessionFacts(state: H.state, partCount: 9, missingCount: 9, bytesMissing: 9)))
            #expect(slice.actions == (0..<width).map { .sendPart($0) })
            #expect(slice.tell(.partAccepted(0, H.state)) == [.sendPart(width)])
        }
    }

    @Test func `all parts are sent once and then completed`() {
        var slice = H(H.baton(slice: 1, state: H.state))
        slice.resume(partCount: 20, missing: 17)
        var sent: [Int] = []
        var queue = slice.actions
        while !queue.isEmpty {
            guard case .sendPart(let index) = queue.removeFirst() else { break }
            sent.append(index)
            queue += slice.holding(.partAccepted(index, H.state))
        }
        #expect(sent == Array(0..<17))
        #expect(slice.actions == [.complete(.absent)])
    }

    @Test func `a part is sent again up to three times, after milliseconds`() throws {
        var slice = H(H.baton(slice: 1, state: H.state), rules: SliceRules(parts: 1))
        slice.resume(partCount: 2, missing: 1)
        for bound in SliceRules().partRetryMilliseconds {
            slice.tell(.partFailed(0, H.error(.networkFailure)))
            guard case .waitToRetry(0, let milliseconds)? = slice.actions.first else {
                Issue.record("\(slice.actions)")
                return
            }
            #expect((0...bound).contains(milliseconds))
            #expect(slice.tell(.retryDue(0)) == [.sendPart(0)])
        }
        slice.tell(.partFailed(0, H.error(.networkFailure)))
        let wait = try #require(slice.wait)
        #expect(wait.reason == "retry")
        #expect(wait.state == H.state)
        #expect((1...2).contains(wait.seconds))
    }

    @Test func `a part that waits holds its place, so that a struggling destination gets no more at once`() {
        var slice = H(H.baton(slice: 1, state: H.state), rules: SliceRules(parts: 2))
        slice.resume(partCount: 9, missing: 9)
        slice.tell(.partFailed(0, H.error(.rateLimited)))
        #expect(slice.tell(.partAccepted(1, H.state)) == [.sendPart(2)])
    }

    @Test func `a longer pause that the destination asks for is waited on the ladder`() {
        var slice = H(H.baton(slice: 1, state: H.state), rules: SliceRules(parts: 1))
        slice.resume(partCount: 2, missing: 2)
        slice.tell(.partFailed(0, H.error(.rateLimited, retry: .after(seconds: 90))))
        #expect(slice.wait?.seconds == 90)
    }

    @Test func `parts in flight may finish when another has failed for now`() {
        var slice = H(H.baton(slice: 1, state: H.state), rules: SliceRules(parts: 2))
        slice.resume(partCount: 9, missing: 9)
        #expect(slice.tell(.partFailed(0, H.error(.rateLimited, retry: .after(seconds: 90)))) == [])
        slice.tell(.partAccepted(1, H.otherState))
        #expect(slice.wait?.state == H.otherState)
    }

    @Test func `parts in flight are cancelled when another has failed for good`() {
        var slice = H(H.baton(slice: 1, state: H.state), rules: SliceRules(parts: 2))
        slice.resume(partCount: 9, missing: 9)
        #expect(slice.tell(.partFailed(0, H.error(.accessDenied))) == [.cancelRequests])
        slice.tell(.partFailed(1, H.error(.cancelled)))
        #expect(slice.outcome == .failed(H.error(.accessDenied), state: H.state))
    }

    @Test func `the last attempt that fails fails the job with its state, after a look`() {
        var baton = H.baton(slice: 1, state: H.state)
        baton.attempts = 9
        var slice = H(baton, rules: SliceRules(parts: 1))
        slice.resume(partCount: 2, missing: 1)
        for _ in 0..<2 {
            slice.tell(.partFailed(0, H.error(.networkFailure)))
            slice.tell(.retryDue(0))
        }
        #expect(slice.holding(.partFailed(0, H.error(.networkFailure))) == [.probe(H.state)])
        slice.tell(.probed(.partial(H.state, beside: nil)))
        #expect(slice.outcome == .failed(H.error(.networkFailure), state: H.state))
    }

    @Test func `a plain write whose answer was lost in the last attempt is looked for`() {
        var baton = H.baton(slice: 1)
        baton.job.retry = RetryPolicy(maxAttempts: 1)
        var slice = H(baton)
        slice.begin(canYield: false)
        slice.holding(.probed(.nothing))
        slice.holding(.sourceClaimed)
        slice.holding(.opened(SessionFacts(state: nil, partCount: 1, missingCount: 1, bytesMissing: 1)))
        for _ in 0..<2 {
            slice.tell(.partFailed(0, H.error(.networkFailure)))
            slice.tell(.retryDue(0))
        }
        slice.holding(.partFailed(0, H.error(.networkFailure)))
        slice.holding(.probed(.complete(H.done)))
        #expect(slice.outcome == .completed(H.object, response: nil))
    }

    @Test func `a retry that would come after the deadline is not made`() {
        var baton = H.baton()
        baton.job.expiresAt = H.start + 30
        var slice = H(baton)
        slice.begin()
        slice.holding(.sourceClaimed)
        slice.tell(.failed(H.error(.serverFailure, retry: .after(seconds: 60))))
        #expect(slice.failure?.code == .serverFailure)
    }

    @Test func `a checksum that does not fit empties the session and counts as an attempt`() {
        var slice = H(H.baton(slice: 1, state: H.state))
        slice.resume(partCount: 2, missing: 0)
        #expect(slice.holding(.failed(H.error(.checksumMismatch))) == [.discard(H.state)])
        slice.tell(.discarded)
        #expect(slice.wait?.reason == "retry")
        #expect(slice.wait?.state == nil)
    }

    @Test func `answers that come twice or late change nothing`() {
        var slice = H(H.baton(slice: 1, state: H.state), rules: SliceRules(parts: 2))
        slice.resume(partCount: 3, missing: 3)
        slice.tell(.partAccepted(0, H.state))
        #expect(slice.tell(.partAccepted(0, H.state)) == [])
        #expect(slice.tell(.probed(.complete(H.done))) == [])
        #expect(slice.tell(.retryDue(2)) == [])
    }
}
