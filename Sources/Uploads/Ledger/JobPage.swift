/// Part of a listing of jobs, in its order.
public struct JobPage: Hashable, Sendable {
    /// Perhaps fewer than asked for, or none, though more follow.
    public var jobs: [LedgerJob]
    /// The `after` of the next page: the last job that was looked at. nil on the last page.
    public var next: JobID?

    public init(jobs: [LedgerJob], next: JobID?) {
        self.jobs = jobs
        self.next = next
    }
}
