public import Foundation

/// Which jobs a listing shows, and in what order; what is nil matches any.
public struct LedgerFilter: Hashable, Sendable {
    /// Most jobs of one page.
    public static let limitMaximum = 1000
    /// Fewer Unicode scalars of text find nothing in an index.
    public static let textCountMinimum = 3
    /// Unicode scalars of text that are looked for; what is beyond is left out.
    public static let textCountMaximum = 200

    /// By the time of enqueueing; with ``LedgerFilter/text`` by when the ledger heard of a job, which is nearly the same.
    public enum Order: String, CaseIterable, Sendable {
        case newestFirst, oldestFirst
    }

    public var statuses: Set<LedgerStatus>?
    public var queue: QueueName?
    /// The destination's label: its configured name, or the scheme of a URL.
    public var destination: String?
    public var batch: String?
    public var idempotencyKey: String?
    /// Part of the source's name, the destination's key, metadata, batch, idempotency key or the last error, in upper or
    /// lower case; at least ``textCountMinimum``. Pages may be short with it.
    public var text: String?
    /// Enqueued at this time or later.
    public var enqueuedSince: Date?
    /// Enqueued before this time.
    public var enqueuedUntil: Date?
    public var order: Order
    /// Only jobs that come after this one in the order: ``JobPage/next`` of the page before.
    public var after: JobID?
    /// 1 to ``limitMaximum``.
    public var limit: Int

    public init(
        statuses: Set<LedgerStatus>? = nil, queue: QueueName? = nil, destination: String? = nil,
        order: Order = .newestFirst, after: JobID? = nil, limit: Int = 100
    ) {
        self.statuses = statuses
        self.queue = queue
        self.destination = destination
        self.order = order
        self.after = after
        self.limit = min(max(1, limit), Self.limitMaximum)
    }
}
