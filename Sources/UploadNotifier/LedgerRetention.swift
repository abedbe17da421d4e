public import Foundation
import Uploads

/// How long the ledger keeps its records, in seconds from the end of the job, from the attempt, or from the arrival.
public struct LedgerRetention: Hashable, Sendable {
    /// The shortest time for ended jobs: 30 days, a ``JobLifetime``. After that the ledger does not know the job, and a late delivery would
    /// issue it anew.
    public static let jobsMinimum = JobLifetime.seconds

    /// The longest time that may be configured: 10 years.
    public static let maximum: TimeInterval = 3650 * 86_400

    /// Ended jobs, with the rest of their events and deliveries: 30 days. A job that the control log names stays as long as the log
    /// names it.
    public var jobs: TimeInterval
    /// Names, metadata, answers and errors of ended jobs: 30 days. Then they are forgotten, and the rest of the job stays until ``jobs``.
    public var names: TimeInterval
    /// The log of delivery attempts, with the answers of the delegates: 30 days, and no longer than the job.
    public var deliveries: TimeInterval
    /// Dead letters that wait for an operator; nil, the default, keeps them. Replayed letters are removed after ``jobs``.
    public var deadLetters: TimeInterval?
    /// What operators have ordered: 365 days.
    public var audit: TimeInterval

    public init(
        jobs: TimeInterval = LedgerRetention.jobsMinimum, names: TimeInterval = LedgerRetention.jobsMinimum,
        deliveries: TimeInterval = LedgerRetention.jobsMinimum, deadLetters: TimeInterval? = nil,
        audit: TimeInterval = 365 * 86_400
    ) {
        self.jobs = jobs
        self.names = names
        self.deliveries = deliveries
        self.deadLetters = deadLetters
        self.audit = audit
    }
}
