public import Foundation

/// Decides which files of a staging area no job needs any more. In doubt it keeps a file: it may be the only copy of an
/// accepted upload.
public struct StagingRule: Hashable, Sendable {
    /// Seconds before anything is looked at: 1 hour. A worker removes what it has uploaded by itself, within seconds.
    public var lookAfter: TimeInterval
    /// Seconds that a failed job's copy is kept, so that the job can be run again: 7 days. A forgotten job cannot be
    /// run again.
    public var keepFailed: TimeInterval
    /// Seconds that a copy of an unknown job is kept, and that a key is remembered: 31 days, a ``JobLifetime`` and a
    /// day for clocks that differ.
    public var keepUnknown: TimeInterval
    /// Seconds without a new byte after which an unfinished file is taken for the remains of a crash: 1 day.
    public var keepPartial: TimeInterval
    /// Seconds from the beginning of an upload of a copy after which its producer counts as dead for good: 7 days.
    public var keepUpload: TimeInterval

    public init(
        lookAfter: TimeInterval = 3600, keepFailed: TimeInterval = 7 * 86_400,
        keepUnknown: TimeInterval = JobLifetime.seconds + 86_400, keepPartial: TimeInterval = 86_400,
        keepUpload: TimeInterval = 7 * 86_400
    ) {
        self.lookAfter = lookAfter
        self.keepFailed = keepFailed
        self.keepUnknown = keepUnknown
        self.keepPartial = keepPartial
        self.keepUpload = keepUpload
    }

    /// - Parameter jobs: what the ledger knows of the jobs that name the copy, more than one where a key was used again.
    public func isAbandoned(_ leftover: StagedLeftover, jobs: [LedgerJob], now: Date) -> Bool {
        let age = now.timeIntervalSince(leftover.changedAt)
        guard age > lookAfter, !leftover.isInOutbox else { return false }
        switch leftover.kind {
        case .partial: return age > keepPartial
        case .key: return age > keepUnknown
        case .upload: return age > keepUpload
        case .copy:
            if jobs.isEmpty { return age > keepUnknown }
            return jobs.allSatisfy { job in
                // A job that is about to run again has a wish, and still its old end.
                guard let end = job.end, job.wish == nil else { return false }
                let canRunAgain = end.kind == .failed && job.forgottenAt == nil
                return now.timeIntervalSince(end.at) > (canRunAgain ? keepFailed : lookAfter)
            }
        }
    }
}
