package import Foundation

/// The rows that a decision writes, in one transaction.
package struct LedgerChanges: Hashable, Sendable {
    /// The row of a job.
    package struct Job: Hashable, Sendable {
        /// The job with its order redacted.
        package var job: LedgerJob
        /// The job as the ledger has it; nil: it has no row of the job yet.
        package var before: LedgerJob?
        /// The original order as JSON, where the row shows it redacted; nil: what is kept already stays, unless
        /// ``LedgerJob/needsNoBytes`` says that it is removed.
        package var original: Data?

        package init(_ job: LedgerJob, before: LedgerJob?, original: Data?) {
            self.job = job
            self.before = before
            self.original = original
        }

        /// Whether the job's names were forgotten, or became known again: the columns by which it is found change.
        package var changesNames: Bool {
            before.map { ($0.forgottenAt == nil) != (job.forgottenAt == nil) } ?? false
        }
    }

    /// A recorded event. An event whose id is recorded already changes nothing.
    package struct Event: Hashable, Sendable {
        package var event: UploadEvent
        /// The event's JSON.
        package var body: Data

        package init(_ event: UploadEvent, body: Data) {
            self.event = event
            self.body = body
        }
    }

    /// A publication to be made.
    package struct Owed: Hashable, Sendable {
        package var job: JobID
        package var action: IssuingAction
        /// For an outcome: the id of the recorded event that brought it.
        package var source: String?

        package init(job: JobID, action: IssuingAction, source: String?) {
            self.job = job
            self.action = action
            self.source = source
        }
    }

    /// An outcome for a delegate. A delivery of the same outcome to the same delegate is not noted twice.
    package struct Delivery: Hashable, Sendable {
        package var delegate: String
        package var outcome: String
        package var job: JobID
        /// The id of the recorded event that brought the outcome.
        package var event: String

        package init(delegate: String, outcome: String, job: JobID, event: String) {
            self.delegate = delegate
            self.outcome = outcome
            self.job = job
            self.event = event
        }
    }

    /// A message that is kept for an operator. The same message with the same reason is kept once, until it is published again.
    package struct Letter: Hashable, Sendable {
        package var body: Data
        package var reason: String
        package var envelope: MessageEnvelope?

        package init(_ body: Data, reason: String, _ envelope: MessageEnvelope?) {
            self.body = body
            self.reason = reason
            self.envelope = envelope
        }
    }

    /// The time at which a held job is issued anew.
    package struct Hold: Hashable, Sendable {
        package var queue: QueueName
        package var until: Date
        package var needsWorker: Bool

        package init(queue: QueueName, until: Date, needsWorker: Bool) {
            self.queue = queue
            self.until = until
            self.needsWorker = needsWorker
        }
    }

    /// A changed row of a serial line.
    package struct Place: Hashable, Sendable {
        package var queue: QueueName
        /// The text in the row, which may be damaged.
        package var job: String
        /// nil removes the row.
        package var row: LineRow?

        package init(queue: QueueName, job: String, row: LineRow?) {
            self.queue = queue
            self.job = job
            self.row = row
        }
    }

    /// The progress of an order.
    package struct Order: Hashable, Sendable {
        package var order: UploadOrder
        package var progress: OrderProgress

        package init(_ order: UploadOrder, _ progress: OrderProgress) {
            self.order = order
            self.progress = progress
        }
    }

    /// Each changed job once, new ones in the order in which they are listed.
    package var jobs: [Job] = []
    package var events: [Event] = []
    package var owed: [Owed] = []
    package var deliveries: [Delivery] = []
    package var letters: [Letter] = []
    /// nil removes a row.
    package var holds: [JobID: Hold?] = [:]
    package var places: [Place] = []
    /// Apps whose delegates are registered, by the delegates' names.
    package var apps: [String: String] = [:]
    package var order: Order?
    /// The order that is done, for the audit log.
    package var audit: AuditEntry?
    /// Jobs whose names are forgotten: of what other tables hold about them, only that they ended stays.
    package var forgotten: [LedgerJob] = []

    package init() {}
}
