/// The notifier's side of the broker: its queue, and what it alone may publish.
public protocol NotifierBus: Sendable {
    /// What is left to do for a batch before it may be acknowledged.
    typealias BatchEnd = @Sendable () async throws -> Void

    /// Hands over what the notifier's queue and the dead-letter queue hold, in the order of the queue, in batches, one batch at
    /// a time, until `drain` is called or the task is cancelled. The next batch is handed over while the end of the last one is
    /// awaited, and none after that. A batch is acknowledged when its end returns, and behind those before it; when
    /// `handle` or an end throws, neither that batch nor a later one is acknowledged, and the error is passed on.
    /// Survives the loss of the connection: what was not acknowledged comes again.
    func consume(_ handle: @Sendable ([NotifierMessage]) async throws -> BatchEnd) async throws(UploadError)

    /// Stops taking; `consume` returns when the batches at hand are done.
    func drain() async

    /// Publishes a marker to the notifier's own queue. Confirmed when this returns.
    func mark(_ marker: IssueMarker) async throws(UploadError)

    /// Publishes an issued baton to a lane. Confirmed when this returns.
    /// - Parameter maybeRepeated: set when it cannot be known whether an earlier try arrived; the delivery is then a suspect.
    /// - Returns: whether the lane has taken it. If not, it is not tried again here: the job is held, and issued later.
    func issue(_ baton: Baton, on lane: Lane, maybeRepeated: Bool) async throws(UploadError) -> IssueAnswer

    /// What waits in the lanes of transfer queues now, and who takes from them. A queue that was never declared is left out.
    func depths(of queues: [QueueName]) async throws(UploadError) -> [QueueName: [Lane: LaneDepth]]

    /// Appends to the control log, in parts where the entry names many jobs. Confirmed when this returns.
    func append(_ entry: ControlEntry) async throws(UploadError)

    /// Appends a snapshot of all that the control log says, so that no reader has to read further back. Other entries may
    /// be appended meanwhile. Confirmed when this returns.
    func appendSnapshot() async throws(UploadError)

    /// What the control log says, read up to now.
    func controlView() async throws(UploadError) -> ControlView

    /// Waits until the control log names another ledger, term or opening than this, or the calling task is cancelled.
    /// - Returns: what the log says then, as far as it is read.
    func controlView(withLedgerOtherThan claim: LedgerClaim?) async throws(UploadError) -> ControlView

    /// Tells an outcome to whoever listens on `upload.outcomes`. Confirmed when this returns; nobody listening is no error.
    func tell(_ outcome: UploadEvent) async throws(UploadError)

    /// A message as it is kept when the ledger cannot record it, so that it can be published again.
    func copy(of message: NotifierMessage) -> MessageCopy

    /// Answers an order, if whoever gave it still listens. Transient and not confirmed: the order itself is kept.
    func answer(_ answer: OrderAnswer, to address: String) async
}
