import Foundation

/// Limits how fast requests may begin at a destination that has asked for fewer: a pause, and a gap between two requests that doubles
/// with each refusal and shrinks with success. A pure value; times are instants of one clock.
struct S3Pace: Hashable, Sendable {
    typealias Instant = ContinuousClock.Instant

    static let gapMinimum = Duration.milliseconds(10)
    static let gapMaximum = Duration.seconds(2)
    /// The first pause after a refusal that names none; it doubles like the gap.
    static let pauseMinimum = Duration.milliseconds(100)
    static let pauseMaximum = Duration.seconds(20)

    /// Time between the beginnings of two requests; zero as long as the destination has refused none.
    private(set) var gap = Duration.zero
    private var pause = Self.pauseMinimum
    private var next: Instant?
    private var lastRefusal: Instant?

    /// Takes a turn and returns when the request may begin.
    mutating func turn(at now: Instant) -> Instant {
        let begin = max(now, next ?? now)
        if gap > .zero || next != nil { next = begin + gap }
        return begin
    }

    /// Records that the destination refused a request. Requests that were in progress at the same time are refused for the same reason,
    /// and count once.
    mutating func refused(startedAt: Instant, retryAfter: TimeInterval?, at now: Instant) {
        if let lastRefusal, startedAt <= lastRefusal { return }
        lastRefusal = now
        gap = min(max(gap * 2, Self.gapMinimum), Self.gapMaximum)
        let wait = retryAfter.map { Duration.seconds($0) } ?? pause
        pause = min(pause * 2, Self.pauseMaximum)
        next = max(next ?? now, now + wait)
    }

    /// Records that a request succeeded.
    mutating func served() {
        guard gap > .zero else { return }
        pause = Self.pauseMinimum
        gap = gap * 0.95
        if gap < .milliseconds(1) {
            gap = .zero
            next = nil
        }
    }
}
