public import Foundation

/// Decides which unfinished uploads no job will resume. In doubt it keeps an upload: a bucket may be shared with other
/// programs, and a ledger may be new.
public struct SweepRule: Hashable, Sendable {
    /// What the ledger knows of the job that began an upload.
    public enum Owner: Hashable, Sendable {
        /// A job whose round has not ended, or that failed not longer than ``SweepRule/keepFailed`` ago, names it as its state, wherever
        /// that job belongs: two destinations may share a bucket.
        case named
        /// The destination says which job began it; nil if the ledger does not know that job.
        case job(LedgerJob?)
        /// The destination does not say which job began it. `isKnown`: whether the ledger knows that a job of this
        /// destination and key had this very upload. Any other upload at the same key may be another program's.
        case session(isKnown: Bool)
    }

    /// Seconds before an upload is looked at: 1 day.
    public var sweepAfter: TimeInterval
    /// Seconds after a job has failed in which it may be run again from where it stopped: 7 days, as long as its staged copy.
    public var keepFailed: TimeInterval
    /// Seconds after which the ledger may have forgotten a job that ended: 30 days. An upload of an unknown job that is younger
    /// belongs to a job that this ledger never heard of, perhaps a live one.
    public var forgetAfter: TimeInterval

    public init(
        sweepAfter: TimeInterval = 86_400, keepFailed: TimeInterval = 7 * 86_400,
        forgetAfter: TimeInterval = JobLifetime.seconds
    ) {
        self.sweepAfter = sweepAfter
        self.keepFailed = keepFailed
        self.forgetAfter = forgetAfter
    }

    public func isAbandoned(_ upload: UnfinishedUpload, owner: Owner, now: Date) -> Bool {
        let age = now.timeIntervalSince(upload.startedAt)
        // Rule 8: sessions. What no live job names is swept after a day.
        guard age > sweepAfter else { return false }
        switch owner {
        case .named: return false
        case .session(let isKnown): return isKnown
        case .job(nil): return age > forgetAfter
        case .job(let job?):
            // A live job finds its upload by its own id, whether or not its state is known.
            guard let end = job.end else { return false }
            return end.kind != .failed || job.forgottenAt != nil || now.timeIntervalSince(end.at) > keepFailed
        }
    }
}
