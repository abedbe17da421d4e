/// The place to which an order moves jobs in the serial line of their queue.
public enum LineTarget: Hashable, Sendable {
    /// So many of the waiting jobs stay ahead, 0 or more.
    case index(Int)
    /// Directly before a job that still waits in the same line.
    case before(JobID)
    /// Directly behind a job of the same line; first, if that job's turn has come already.
    case after(JobID)
}
