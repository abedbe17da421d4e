public import Foundation

extension LedgerJob {
    /// Whether the job's fence may be forgotten: no delivery of a lower generation can do harm any more.
    ///
    /// Whoever is below a fence publishes nothing, so the last such delivery was published before the round ended. On
    /// the ladder it waits 48.5 days at most; in a lane without workers for as long as nobody comes, but a first
    /// round's baton that is taken after the job's time ran out writes nothing.
    /// - Parameter cutoff: now, less how long fences are kept; longer than the ladder's longest delay.
    public func mayForgetFence(endedBefore cutoff: Date) -> Bool {
        guard end != nil, since < cutoff else { return false }
        let order = baton.job
        let begins = max(order.enqueuedAt, order.notBefore ?? .distantPast)
        // What its destination gave it only a worker knows.
        let age = order.retry?.maxAge ?? RetryPolicy.destinationAgeMaximum
        return min(begins + age, order.expiresAt ?? .distantFuture) < cutoff
    }
}
