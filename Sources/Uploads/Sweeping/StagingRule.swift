public import Foundation

/// What in a staging area nobody needs any more. In doubt nothing: the only copy of what was accepted lies there.
public struct StagingRule: Hashable, Sendable {
    /// Seconds before anything is looked at: 1 hour. A worker removes what it has uploaded by itself, within seconds.
    public var lookAfter: TimeInterval
    /// Seconds that a failed job's copy is kept, so that the job can be run again: 7 days. A forgotten one cannot.
    public var keepFailed: TimeInterval
    /// Seconds that a copy is kept of which the ledger knows nothing, and that a key is remembered: 31 days, a ``JobLifetime`` and a day for
    /// clocks that differ.
    public var keepUnknown: TimeInterval
    /// Seconds after which what was begun and not finished belongs to a crash: 1 day without a byte.
    public var keepPartial: TimeInterval

    public init(
        lookAfter: TimeInterval = 3600, keepFailed: TimeInterval = 7 * 86_400,
        keepUnknown: TimeInterval = JobLifetime.seconds + 86_400, keepPartial: TimeInterval = 86_400
    ) {
        self.lookAfter = lookAfter
        self.keepFailed = keepFailed
        self.keepUnknown = keepUnknown
        self.keepPartial = keepPartial
    }

    /// - Parameter jobs: what the ledger knows of the jobs that name the copy, more than one where a key was used again.
    public func isAbandoned(_ leftover: StagedLeftover, jobs: [LedgerJob], now: Date) -> Bool {
        let age = now.timeIntervalSince(leftover.changedAt)
        guard age > lookAfter, !leftover.isInOutbox else { return false }
        switch leftover.kind {
        case .partial: return age > keepPartial
        case .key: return age > keepUnknown
        case .copy:
            if jobs.isEmpty { return age > keepUnknown }
            return jobs.allSatisfy { job in
                // One that is about to run again has a wish, and still its old end.
                guard let end = job.end, job.wish == nil else { return false }
                let canRunAgain = end.kind == .failed && job.forgottenAt == nil
                return now.timeIntervalSince(end.at) > (canRunAgain ? keepFailed : lookAfter)
            }
        }
    }
}
