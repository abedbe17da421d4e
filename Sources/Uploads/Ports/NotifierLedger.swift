public import Foundation

/// The part of the ledger that says which ledger it is.
public protocol LedgerOpenings: Sendable {
    /// Where the ledger is, for messages: a file's path, say.
    var path: String { get }

    /// The identity of this ledger, with the openings with which notifiers went to work.
    /// - Throws: `misconfigured` if another program has damaged the identity.
    func identity() async throws(UploadError) -> LedgerIdentity

    /// Whether this notifier is the one of all with this ledger that claims the namespace.
    var mayClaim: Bool { get }

    /// Whether no other notifier works with this ledger.
    var isAlone: Bool { get }

    /// Notes an opening that is about to be appended to the control log: if this process dies, the log may have the opening.
    func notePending(_ opening: UUID) async throws(UploadError)

    /// Notes that the control log has the opening.
    func noteOpened(_ opening: UUID) async throws(UploadError)
}

/// All that a notifier asks of a ledger.
public protocol NotifierLedger: LedgerRecorder, LedgerQueries, LedgerBackup, LedgerOpenings, DelegateRegister,
    DeliveryOutbox, DeliveryHistory, StagingQueries, SweepQueries, AuditLog
{
    /// How much room the ledger takes, without counting its jobs.
    func space() async throws(UploadError) -> LedgerSpace

    /// Closes the ledger and lets another process open it. Calls afterwards fail.
    func close() async throws(UploadError)
}

/// A ledger that another program than its notifier reads.
public protocol LedgerReading: Sendable {
    /// Where the ledger is, for messages.
    var path: String { get }

    func identity() async throws(UploadError) -> LedgerIdentity

    /// - Throws: `misconfigured` or `serverFailure` when the ledger cannot be read.
    func overview() async throws(UploadError) -> LedgerOverview

    /// How many jobs the ledger knows.
    func jobCount() async throws(UploadError) -> Int

    /// The jobs that the ledger does not know, in no order.
    func unknown(among jobs: Set<JobID>) async throws(UploadError) -> Set<JobID>

    func close() async
}
