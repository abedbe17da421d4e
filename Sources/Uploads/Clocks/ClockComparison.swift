public import Foundation

/// Compares this host's clock of the day with the times that other hosts' clocks showed. A value.
///
/// A job's time (`expiresAt`, patience, the age of a retry policy) ends by the clock of the worker that holds the job. A worker whose clock
/// is a day ahead would fail every job that has such an end, so a worker decides that only while another clock has confirmed its own.
public struct ClockComparison: Hashable, Sendable {
    /// What another clock showed.
    public enum Witness: Hashable, Sendable {
        /// A server's clock as it answered (RFC 9110, section 6.6.1: `Date`).
        case server
        /// The broker's clock as it took a message off the delay ladder (`time` in `x-death`). The message may have lain in its lane since.
        case broker
        /// The producer's clock as it enqueued a job, any time ago.
        case producer
    }

    /// Seconds that two clocks may differ and still agree: 5 minutes.
    public static let tolerance: TimeInterval = 300
    /// Seconds for which a confirmation holds, unless the clock steps: 6 hours.
    public static let validity: TimeInterval = 6 * 3600

    /// The time of day at which the clock that never steps was at 0, by the last confirmation.
    private var confirmedOrigin: Date?
    private var confirmedAt: TimeInterval = 0
    /// Seconds that this clock was ahead of the last one that disagreed; negative: behind. nil once a clock has agreed since.
    public private(set) var disagreement: TimeInterval?

    public init() {}

    /// - Parameters:
    ///   - other: what the other clock showed.
    ///   - now: what this host's clock shows.
    ///   - uptime: seconds by a clock of this host that never steps.
    public mutating func note(_ other: Date, by witness: Witness, now: Date, uptime: TimeInterval) {
        let ahead = now.timeIntervalSince(other)
        let isAgreed = abs(ahead) <= Self.tolerance
        switch witness {
        case .server where isAgreed, .broker where isAgreed:
            confirmedOrigin = now - uptime
            confirmedAt = uptime
            disagreement = nil
        case .server: disagreement = ahead
        // These clocks were read some unknown time ago: their time cannot be later than now, and may be any time
        // earlier.
        case .broker, .producer: if ahead < -Self.tolerance { disagreement = ahead }
        }
    }

    /// Whether another clock agreed of late with what this host's clock shows.
    public func isConfirmed(now: Date, uptime: TimeInterval) -> Bool {
        guard let confirmedOrigin, uptime - confirmedAt <= Self.validity else { return false }
        return abs((now - uptime).timeIntervalSince(confirmedOrigin)) <= Self.tolerance
    }
}
