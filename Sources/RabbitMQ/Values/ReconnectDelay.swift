/// The pause between attempts to reconnect: exponential from `base` to `cap`, with jitter.
public struct ReconnectDelay: Hashable, Sendable {
    /// The longest pause before the first attempt.
    public var base: Duration
    /// The longest pause before any attempt.
    public var cap: Duration

    public init(base: Duration = .milliseconds(200), cap: Duration = .seconds(10)) {
        self.base = base
        self.cap = cap
    }

    /// The pause before attempt `attempt` (from 0): between half of `base` doubled `attempt` times and all of it, so
    /// that a thousand clients do not come back in the same instant, and none comes back at once.
    public func delay(beforeAttempt attempt: Int, using generator: inout some RandomNumberGenerator) -> Duration {
        let full = min(cap, base * (1 << min(max(attempt, 0), 20)))
        return full * Double.random(in: 0.5...1, using: &generator)
    }
}
