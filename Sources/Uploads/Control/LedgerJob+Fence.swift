public import Foundation

extension LedgerJob {
    /// Seconds by which a fence outlasts the time of its job's last delivery, for clocks that differ and for a worker that was cut off
    /// from the broker in the middle of a request: 1 day.
    public static let fenceMargin: TimeInterval = 86_400
    /// Seconds that the fence stays after the end of a job whose older deliveries have no time of their own: 50 days, longer than a
    /// delivery waits on the ladder.
    public static let fenceAgeUntimed: TimeInterval = 50 * 86_400

    /// From when on the job's fence may be forgotten, because no delivery of a lower generation can do harm any more; nil
    /// while the round has no end.
    ///
    /// Nothing below a fence is published once the fence is known, so an older delivery waits on the ladder at most
    /// once more after the end: until its job's time runs out, or for one wait that asks for no time (an hour's pause,
    /// a cancellation that is tried again). In a lane without workers it may wait for any time. When a worker takes it
    /// then:
    ///
    /// - A delivery of the first round counts its ``JobLifetime`` from the enqueueing. After that it writes nothing.
    /// - A delivery of a later round, or of a serial line, counts it from when its first slice began. If that slice
    ///   began, it did so before the end. If not, the delivery still has all its time; such a fence stays as long as
    ///   the ladder's longest wait.
    /// - Of a job in a serial line the first generation is never worked on: a worker passes one that a producer
    ///   published to a lane by mistake to the notifier. The second generation is the first that a worker may hold, and
    ///   nothing is below it.
    ///
    /// `expiresAt` ends all of these times.
    public var fenceEndsAt: Date? {
        guard end != nil else { return nil }
        let order = baton.job
        let wait = min(max(order.retry?.cap ?? 0, RetryPolicy.retryAfterMaximum), Self.fenceAgeUntimed)
        let time: Date
        if order.serial == nil, round == 1 {
            time = max(order.enqueuedAt, order.notBefore ?? .distantPast) + JobLifetime.seconds
        } else if round == 1, generation <= 2 {
            time = since
        } else {
            time = since + Self.fenceAgeUntimed
        }
        let last = max(min(time, order.expiresAt ?? .distantFuture), since + wait)
        return last < .distantFuture ? last + Self.fenceMargin : nil
    }
}
