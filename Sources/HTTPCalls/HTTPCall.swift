package import Foundation
package import NIOCore
package import NIOHTTP1
import Synchronization
import Uploads

/// One request over a kept connection. The server, the connection or a caller that stops waiting can end it; the first end counts.
package final class HTTPCall: Sendable {
    package typealias Outcome = Result<Answer, any Error>

    package struct Answer: Sendable {
        package var status: Int
        package var headers: HTTPHeaders
        /// At most as many bytes as the limits keep.
        package var body = Data()
        /// Whether the body is complete and kept as a whole.
        package var isWhole = false
    }

    package enum Body: Sendable {
        case bytes(ByteBuffer)
        case file(HTTPFileBody)

        /// Bytes.
        package var size: Int64 {
            switch self {
            case .bytes(let bytes): Int64(bytes.readableBytes)
            case .file(let body): Int64(body.file.range.count)
            }
        }
    }

    package struct Limits: Sendable {
        /// The most bytes of the answer's body that are kept.
        let keptBytes: Int
        /// The most bytes of the answer's body that are read. After more the connection is closed.
        let readBytes: Int
        /// Bytes a second that the answer has to bring on average.
        let bytesPerSecondMinimum: Int

        package init(keptBytes: Int, readBytes: Int, bytesPerSecondMinimum: Int = 0) {
            self.keptBytes = keptBytes
            self.readBytes = max(readBytes, keptBytes)
            self.bytesPerSecondMinimum = bytesPerSecondMinimum
        }
    }

    private struct State {
        var waiter: CheckedContinuation<Outcome, Never>?
        var outcome: Outcome?
        /// The connection's channel.
        var channel: (any Channel)?
        var lastMove = ContinuousClock.now
        var isSent = false
        /// The answer as far as it has come, from its head on. From then on it is the answer, even if the body is lost.
        var answer: Answer?
        var answeredAt: ContinuousClock.Instant?
        /// Bytes of the answer's body that have come.
        var bodyBytes = 0
        var slowness: SlowAnswer?
    }

    let head: HTTPRequestHead
    let body: Body
    /// Whether the server may get the request twice: then a connection that it had closed before does not end the call.
    let mayBeRepeated: Bool
    private let limits: Limits
    private let state = Mutex(State())

    package init(_ head: HTTPRequestHead, body: Body, _ limits: Limits, mayBeRepeated: Bool) {
        self.head = head
        self.body = body
        self.mayBeRepeated = mayBeRepeated
        self.limits = limits
    }

    var isFromFile: Bool { if case .file = body { true } else { false } }
    var isOver: Bool { state.withLock { $0.outcome != nil } }
    /// When bytes were last sent or received, and whether the whole request is sent.
    package var movement: (last: ContinuousClock.Instant, isSent: Bool) {
        state.withLock { ($0.lastMove, $0.isSent) }
    }

    /// When the answer's status came.
    package var answeredAt: ContinuousClock.Instant? { state.withLock { $0.answeredAt } }

    /// - Returns: false when no caller waits for the answer any more.
    func begin(over channel: any Channel) -> Bool {
        state.withLock { state in
            guard state.outcome == nil else { return false }
            state.channel = channel
            state.isSent = false
            state.answer = nil
            state.answeredAt = nil
            state.bodyBytes = 0
            state.slowness = nil
            state.lastMove = .now
            return true
        }
    }

    func noteSent() {
        state.withLock { state in
            state.isSent = true
            state.lastMove = .now
        }
    }

    /// Records the head of the answer.
    func noteAnswer(_ head: HTTPResponseHead) {
        state.withLock { state in
            let now = ContinuousClock.now
            state.answer = Answer(status: Int(head.status.code), headers: head.headers)
            state.answeredAt = now
            state.lastMove = now
            state.slowness = SlowAnswer(at: now, minimum: limits.bytesPerSecondMinimum)
        }
    }

    /// Records a sign of life.
    func noteMove() { state.withLock { $0.lastMove = .now } }

    /// Records bytes of the answer's body.
    /// - Returns: whether more are read.
    func noteBody(_ part: ByteBuffer) -> Bool {
        state.withLock { state in
            let now = ContinuousClock.now
            state.lastMove = now
            state.slowness?.receive(part.readableBytes, at: now)
            state.bodyBytes += part.readableBytes
            let room = limits.keptBytes - (state.answer?.body.count ?? 0)
            state.answer?.body.append(contentsOf: part.readableBytesView.prefix(room))
            return state.bodyBytes <= limits.readBytes
        }
    }

    /// Whether the answer comes too slowly to wait for its end.
    package var isTooSlow: Bool { state.withLock { $0.slowness?.isTooSlow(at: .now) ?? false } }

    /// Ends the call with the answer as far as it has come.
    /// - Parameter isComplete: whether its end has come.
    func finish(isComplete: Bool) {
        let answer = state.withLock { state in
            var answer = state.answer
            answer?.isWhole = isComplete && state.bodyBytes == state.answer?.body.count
            return answer
        }
        if let answer { end(.success(answer)) }
    }

    func end(_ outcome: Outcome) {
        let waiter = state.withLock { state -> CheckedContinuation<Outcome, Never>? in
            guard state.outcome == nil else { return nil }
            state.outcome = outcome
            state.channel = nil
            defer { state.waiter = nil }
            return state.waiter
        }
        waiter?.resume(returning: outcome)
    }

    /// Stops waiting and closes the connection. A head that has come counts as the answer, except a success that came before the body was sent.
    package func giveUp(_ error: any Error) {
        let (channel, answer) = state.withLock { state in
            let isSuccess = state.answer.map { (200..<300).contains($0.status) } ?? false
            return (state.channel, state.isSent || !isSuccess ? state.answer : nil)
        }
        end(answer.map { .success($0) } ?? .failure(error))
        channel?.close(promise: nil)
    }

    /// Waits for the outcome. Must be called only once.
    package func outcome() async -> Outcome {
        await withCheckedContinuation { waiter in
            let early = state.withLock { state -> Outcome? in
                if state.outcome == nil { state.waiter = waiter }
                return state.outcome
            }
            if let early { waiter.resume(returning: early) }
        }
    }
}
