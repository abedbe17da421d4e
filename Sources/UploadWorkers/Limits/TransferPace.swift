import Synchronization
import Uploads

/// The limits of bytes and requests to one destination, over all jobs and parts of the worker.
final class TransferPace: Sendable {
    let bytes: RateLimiter
    /// Steps at the destination: a probe, an open, a part, a completing call, a discard.
    let requests: RateLimiter
    private let limits: @Sendable () -> TransferLimits
    private let limiters: WaitingLimiters

    /// - Parameters:
    ///   - changed: called when the first slice begins to wait for the limits, and when the last one has left; its argument answers
    ///     whether a slice waits now.
    ///   - limits: the limits that are configured at this moment.
    init(
        clock: any Clock<Duration>,
        changed: @escaping @Sendable (_ isWaiting: @escaping @Sendable () -> Bool) -> Void = { _ in },
        limits: @escaping @Sendable () -> TransferLimits
    ) {
        self.limits = limits
        let limiters = WaitingLimiters(changed: changed)
        self.limiters = limiters
        bytes = RateLimiter(clock: clock, changed: limiters.note) { limits().bytesPerSecond.map(Double.init) }
        requests = RateLimiter(clock: clock, changed: limiters.note) { limits().requestsPerSecond.map(Double.init) }
    }

    /// Whether a slice waits for one of the limits.
    var hasWaitingSlices: Bool { limiters.count > 0 }

    /// Bytes that are let through in one piece: a quarter of a second's worth, so that many streams share evenly; nil without a limit.
    var pieceBytes: Int? { limits().bytesPerSecond.map { Int(max(1, min($0 / 4, 1 << 20))) } }
}

/// How many of a destination's limiters have callers that wait.
private final class WaitingLimiters: Sendable {
    private let waiting = Mutex(0)
    private let changed: @Sendable (@escaping @Sendable () -> Bool) -> Void

    init(changed: @escaping @Sendable (@escaping @Sendable () -> Bool) -> Void) { self.changed = changed }

    var count: Int { waiting.withLock { $0 } }

    func note(isWaiting: Bool) {
        let (before, after) = waiting.withLock { waiting in
            defer { waiting += isWaiting ? 1 : -1 }
            return (waiting, waiting + (isWaiting ? 1 : -1))
        }
        // Two calls at once may arrive in the wrong order, so the listener asks for the present state.
        if (before > 0) != (after > 0) { changed { self.count > 0 } }
    }
}
