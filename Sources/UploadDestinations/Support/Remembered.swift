import Uploads

/// Facts about a server, as a pure value. A fact that the server announced stays. A fact that was concluded from another answer counts
/// for a minute; after that, the announced fact counts again.
struct Remembered<Value: Sendable>: Sendable {
    static var conclusionLasts: Duration { .seconds(60) }

    private var said: Value?
    private var conclusion: (value: Value, end: ContinuousClock.Instant)?

    /// - Parameter isProved: whether only an announced fact is wanted.
    func value(at now: ContinuousClock.Instant, isProved: Bool = false) -> Value? {
        if let conclusion, !isProved, now < conclusion.end { return conclusion.value }
        return said
    }

    mutating func remember(_ value: Value, isProved: Bool, at now: ContinuousClock.Instant) {
        if isProved { said = value }
        conclusion = isProved ? nil : (value, now + Self.conclusionLasts)
    }
}
