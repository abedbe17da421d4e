import Uploads

/// What is known of a server: a pure value. What it said of itself is kept; what was concluded from an answer to another question is believed for
/// a minute, and then what it said before holds again.
struct Remembered<Value: Sendable>: Sendable {
    static var conclusionLasts: Duration { .seconds(60) }

    private var said: Value?
    private var conclusion: (value: Value, end: ContinuousClock.Instant)?

    /// - Parameter isProved: whether only what the server said will do.
    func value(at now: ContinuousClock.Instant, isProved: Bool = false) -> Value? {
        if let conclusion, !isProved, now < conclusion.end { return conclusion.value }
        return said
    }

    mutating func remember(_ value: Value, isProved: Bool, at now: ContinuousClock.Instant) {
        if isProved { said = value }
        conclusion = isProved ? nil : (value, now + Self.conclusionLasts)
    }
}
