public import Foundation

/// The part of the ledger that answers questions. Its answers are redacted: no inline bytes, no query of a URL.
///
/// Every answer takes a bounded time, however many jobs there are. Lists leave out what cannot be read (a damaged row).
public protocol LedgerQueries: Sendable {
    /// nil if the job is not known.
    /// - Throws: `checksumMismatch`, with what to do, where the job's row cannot be read.
    func job(_ id: JobID) async throws(UploadError) -> LedgerJob?

    /// A page of jobs by the time of enqueueing, those of one millisecond in the order in which the ledger learned of
    /// them; with a text in the filter all of them in that order, which is nearly the same. A page with a text may be
    /// short, or empty, though more follow: it ends when enough was looked at.
    /// - Throws: `rejected` for a text that is too short, or an `after` that is not known (any more).
    func jobs(_ filter: LedgerFilter) async throws(UploadError) -> JobPage

    /// How many jobs match a filter in a status that permits the verb. Changes nothing.
    func count(_ filter: OrderFilter, for verb: Verb) async throws(UploadError) -> Int

    /// How many jobs an order would be about, counted as far as the bounds. Changes nothing.
    func preview(
        _ filter: OrderFilter, for verb: Verb, bounds: OrderPreview.Bounds
    ) async throws(UploadError) -> OrderPreview

    /// The events of a job, in the order of recording.
    func events(of job: JobID) async throws(UploadError) -> [UploadEvent]

    /// The events that were recorded after one, in the order of recording: a page of bounded size. Call again with its
    /// `through` until it is the last, and then whenever something may have been recorded.
    /// - Parameters:
    ///   - sequence: 0 begins with the oldest. One that the ledger has not reached comes from another ledger, which was
    ///     lost: then the pages begin with the oldest event of this one.
    ///   - limit: the most events, 1 to 1000.
    func events(after sequence: Int64, _ filter: EventFilter, limit: Int) async throws(UploadError) -> EventPage

    /// The sequence of the newest event; 0 if nothing was recorded.
    func lastSequence() async throws(UploadError) -> Int64

    /// How many jobs have each status.
    func counts() async throws(UploadError) -> [LedgerStatus: Int]

    /// Jobs with this status, those that got it last first.
    /// - Parameter limit: 1 to 100.
    func latest(_ status: LedgerStatus, limit: Int) async throws(UploadError) -> [LedgerJob]

    /// Every queue that has jobs, by name.
    /// - Parameter throughputSince: minutes that ended before this time are left out. They are kept as long as ended jobs.
    func queues(throughputSince: Date) async throws(UploadError) -> [QueueLoad]

    /// The jobs that ended within a time, in equal parts of it which begin at multiples of their length since 1970, in their order. Parts
    /// in which no job ended are left out. The history goes as far back as ended jobs are kept.
    /// - Parameters:
    ///   - from: within the first part; with more than ``HistoryBucket/countMaximum`` parts the first ones are left out.
    ///   - until: the end of the last part, rounded up.
    ///   - bucketSeconds: the length of a part, a multiple of 60.
    ///   - queue: nil: all queues together.
    func history(
        from: Date, until: Date, bucketSeconds: Int, queue: QueueName?
    ) async throws(UploadError) -> [HistoryBucket]

    /// Every destination that has jobs, by label.
    func destinations() async throws(UploadError) -> [DestinationLoad]

    /// Failed jobs by what they have in common, the largest group first.
    /// - Parameters:
    ///   - queue: nil: jobs of all queues.
    ///   - endedSince: only jobs that ended at this time or later; nil: all.
    ///   - limit: the most groups, 1 to ``FailureGroup/limitMaximum``.
    func failureGroups(
        queue: QueueName?, endedSince: Date?, limit: Int
    ) async throws(UploadError) -> [FailureGroup]

    /// The serial line of a queue, in its order.
    /// - Parameters:
    ///   - after: ``LinePage/next`` of the page before.
    ///   - limit: the most jobs that wait on one page, 1 to 1000.
    func line(of queue: QueueName, after: Int64?, limit: Int) async throws(UploadError) -> LinePage

    /// nil for a job that is in no line (any more).
    func place(of job: JobID) async throws(UploadError) -> LinePlace?

    /// Dead letters, those that could not be read and those that could not be recorded, the newest first, with the beginning of
    /// their bodies.
    func unreadable(_ listing: DeadLetterListing) async throws(UploadError) -> [UnreadableMessage]

    /// How many dead letters there are on all pages.
    func unreadableCount(_ listing: DeadLetterListing) async throws(UploadError) -> Int

    /// nil if there is none with this id.
    func unreadable(_ id: UnreadableMessage.ID) async throws(UploadError) -> UnreadableMessage?

    /// Notes that the broker has confirmed it as published again.
    /// - Returns: false when it was noted before, or there is none with this id.
    func noteReplayed(_ id: UnreadableMessage.ID, at time: Date, by: String) async throws(UploadError) -> Bool

    /// Removes a dead letter for good.
    /// - Returns: whether there was one with this id.
    func discardUnreadable(_ id: UnreadableMessage.ID) async throws(UploadError) -> Bool
}

extension LedgerQueries {
    /// Dead letters, the newest first.
    /// - Parameter before: only those with lower ids: the last one of the page before.
    public func unreadable(before: Int64?, limit: Int) async throws(UploadError) -> [UnreadableMessage] {
        try await unreadable(DeadLetterListing(before: before, limit: limit))
    }
}

/// The part of the ledger that shows and repeats deliveries.
public protocol DeliveryHistory: Sendable {
    /// A page of deliveries, the newest first.
    func deliveries(_ listing: DeliveryListing) async throws(UploadError) -> [DeliveryRecord]

    /// The last attempts of a delivery, oldest first; more than the last 32 are not kept.
    func attempts(of delivery: DelegateDelivery.ID) async throws(UploadError) -> [DeliveryAttempt]

    /// The status of every delegate that ever received something, by name.
    func statuses() async throws(UploadError) -> [DelegateStatus]

    /// When the oldest outcome that a delegate has not taken, and that is still tried, was recorded for it, by name. Delegates without
    /// such outcomes are left out.
    func oldestUndelivered() async throws(UploadError) -> [String: Date]

    /// Makes deliveries due again, with a fresh schedule, in short transactions.
    /// - Returns: how many.
    func replay(_ replay: DeliveryReplay, at: Date) async throws(UploadError) -> Int

    /// Adds deliveries of the outcomes of jobs that ended from the first time on and before the second, as far as the
    /// route takes them and its delegate has not received them: those from before it was registered.
    /// - Returns: how many.
    func deliverPast(
        _ route: DeliveryRoute, from: Date, to: Date, at: Date
    ) async throws(UploadError) -> Int

    /// Strikes off what a removed delegate has not taken, with its pause, so that it holds up no clean-up, and ends its registration
    /// if it was removed.
    /// - Returns: how many outcomes it will not receive.
    func forget(_ delegate: String) async throws(UploadError) -> Int
}

/// The part of the ledger that the sweep of unfinished uploads asks.
public protocol SweepQueries: Sendable {
    /// nil if the job is not known.
    /// - Throws: `checksumMismatch` where the job's row cannot be read.
    func job(_ id: JobID) async throws(UploadError) -> LedgerJob?

    /// The states of all jobs whose round has not ended, and of those that failed at this time or later.
    func namedStates(failedSince: Date) async throws(UploadError) -> [UploadState]

    /// Whether a job of this destination and key, ended or not, was reported at this time or later with such a state.
    /// An upload that a job's state names was begun by the pool; any other at the same key may be another program's. A
    /// state that was reported before an upload began names an earlier one, because some servers give the same ids
    /// again.
    func knowsState(
        at destination: DestinationName, key: String, toldSince: Date,
        where isMeant: @escaping @Sendable (UploadState) -> Bool
    ) async throws(UploadError) -> Bool
}

/// The part of the ledger that the clean-up of staging areas asks.
public protocol StagingQueries: Sendable {
    /// The jobs that name staged copies of an area, by the copies' names, for those among `names`. A job whose row cannot be read
    /// is answered as one that has not ended, so that its copy stays.
    func jobs(naming names: Set<String>, inArea area: String) async throws(UploadError) -> [String: [LedgerJob]]
}

/// The part of the ledger that makes backups.
public protocol LedgerBackup: Sendable {
    /// Copies the ledger as it is at one moment, while it is used, and checks the copy before it gets its name.
    /// - Parameter destination: an absolute path on the ledger's host, in a directory that exists. An older backup there is replaced,
    ///   anything else is not.
    /// - Returns: the copy's bytes.
    /// - Throws: `rejected` if something else is at that path; `misconfigured` if the directory cannot be written.
    @discardableResult
    func backup(to destination: String) async throws(UploadError) -> Int64
}
