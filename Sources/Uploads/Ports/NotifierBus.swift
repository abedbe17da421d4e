public import Foundation

/// The notifier's side of the broker: its queue, and what it alone may publish.
public protocol NotifierBus: Sendable {
    /// The rest of the work on a batch, after which the batch may be acknowledged.
    typealias BatchEnd = @Sendable () async throws -> Void

    /// Whether the connection that reads is up.
    var isConnected: Bool { get }

    /// The shards of the namespace.
    var shards: Shards { get }

    /// Hands over what the notifier's queues and the dead-letter queue hold, in the order of each queue, in batches, one batch at
    /// a time, until `drain` is called or the task is cancelled. The next batch is handed over while the end of the last one is
    /// awaited, and none after that. A batch is acknowledged when its end returns, and behind those before it; when
    /// `handle` or an end throws, neither that batch nor a later one is acknowledged, and the error is passed on.
    /// Survives the loss of the connection: what was not acknowledged comes again.
    /// - Parameters:
    ///   - shards: the shards whose queues are read. The dead letters come with the first shard.
    ///   - change: returns when other shards are to be read; then `consume` returns as well, when the batches at hand are done.
    func consume(
        _ shards: Set<Int>, until change: @escaping @Sendable () async -> Void,
        _ handle: @Sendable ([NotifierMessage]) async throws -> BatchEnd
    ) async throws(UploadError)

    /// Stops taking; `consume` returns when the batches at hand are done.
    func drain() async

    /// Publishes a marker to the queue of its job's shard. Confirmed when this returns.
    func mark(_ marker: IssueMarker) async throws(UploadError)

    /// Publishes an issued baton to a lane. Confirmed when this returns.
    /// - Parameter maybeRepeated: set when it cannot be known whether an earlier try arrived; the delivery is then a suspect.
    /// - Returns: whether the lane has taken it. If not, it is not tried again here: the job is held, and issued later.
    func issue(_ baton: Baton, on lane: Lane, maybeRepeated: Bool) async throws(UploadError) -> IssueAnswer

    /// The depth of each lane of transfer queues now. A queue that was never declared is left out.
    func depths(of queues: [QueueName]) async throws(UploadError) -> [QueueName: [Lane: LaneDepth]]

    /// Appends to the control log, in parts where the entry names many jobs. Confirmed when this returns.
    func append(_ entry: ControlEntry) async throws(UploadError)

    /// Appends a snapshot of all that the control log says, so that no reader has to read further back. Other entries may
    /// be appended meanwhile. Confirmed when this returns.
    func appendSnapshot() async throws(UploadError)

    /// The content of the control log, read up to now.
    func controlView() async throws(UploadError) -> ControlView

    /// Waits until the control log names another ledger, term or opening than this, or the calling task is cancelled.
    /// - Returns: what the log says then, as far as it is read.
    func controlView(withLedgerOtherThan claim: LedgerClaim?) async throws(UploadError) -> ControlView

    /// Publishes an outcome to the exchange `upload.outcomes`. Confirmed when this returns, also if no queue is bound
    /// there.
    func tell(_ outcome: UploadEvent) async throws(UploadError)

    /// A message as it is kept when the ledger cannot record it, so that it can be published again.
    func copy(of message: NotifierMessage) -> MessageCopy

    /// Gives an order to all shards that it concerns; each of them receives its part. Confirmed when this returns.
    func spread(_ order: UploadOrder, replyTo: String?) async throws(UploadError)

    /// Waits until all that was published before this call is recorded, by this notifier or by others.
    /// - Returns: false if that is not known in time.
    func untilRecorded(within limit: Duration) async -> Bool

    /// Answers an order, if its sender still listens. Transient and not confirmed: the order itself is kept.
    func answer(_ answer: OrderAnswer, to address: String) async
}

/// A message that comes to the notifier.
public enum NotifierMessage: Hashable, Sendable {
    /// A producer's job, as it went to its lane.
    /// - Parameter body: its text, if it is known, so that it need not be written anew for the ledger.
    case job(UploadJob, maybeRepeated: Bool, body: Data? = nil)
    /// A worker's event; `suspect` carries the whole baton.
    /// - Parameter body: as of a job.
    case event(UploadEvent, body: Data? = nil)
    /// A marker of the notifier's own: everything confirmed before it has been read.
    case marker(IssueMarker)
    /// A job or a baton whose message ended in the dead-letter queue: treated like a suspect if a worker had begun it, and issued anew
    /// after a while if not.
    case deadBaton(Baton, DeathCause)
    /// An operator's order.
    /// - Parameter replyTo: the queue on which the sender waits for an answer.
    case order(UploadOrder, replyTo: String?)
    /// A message that cannot be read: kept in the ledger with the reason, for an operator.
    /// - Parameter envelope: what is needed to publish it again.
    case unreadable(Data, reason: String, envelope: MessageEnvelope? = nil)
}

/// The workers' reports on uploads under way, on destinations and on themselves: transient, and no harm if some do not arrive.
public protocol ProgressFeed: Sendable {
    /// Hands over the reports from now on, at a pace that the feed bounds: the latest of each job, of each worker's
    /// destination and of each worker, until the task is cancelled. Survives the loss of the connection; reports that were published
    /// meanwhile are lost.
    func follow(_ take: @escaping @Sendable (WorkerNews) -> Void) async
}

/// What operators do at the broker, by way of the HTTP API.
public protocol BrokerOperations: Sendable {
    /// Publishes an order as a message, so that it holds also if another notifier reads it. The same order published
    /// twice is one.
    /// - Parameter patience: how long to wait for the answer; nil: not at all.
    /// - Returns: the answer; nil when none came in time: the order holds all the same.
    /// - Throws: `networkFailure`, `serverFailure` when the broker does not take it.
    func order(_ order: UploadOrder, patience: Duration?) async throws(UploadError) -> OrderAnswer?

    /// The id of every job that is enqueued under this key, whichever program enqueues it.
    func id(of idempotencyKey: String, in queue: QueueName) -> JobID

    /// Publishes a producer's job, and declares its transfer queue where it is missing. Confirmed when this returns.
    /// - Parameters:
    ///   - maybeRepeated: whether an earlier try may have arrived; then the notifier decides, and there is one upload.
    ///   - limit: how long the broker may take in all.
    ///   - trace: the producer's place in its trace; nil where it names none.
    /// - Throws: `rejected` for a job that the broker refuses; `networkFailure`, `serverFailure`, `interrupted` when it
    ///   does not confirm it: the job may have arrived or not. Publish it again as `maybeRepeated`.
    func enqueue(
        _ job: UploadJob, maybeRepeated: Bool, within limit: Duration, trace: TraceParent?
    ) async throws(UploadError)

    /// Publishes a dead letter again as it was, where it belongs. Confirmed when this returns.
    /// - Returns: the place, for people.
    /// - Throws: `rejected`, with what to do, for one that cannot be published again, or that no queue takes;
    ///   `networkFailure`, `serverFailure` when the broker does not confirm it: then it may be there or not.
    func replay(_ letter: UnreadableMessage) async throws(UploadError) -> String

    /// The depth of each lane of transfer queues now. A queue that was never declared is left out.
    func depths(of queues: [QueueName]) async throws(UploadError) -> [QueueName: [Lane: LaneDepth]]

    /// The content of the control log, as far as the notifier at work has read and written it.
    func controlView() async throws(UploadError) -> ControlView
}
