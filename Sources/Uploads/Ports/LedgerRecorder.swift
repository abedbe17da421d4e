public import Foundation

/// The part of the ledger that the notifier writes: what happened, and what is to be published because of it.
public protocol LedgerRecorder: Sendable {
    /// Rule 3: issuing. Records messages in the order in which they came, in one transaction that is durable when this
    /// returns, and notes in the same transaction what is to be published and delivered. Recording the same messages
    /// again changes nothing and doubles no outcome.
    /// - Parameters:
    ///   - view: the control log, read no earlier than the messages if there are suspects or markers among them.
    ///   - routes: which outcomes go into whose outbox.
    /// - Returns: the publications that are now owed because of these messages, in order.
    func record(
        _ messages: [NotifierMessage], view: ControlView, routes: [DeliveryRoute], now: Date
    ) async throws(UploadError) -> [OwedAction]

    /// Records messages one at a time, still in one durable transaction: for a batch that failed because of what one of
    /// its messages says. A message that fails for a reason of its own changes nothing, and is kept with that reason as
    /// a dead letter (``LedgerQueries/unreadable(_:)->UnreadableMessage?``); the others are recorded.
    /// - Parameter copy: a message as it is kept.
    /// - Throws: what concerns the database as a whole: a full disk, a lock, a damaged file. Nothing is recorded then.
    func recordSingly(
        _ messages: [NotifierMessage], view: ControlView, routes: [DeliveryRoute], now: Date,
        copy: @escaping @Sendable (NotifierMessage) -> MessageCopy
    ) async throws(UploadError) -> SingleRecording

    /// Carries out an operator's verb, in one durable transaction. A cancel of a job that no worker ever had ends the
    /// job in it.
    /// - Parameter routes: which outcomes go into whose outbox.
    /// - Throws: `rejected` when the job cannot obey or is not known.
    func order(
        _ verb: Verb, of job: JobID, view: ControlView, routes: [DeliveryRoute], now: Date
    ) async throws(UploadError) -> [OwedAction]

    /// Carries out the next part of an order, in one durable transaction; to be called until it has the answer, and
    /// what is owed is published in between. An order whose id is known already goes on where it stopped; one that was
    /// done changes nothing and has the same answer. Orders are remembered as long as ended jobs. A job that cannot obey for a
    /// reason of its own, such as a damaged row, is answered with that reason.
    /// - Parameter routes: which outcomes go into whose outbox.
    func carryOut(
        _ order: UploadOrder, view: ControlView, routes: [DeliveryRoute], now: Date
    ) async throws(UploadError) -> OrderStep

    /// How many jobs match a filter in a status that permits the verb.
    func count(_ filter: OrderFilter, for verb: Verb) async throws(UploadError) -> Int

    /// The state of jobs by all that was recorded before the call: one answer for each, in their order. One that the
    /// ledger does not know, or whose row cannot be read, is answered with that reason. Reads only.
    func reports(of jobs: [JobID]) async throws(UploadError) -> [OrderAnswer.Job]

    /// Everything owed, oldest first; issued batons flagged as maybe repeated. A publication that a later event has
    /// made needless is left out and struck off. A note that cannot be read is struck off as well, and kept with the
    /// reason as a dead letter.
    func owed() async throws(UploadError) -> [OwedAction]

    /// Strikes off what was published and confirmed, together with what is recorded next: it is durable within about a second.
    /// After a crash before that it is repeated.
    func settle(_ owed: [OwedAction.ID])

    /// Notes, in one durable transaction, that no lane has taken an issued baton: the job is held.
    func unclaimed(_ baton: Baton, _ cause: DeathCause, now: Date) async throws(UploadError)

    /// Transfer queues, by name, that have held jobs whose time has come.
    /// - Parameters:
    ///   - queue: the queue behind which to go on; nil: from the first.
    ///   - limit: the most queues that are looked at.
    func heldQueues(after queue: QueueName?, now: Date, limit: Int) async throws(UploadError) -> HeldQueues

    /// Begins to issue jobs of a transfer queue that are held and whose time has come, at most `limit` of them, in one durable
    /// transaction.
    /// - Parameter hasWorker: whether a worker takes from the queue. Jobs whose messages a policy has dropped wait for one.
    /// - Returns: what is now owed, in order.
    func release(
        _ queue: QueueName, hasWorker: Bool, view: ControlView, now: Date, limit: Int
    ) async throws(UploadError) -> [OwedAction]

    /// The given jobs whose fences may be forgotten, because their ``LedgerJob/fenceEndsAt`` has passed. A job that the
    /// ledger does not know, or cannot read, is not among them.
    func outlived(_ jobs: [JobID], at now: Date) async throws(UploadError) -> [JobID]

    /// Forgets jobs that ended before this time, with their events and deliveries, at most `limit` of them. A job with
    /// an outcome that is still to be delivered is kept.
    /// - Parameter named: the control log. The jobs that it names are kept too: only the ledger knows when their fences
    ///   may be forgotten.
    /// - Returns: how many were forgotten.
    func prune(endedBefore: Date, besides named: ControlView, limit: Int) async throws(UploadError) -> Int

    /// Takes the names, metadata, answers and errors of jobs that ended before this time out, at most `limit` of them, as the verb
    /// ``Verb/forget`` does; a job that cannot obey is left as it is.
    /// - Parameter job: the job behind which to go on; nil: from the first.
    func forget(
        endedBefore: Date, after job: JobID?, at now: Date, limit: Int
    ) async throws(UploadError) -> ForgottenPage

    /// Removes the log of tries to deliver from before a time, and dead letters from before another one, at most `limit` of each.
    /// - Parameter lettersBefore: nil removes no dead letter that waits.
    /// - Returns: the most that was removed of one kind; fewer than `limit` when nothing is left.
    func pruneLogs(triedBefore: Date, lettersBefore: Date?, limit: Int) async throws(UploadError) -> Int

    /// Removes the entries of the audit log about orders that were given before this time.
    func pruneAudit(before: Date) async throws(UploadError)

    /// Notes an order that is carried out later. Durable when this returns.
    func accept(_ order: UploadOrder) async throws(UploadError)

    /// Orders to forget that were accepted and are not carried out to their end, the oldest first.
    func acceptedForgetting() async throws(UploadError) -> [UploadOrder]

    /// Takes what was forgotten out of the files as well: empties the ledger's log.
    /// - Parameter rewriting: whether a small ledger is also written anew, so that no page keeps a part of what it once held.
    func scrub(rewriting: Bool) async throws(UploadError)

    /// The shards that this notifier is to work for. Of several notifiers with one ledger each has some of them, until another one takes
    /// them over.
    func kept(of shards: Shards) -> Set<Int>

    /// Returns once the notifier is to work for other shards than these, or when the task is cancelled.
    func untilKept(otherThan shards: Set<Int>) async

    /// Says whether this notifier takes part in the division of the shards; one that does not is without shards after a while.
    func share(_ isSharing: Bool) async

    /// Lets other notifiers have the shards that this one is not to keep. Nothing about these may be under way here.
    func giveSurplus() async

    /// Whether other notifiers work with this ledger now.
    var isShared: Bool { get }

    /// What other notifiers may have done: the number of the last delivery, and whether the registered delegates are others than those that
    /// were read last.
    func news() async throws(UploadError) -> LedgerNews
}

/// What a notifier has to look at because another one may have done it.
public struct LedgerNews: Hashable, Sendable {
    /// The number of the last delivery that was noted; 0 if there is none.
    public var lastDelivery: Int64
    public var hasOtherDelegates: Bool

    public init(lastDelivery: Int64 = 0, hasOtherDelegates: Bool = false) {
        self.lastDelivery = lastDelivery
        self.hasOtherDelegates = hasOtherDelegates
    }
}
