/// Where an order wants jobs to stand in the serial line of their queue.
public enum LineTarget: Hashable, Sendable {
    /// So many of those that still wait stay ahead, 0 or more.
    case index(Int)
    /// Directly before a job that still waits in the same line.
    case before(JobID)
    /// Directly behind a job of the same line; next, if that one's turn has come already.
    case after(JobID)
}
