public import Foundation

/// When a failed delivery is tried again. The first attempt is immediate; after the last attempt the delegate is paused.
///
/// The delays are the example schedule of Standard Webhooks (specification, "Deliverability and reliability").
public struct DeliverySchedule: Hashable, Sendable {
    /// Seconds after the first, second … failed attempt.
    public var delays: [TimeInterval]
    /// By how much of itself a delay may grow, 0 to 1, so that deliveries that failed together do not come together.
    public var jitter: Double

    public init(
        delays: [TimeInterval] = [5, 300, 1800, 7200, 18_000, 36_000, 50_400, 72_000, 86_400], jitter: Double = 0.1
    ) {
        self.delays = delays
        self.jitter = min(max(0, jitter), 1)
    }

    /// For a delegate that fails only while the broker does: tries again at least once a minute, for about 3 days.
    public static let steady = DeliverySchedule(delays: [1, 2, 5, 10, 30] + Array(repeating: 60, count: 4320))

    /// The longest delay that a delegate may ask for: the longest of the schedule.
    public var delayMaximum: TimeInterval { delays.max() ?? 0 }

    /// Seconds to wait after this failed attempt, from 1; nil when it was the last.
    public func delay(afterAttempt attempt: Int, using generator: inout some RandomNumberGenerator) -> TimeInterval? {
        guard delays.indices.contains(attempt - 1) else { return nil }
        let delay = delays[attempt - 1]
        return delay + Double.random(in: 0...(delay * jitter), using: &generator)
    }
}
