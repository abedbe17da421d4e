public import Foundation

/// The limits by which a ``Circuit`` decides.
public struct CircuitRules: Hashable, Sendable {
    /// Failures in a row after which it opens, 1 or more.
    public var failuresToOpen: Int
    /// How many different jobs must be among these failures: one that a single job meets may be its own fault, and
    /// counts against that job.
    public var jobsToOpen: Int
    /// Seconds: an open circuit stays so for at least this long.
    public var openMinimum: TimeInterval
    /// Seconds: the bound of the time that it stays open doubles each time, up to this. A longer `Retry-After` is honoured.
    public var openMaximum: TimeInterval
    /// Seconds after which another trial is let through when one has not answered.
    public var trialMaximum: TimeInterval

    public init() {
        failuresToOpen = 5
        jobsToOpen = 2
        openMinimum = 1
        openMaximum = 120
        trialMaximum = 120
    }
}
