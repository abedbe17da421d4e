import Foundation

/// Decides whether a server sends too slowly to wait for: a byte a second is progress, but would hold a slot for ever. A pure value;
/// times are instants of one clock. Only the time counts during which the server owes bytes.
struct SlowAnswer: Hashable, Sendable {
    typealias Instant = ContinuousClock.Instant

    /// Since when the server owes bytes; nil while the slice processes the bytes that have come.
    private(set) var since: Instant?
    /// Seconds that it owed bytes in this window, up to `since`.
    private var owedSeconds: TimeInterval = 0
    private var bytes = 0
    /// Bytes a second.
    private let minimum: Int

    init(at now: Instant, minimum: Int) {
        since = now
        self.minimum = minimum
    }

    mutating func receive(_ count: Int, at now: Instant) {
        pause(at: now)
        since = now
        bytes += count
        guard owedSeconds >= HTTPTimes.windowSeconds, !isTooSlow(at: now) else { return }
        owedSeconds = 0
        bytes = 0
    }

    /// Pauses the count: the slice processes the bytes that have come, so the delay is not the server's.
    mutating func pause(at now: Instant) {
        if let since { owedSeconds += max(0, (now - since) / .seconds(1)) }
        since = nil
    }

    func isTooSlow(at now: Instant) -> Bool {
        let owed = owedSeconds + (since.map { max(0, (now - $0) / .seconds(1)) } ?? 0)
        return owed >= HTTPTimes.windowSeconds && Double(bytes) < owed * Double(minimum)
    }
}
