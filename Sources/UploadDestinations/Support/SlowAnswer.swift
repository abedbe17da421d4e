import Foundation

/// Whether a server sends too slowly to wait for: one byte a second moves, and holds a slot for ever. A value; times are instants of one
/// clock. Only the time for which the server owes something counts.
struct SlowAnswer: Hashable, Sendable {
    typealias Instant = ContinuousClock.Instant

    /// Since when the server owes something; nil while the slice is busy with the bytes that have come.
    private(set) var since: Instant?
    /// Seconds that it owed something in this window, up to `since`.
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

    /// The slice is busy with the bytes that have come, so that the server is not to blame.
    mutating func pause(at now: Instant) {
        if let since { owedSeconds += max(0, (now - since) / .seconds(1)) }
        since = nil
    }

    func isTooSlow(at now: Instant) -> Bool {
        let owed = owedSeconds + (since.map { max(0, (now - $0) / .seconds(1)) } ?? 0)
        return owed >= HTTPTimes.windowSeconds && Double(bytes) < owed * Double(minimum)
    }
}
