public import Foundation
import Uploads

/// How long the ledger keeps what; all in seconds, from the end of the job, the try or the arrival.
public struct LedgerRetention: Hashable, Sendable {
    /// The shortest time for ended jobs: 30 days, a ``JobLifetime``. Of a job that the ledger does not know, a late delivery is issued anew.
    public static let jobsMinimum = JobLifetime.seconds

    /// The longest that may be asked for: 10 years.
    public static let maximum: TimeInterval = 3650 * 86_400

    /// Ended jobs, with what is left of their events and deliveries: 30 days, and those that the control log names for as long as it
    /// does.
    public var jobs: TimeInterval
    /// Names, metadata, answers and errors of ended jobs: 30 days. They are forgotten then, and the rest stays until ``jobs``.
    public var names: TimeInterval
    /// The log of tries to deliver, with what delegates have answered: 30 days, and no longer than the job.
    public var deliveries: TimeInterval
    /// Dead letters that wait for an operator; nil, the default, keeps them. Those that were replayed go with ``jobs``.
    public var deadLetters: TimeInterval?

    public init(
        jobs: TimeInterval = LedgerRetention.jobsMinimum, names: TimeInterval = LedgerRetention.jobsMinimum,
        deliveries: TimeInterval = LedgerRetention.jobsMinimum, deadLetters: TimeInterval? = nil
    ) {
        self.jobs = jobs
        self.names = names
        self.deliveries = deliveries
        self.deadLetters = deadLetters
    }
}
