package import Foundation

/// Decides whether a server sends too slowly to wait for: a byte a second is progress, but would hold a slot for ever. A pure value;
/// times are instants of one clock. Only the time counts during which the server owes bytes.
package struct SlowAnswer: Hashable, Sendable {
    /// Seconds over which a sending server has to reach the minimum on average.
    package static let windowSeconds: TimeInterval = 60

    package typealias Instant = ContinuousClock.Instant

    /// Since when the server owes bytes; nil while the slice processes the bytes that have come.
    package private(set) var since: Instant?
    /// Seconds that it owed bytes in this window, up to `since`.
    private var owedSeconds: TimeInterval = 0
    private var bytes = 0
    /// Bytes a second.
    private let minimum: Int

    package init(at now: Instant, minimum: Int) {
        since = now
        self.minimum = minimum
    }

    package mutating func receive(_ count: Int, at now: Instant) {
        pause(at: now)
        since = now
        bytes += count
        guard owedSeconds >= Self.windowSeconds, !isTooSlow(at: now) else { return }
        owedSeconds = 0
        bytes = 0
    }

    /// Pauses the count: the slice processes the bytes that have come, so the delay is not the server's.
    package mutating func pause(at now: Instant) {
        if let since { owedSeconds += max(0, (now - since) / .seconds(1)) }
        since = nil
    }

    package func isTooSlow(at now: Instant) -> Bool {
        let owed = owedSeconds + (since.map { max(0, (now - $0) / .seconds(1)) } ?? 0)
        return owed >= Self.windowSeconds && Double(bytes) < owed * Double(minimum)
    }
}
