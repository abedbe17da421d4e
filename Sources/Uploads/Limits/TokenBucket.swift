/// Limits a rate: `rate` tokens a second, and never more at once than a second's worth. A pure value; times are counted
/// from any fixed point.
public struct TokenBucket: Hashable, Sendable {
    /// Tokens a second, more than 0.
    public private(set) var rate: Double
    private var level: Double
    private var filledAt: Duration

    /// A full bucket.
    public init(rate: Double, at now: Duration) {
        self.rate = max(rate, .leastNormalMagnitude)
        level = self.rate
        filledAt = now
    }

    /// Changes the rate from now on.
    public mutating func setRate(_ rate: Double, at now: Duration) {
        fill(at: now)
        self.rate = max(rate, .leastNormalMagnitude)
        level = min(level, self.rate)
    }

    /// Takes tokens, any number at once: more than a second's worth passes when the bucket is full, and leaves a debt
    /// that later callers wait for.
    /// - Returns: nil when they were taken, else how long it takes until there are enough.
    public mutating func take(_ amount: Double, at now: Duration) -> Duration? {
        fill(at: now)
        let missing = min(amount, rate) - level
        // A small tolerance, so that a wait of exactly the returned length is enough in spite of rounding.
        guard missing <= rate * 1e-6 else { return .seconds(missing / rate) }
        level -= amount
        return nil
    }

    private mutating func fill(at now: Duration) {
        guard now > filledAt else { return }
        level = min(rate, level + rate * ((now - filledAt) / .seconds(1)))
        filledAt = now
    }
}
