import Uploads

/// What may pass to one destination, over all jobs and parts of the worker.
final class TransferPace: Sendable {
    let bytes: RateLimiter
    /// Steps at the destination: a probe, an open, a part, a completing call, a discard.
    let requests: RateLimiter
    private let limits: @Sendable () -> TransferLimits

    /// - Parameter limits: as they are at this moment.
    init(clock: any Clock<Duration>, limits: @escaping @Sendable () -> TransferLimits) {
        self.limits = limits
        bytes = RateLimiter(clock: clock) { limits().bytesPerSecond.map(Double.init) }
        requests = RateLimiter(clock: clock) { limits().requestsPerSecond.map(Double.init) }
    }

    var holdsSomebodyUp: Bool { bytes.waitingCount > 0 || requests.waitingCount > 0 }

    /// Bytes that are let through in one go: a quarter of a second's worth, so that many streams share evenly; nil for any.
    var pieceBytes: Int? { limits().bytesPerSecond.map { Int(max(1, min($0 / 4, 1 << 20))) } }
}
