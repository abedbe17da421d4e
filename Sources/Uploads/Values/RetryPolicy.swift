public import Foundation

/// When a failed attempt is made again: exponential backoff with full jitter, bounded by attempts and age.
///
/// Full jitter after "Exponential Backoff And Jitter" (AWS Architecture Blog): a delay is uniform between 0 and the
/// exponential bound, here never below ``delayMinimum``.
public struct RetryPolicy: Codable, Hashable, Sendable {
    /// Never sooner than this many seconds: the delay ladder's step.
    public static let delayMinimum: TimeInterval = 1
    /// The longest `Retry-After` that is honoured, in seconds: 1 hour.
    public static let retryAfterMaximum: TimeInterval = 3600
    /// The longest age that a destination may give to jobs that carry no policy, in seconds: 30 days.
    public static let destinationAgeMaximum = JobLifetime.seconds

    /// Attempts in all, 1 or more.
    public var maxAttempts: Int
    /// Seconds from the first failed attempt until the job is given up; waits that are no attempts do not count.
    public var maxAge: TimeInterval
    /// Seconds: the bound of the first delay.
    public var base: TimeInterval
    /// By how much the bound grows with each attempt, 1 or more.
    public var factor: Double
    /// Seconds: the largest bound.
    public var cap: TimeInterval

    public init(
        maxAttempts: Int = 10, maxAge: TimeInterval = 86_400, base: TimeInterval = 2, factor: Double = 2,
        cap: TimeInterval = 600
    ) {
        self.maxAttempts = min(max(1, maxAttempts), WireLimits.countMaximum)
        self.maxAge = min(max(0, maxAge), WireLimits.secondsMaximum)
        self.base = min(max(0, base), WireLimits.secondsMaximum)
        self.factor = min(max(1, factor), WireLimits.factorMaximum)
        self.cap = min(max(0, cap), WireLimits.secondsMaximum)
    }

    public enum Decision: Hashable, Sendable {
        /// Try again after this many seconds.
        case retry(after: TimeInterval)
        /// No more: the error was permanent, or attempts or age are used up.
        case giveUp
    }

    /// Decides whether a failed attempt is made again, and when.
    /// - Parameters:
    ///   - attempt: which attempt failed, from 1.
    ///   - age: seconds since the first failed attempt began.
    public func decide(
        attempt: Int, error: UploadError, age: TimeInterval, using generator: inout some RandomNumberGenerator
    ) -> Decision {
        guard error.retry != .never, attempt < maxAttempts else { return .giveUp }
        let delay: TimeInterval
        if let seconds = error.retry.seconds {
            // A NaN fails the comparison and becomes the shortest delay.
            delay = seconds > Self.delayMinimum ? min(seconds, Self.retryAfterMaximum) : Self.delayMinimum
        } else {
            let bound = max(Self.delayMinimum, bound(attempt: attempt))
            delay = Double.random(in: Self.delayMinimum...bound, using: &generator)
        }
        return age + delay > maxAge ? .giveUp : .retry(after: delay)
    }

    /// The largest delay after this attempt, in seconds.
    public func bound(attempt: Int) -> TimeInterval {
        // 0 stays 0, where the product of 0 and infinity would be NaN.
        base > 0 ? min(cap, base * pow(factor, Double(max(1, attempt) - 1))) : 0
    }

    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        let usual = RetryPolicy()
        self.init(
            maxAttempts: try container.decodeIfPresent(1...WireLimits.countMaximum, forKey: .maxAttempts)
                ?? usual.maxAttempts,
            maxAge: try container.decodeIfPresent(0...WireLimits.secondsMaximum, forKey: .maxAge) ?? usual.maxAge,
            base: try container.decodeIfPresent(0...WireLimits.secondsMaximum, forKey: .base) ?? usual.base,
            factor: try container.decodeIfPresent(1...WireLimits.factorMaximum, forKey: .factor) ?? usual.factor,
            cap: try container.decodeIfPresent(0...WireLimits.secondsMaximum, forKey: .cap) ?? usual.cap)
    }
}
