/// Which jobs a listing shows.
public struct LedgerFilter: Hashable, Sendable {
    /// Most jobs of one page.
    public static let limitMaximum = 1000

    public var statuses: Set<LedgerStatus>?
    public var queue: QueueName?
    public var destination: String?
    /// Only jobs after this one: ids sort by the time of enqueueing.
    public var after: JobID?
    /// 1 to ``limitMaximum``.
    public var limit: Int

    public init(
        statuses: Set<LedgerStatus>? = nil, queue: QueueName? = nil, destination: String? = nil, after: JobID? = nil,
        limit: Int = 100
    ) {
        self.statuses = statuses
        self.queue = queue
        self.destination = destination
        self.after = after
        self.limit = min(max(1, limit), Self.limitMaximum)
    }
}
