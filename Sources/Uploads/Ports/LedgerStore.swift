package import Foundation

/// The tables of a ledger in one transaction. A store reads and writes rows and decides nothing: what a message, an order or a crash
/// changes is decided by ``LedgerBatch`` and by what is built on ``LedgerTransactions``, once for all kinds of ledgers.
///
/// Reads include everything that the transaction has written. A row that cannot be read is answered as damaged, after the store has told the
/// operator.
package protocol LedgerStore {
    // MARK: Jobs

    /// The stored jobs among these, with redacted orders. Unknown jobs are left out.
    func jobs(_ ids: Set<JobID>) throws -> [JobID: StoredJob]

    /// The original order, if it is kept because the job's row shows it redacted.
    /// - Throws: ``DamagedRow`` if it cannot be read.
    func originalOrder(of job: JobID) throws -> UploadJob?

    /// Jobs that match a filter in a status that permits the verb, in the order of their ids. A page ends, full or not, when enough jobs were
    /// looked at, so that recording does not wait long.
    /// - Parameters:
    ///   - job: the job behind which the page begins; nil: the first page.
    ///   - limit: the most jobs of the page.
    func page(_ filter: OrderFilter, for verb: Verb, after job: JobID?, limit: Int) throws -> OrderFilterPage

    /// How many jobs match a filter in a status that permits the verb.
    func count(_ filter: OrderFilter, for verb: Verb) throws -> Int

    /// Held jobs of a transfer queue whose time has come, those that have waited longest first.
    /// - Parameter hasWorker: false leaves out the jobs that wait for a worker.
    func heldJobs(of queue: QueueName, hasWorker: Bool, now: Date, limit: Int) throws -> [JobID]

    // MARK: Serial lines

    /// How many jobs of the line are released and have not ended.
    func releasedCount(inLineOf queue: QueueName) throws -> Int

    /// How many jobs wait in the line with lower numbers.
    func waitingCount(inLineOf queue: QueueName, before number: Int64) throws -> Int

    /// The row of a job in the line; nil for a job without one.
    /// - Parameter job: the text in the row, which may be damaged.
    func row(of job: String, inLineOf queue: QueueName) throws -> LineRow?

    /// Waiting jobs in the order of their numbers, those with equal numbers in the order of their texts.
    /// - Parameters:
    ///   - place: the job beyond which the page begins; nil: at the end from which the page goes.
    ///   - isBackward: whether the page goes from the end of the line to its beginning.
    func waiting(
        inLineOf queue: QueueName, beyond place: WaitingJob?, isBackward: Bool, limit: Int
    ) throws -> [WaitingJob]

    // MARK: Outcomes and apps

    /// The event of a job that was recorded under an id.
    /// - Throws: an error of one row if it cannot be read.
    func event(_ id: String, of job: JobID) throws -> UploadEvent?

    /// What is still to be told of a job, if anything is.
    func untold(of job: JobID) throws -> UntoldNews?

    /// Whether a delegate is registered, with those that are being removed.
    func registration(of delegate: String) throws -> RegistrationPhase

    /// How many delegates are registered whose names begin with this.
    func registrationCount(prefix: String) throws -> Int

    // MARK: Owed actions and orders

    /// Everything that is owed, in the order in which it was noted.
    func owed() throws -> [StoredOwedAction]

    /// Removes owed actions.
    func strikeOff(_ ids: [OwedAction.ID]) throws

    /// The progress of an order; nil for an order that is not known.
    func progress(of order: UUID) throws -> OrderProgress?

    // MARK: Writing

    /// Writes the rows of a decision. Its events and deliveries are about jobs that have a row, or get one by the same decision.
    /// - Returns: the ids of the owed actions, in their order.
    func write(_ changes: LedgerChanges, at now: Date) throws -> [OwedAction.ID]

    /// Runs a step, and rolls its changes back if it fails.
    /// - Returns: nil, or the reason, in words, of a failure that is the fault of the step's own message or job (``LedgerFailure/isOfOne(_:)``).
    /// - Throws: failures of the ledger as a whole.
    func attempt(_ step: () throws -> Void) throws -> String?

    /// Tells the operator, once, of a row that cannot be read or written.
    func report(_ damage: DamagedRow)
}

/// A ledger that makes transactions: the part of a backend on which everything is built that decides (``LedgerRecorder``).
package protocol LedgerTransactions: Sendable {
    /// Makes one transaction, durable when this returns.
    /// - Throws: what `body` throws, with the obstacle in words; nothing is written then.
    func transaction<Value: Sendable>(
        _ body: @escaping @Sendable (any LedgerStore) throws -> Value
    ) async throws(UploadError) -> Value
}

/// A job's row.
package enum StoredJob: Sendable {
    case job(LedgerJob)
    case damaged(DamagedRow)
}

/// A page of the jobs that an order with a filter is about.
package struct OrderFilterPage: Hashable, Sendable {
    /// Perhaps fewer than asked for, or none, though more follow.
    package var jobs: [JobID]
    /// The job behind which the next page begins: the last one that was looked at. nil on the last page.
    package var next: JobID?

    package init(jobs: [JobID], next: JobID?) {
        self.jobs = jobs
        self.next = next
    }
}

/// The row of a job in a serial line.
package enum LineRow: Hashable, Sendable {
    case waiting(number: Int64)
    case released
}

/// A job that waits in a serial line.
package struct WaitingJob: Hashable, Sendable {
    /// The id in the row, which may be damaged.
    package var job: String
    package var number: Int64

    package init(job: String, number: Int64) {
        self.job = job
        self.number = number
    }
}

/// News of a job that have not arrived everywhere.
package enum UntoldNews: Hashable, Sendable {
    /// This delegate has not received an outcome.
    case delivery(delegate: String)
    /// The broker has not confirmed a publication.
    case publication
}

/// Whether a delegate is registered.
package enum RegistrationPhase: Hashable, Sendable {
    case unknown, registered
    /// Its deliveries are being deleted.
    case removed
}

/// The row of an owed action.
package struct StoredOwedAction: Sendable {
    package var id: OwedAction.ID
    /// The id of the action's job, which may be damaged.
    package var job: String
    /// nil: the row names an event that is not there, or holds nothing to publish.
    package var action: Result<IssuingAction?, DamagedRow>
    /// The job, if the ledger knows it.
    package var known: StoredJob?
    /// The row as it is kept for an operator when it cannot be read.
    package var body: Data

    package init(
        id: OwedAction.ID, job: String, action: Result<IssuingAction?, DamagedRow>, known: StoredJob?, body: Data
    ) {
        self.id = id
        self.job = job
        self.action = action
        self.known = known
        self.body = body
    }
}
