import Foundation
import NIOCore
import NIOHTTP1
import Synchronization

/// One small request over a kept connection. The server, the connection or a caller that stops waiting can end it; the first end counts.
final class HTTPCall: Sendable {
    typealias Outcome = Result<HTTPReply, any Error>

    private struct State {
        var waiter: CheckedContinuation<Outcome, Never>?
        var outcome: Outcome?
        /// The connection's channel.
        var channel: (any Channel)?
        var lastMove = ContinuousClock.now
        var isSent = false
        /// The answer without its body, once its head has come. From then on it is the answer, even if the body is lost.
        var reply: HTTPReply?
        var repliedAt: ContinuousClock.Instant?
        var slowness: SlowAnswer?
    }

    let head: HTTPRequestHead
    let body: ByteBuffer
    /// The most bytes of the answer's body that are kept.
    let keptBytesMaximum: Int
    /// Bytes a second that the answer has to bring on average.
    private let bytesPerSecondMinimum: Int
    private let state = Mutex(State())

    init(_ head: HTTPRequestHead, body: ByteBuffer, keptBytesMaximum: Int, bytesPerSecondMinimum: Int) {
        self.head = head
        self.body = body
        self.keptBytesMaximum = keptBytesMaximum
        self.bytesPerSecondMinimum = bytesPerSecondMinimum
    }

    var isOver: Bool { state.withLock { $0.outcome != nil } }
    /// When bytes were last sent or received, and whether the whole request is sent.
    var movement: (last: ContinuousClock.Instant, isSent: Bool) { state.withLock { ($0.lastMove, $0.isSent) } }

    /// When the answer's status came.
    var repliedAt: ContinuousClock.Instant? { state.withLock { $0.repliedAt } }

    var mayBeRepeated: Bool { HTTPExchange.mayBeRepeated(head.method, head.headers) }

    /// - Returns: false when no caller waits for the answer any more.
    func begin(over channel: any Channel) -> Bool {
        state.withLock { state in
            guard state.outcome == nil else { return false }
            state.channel = channel
            state.isSent = false
            state.reply = nil
            state.repliedAt = nil
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
    func noteReply(_ head: HTTPReply) {
        state.withLock { state in
            state.reply = head
            state.reply?.isWhole = false
            state.repliedAt = .now
            state.slowness = SlowAnswer(at: .now, minimum: bytesPerSecondMinimum)
        }
    }

    func noteReceived(_ bytes: Int = 0) {
        state.withLock { state in
            state.lastMove = .now
            state.slowness?.receive(bytes, at: .now)
        }
    }

    /// Whether the answer comes too slowly to wait for its end.
    var isTooSlow: Bool { state.withLock { $0.slowness?.isTooSlow(at: .now) ?? false } }

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
    func giveUp(_ error: any Error) {
        let (channel, reply) = state.withLock { state in
            let isSuccess = state.reply.map { (200..<300).contains($0.status) } ?? false
            return (state.channel, state.isSent || !isSuccess ? state.reply : nil)
        }
        end(reply.map { .success($0) } ?? .failure(error))
        channel?.close(promise: nil)
    }

    /// Waits for the outcome. Must be called only once.
    func outcome() async -> Outcome {
        await withCheckedContinuation { waiter in
            let early = state.withLock { state -> Outcome? in
                if state.outcome == nil { state.waiter = waiter }
                return state.outcome
            }
            if let early { waiter.resume(returning: early) }
        }
    }
}
