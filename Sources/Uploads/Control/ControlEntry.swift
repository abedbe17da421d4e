public import Foundation

/// One entry of the control log, by which all workers and notifiers learn of fenced and paused jobs, stopped queues and drained workers.
///
/// JSON `upload.control.v1`: `{"kind": "fence", "generations": {"<job>": 3}}` and so on. An entry names at most
/// ``jobCountMaximum`` jobs; ``parts`` makes such entries of a larger one.
public enum ControlEntry: Hashable, Sendable {
    /// Per job the lowest generation that counts. The highest entry holds, whatever the order.
    case fence([JobID: Int])
    /// Paused, up to and including this generation, per job.
    case pause([JobID: Int])
    /// No longer paused.
    case lift([JobID])
    /// No delivery below these fences can be under way any more: readers drop fences and pauses up to this generation,
    /// per job.
    case forget([JobID: Int])
    /// A transfer queue is stopped.
    case queueStopped(QueueName)
    case queueStarted(QueueName)
    /// A worker is drained, by its ``WorkerReport/worker``. The name is unique to its process, so a worker that was started
    /// again is not drained.
    case workerDrained(String)
    case workerResumed(String)
    /// A snapshot of what the log says up to this place follows, under this id. Reading may begin here once all of its pieces
    /// are read.
    case snapshotBegins(UUID)
    /// One of its pieces.
    case snapshot(SnapshotPiece)
    /// A notifier goes to work with a ledger, or an operator gives the namespace one.
    case ledger(LedgerClaim)
    /// Only a place in the log: when the program that appended it reads it back, it has read everything before it.
    case marker(UUID)
}
