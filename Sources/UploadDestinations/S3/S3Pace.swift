import Foundation

/// How fast requests may begin at a destination that has asked for fewer: a pause, and a gap between one and the next that
/// doubles with each refusal and shrinks with success. A value; times are instants of one clock.
struct S3Pace: Hashable, Sendable {
    typealias Instant = ContinuousClock.Instant

    static let gapMinimum = Duration.milliseconds(10)
    static let gapMaximum = Duration.seconds(2)
    /// The first pause after a refusal that names none; doubled with the gap.
    static let pauseMinimum = Duration.milliseconds(100)
    static let pauseMaximum = Duration.seconds(20)

    /// Between the beginnings of two requests; zero as long as nobody has refused one.
    private(set) var gap = Duration.zero
    private var pause = Self.pauseMinimum
    private var next: Instant?
    private var lastRefusal: Instant?

    /// When a request may begin that asks now. It takes that turn.
    mutating func turn(at now: Instant) -> Instant {
        let begin = max(now, next ?? now)
        if gap > .zero || next != nil { next = begin + gap }
        return begin
    }

    /// The destination refused a request. Those that were under way at the same time are refused for the same reason, and count
    /// once.
    mutating func refused(startedAt: Instant, retryAfter: TimeInterval?, at now: Instant) {
        if let lastRefusal, startedAt <= lastRefusal { return }
        lastRefusal = now
        gap = min(max(gap * 2, Self.gapMinimum), Self.gapMaximum)
        let wait = retryAfter.map { Duration.seconds($0) } ?? pause
        pause = min(pause * 2, Self.pauseMaximum)
        next = max(next ?? now, now + wait)
    }

    /// A request was served.
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
