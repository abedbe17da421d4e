/// The source of batons.
public protocol JobQueue: Sendable {
    /// Takes deliveries and settles what the handler returns until `drain` is called or the task is cancelled.
    /// Returns when every delivery that it took is settled, acknowledgements included. After a cancellation it may leave deliveries, which
    /// are then delivered again.
    func consume(_ handler: any JobHandler) async throws(UploadError)

    /// Stops taking. What was delivered is still handed to the handler, which hands over what it has not started.
    func drain() async

    /// Takes note how many jobs the handler can have under way at once, so that the queue fetches as many in advance as it needs. Returns at
    /// once.
    func setJobsAtOnce(_ count: Int)

    /// What operators want of the worker that takes from the queue: `running`; `draining` from the order to drain it until
    /// every delivery is settled; then `drained`, until they resume it.
    var workerState: WorkerReport.State { get }
}

extension JobQueue {
    public func setJobsAtOnce(_ count: Int) {}

    public var workerState: WorkerReport.State { .running }
}

/// A delivered baton while its slice works: the value, and the way back to the queue.
public protocol ClaimedBaton: Sendable {
    var baton: Baton { get }
    /// The lane that it came from.
    var lane: Lane { get }

    /// Rule 1: lineage. The slice asks before each step at the destination. If the control log has been silent for 10
    /// s, this appends a marker and reads up to it first, so it may take a round trip.
    func validity() async -> BatonValidity

    /// Calls back once, from any thread: as soon as the baton no longer `holds`, at once if it does not hold now. Called once.
    /// - Returns: what ends the wait.
    func onLoss(_ callback: @escaping @Sendable (BatonValidity) -> Void) -> @Sendable () -> Void

    /// Publishes `started`, with the open session. Confirmed by the broker when this returns; sent once per slice.
    /// - Throws: `networkFailure` when the connection is lost first.
    func started(state: UploadState?) async throws(UploadError)

    /// Publishes progress: transient, unconfirmed, called at most once a second.
    /// - Parameter partBytes: bytes of every part but the last.
    func progress(bytesDone: Int64, bytesPerSecond: Double, partBytes: Int64?)

    /// The place of the job's producer in its trace; nil where the message named none.
    var trace: TraceParent? { get }

    /// Takes note of the slice's span: events of the baton name it from now on, and so does the baton itself if its message named none.
    func note(span: TraceParent)
}

extension ClaimedBaton {
    public var trace: TraceParent? { nil }
    public func note(span: TraceParent) {}
}

/// Whether a held baton still counts.
public enum BatonValidity: Hashable, Sendable {
    /// It counts; go on.
    case holds
    /// A higher generation counts: stop at once, touch nothing.
    case superseded
    /// The job is paused: stop at a part boundary and wait on the ladder.
    case paused
    /// Its transfer queue is stopped, or its worker drained: stop at a part boundary and hand over.
    case stopped
    /// Rule 9: epoch and lock. The connection that delivered it is gone: stop at once, publish nothing.
    case disconnected
}

/// The engine, which a job queue calls for each delivery.
public protocol JobHandler: Sendable {
    /// Takes note of a delivery. The queue calls this for the deliveries of a lane in their order, and it returns at
    /// once, so that a worker with few slots can begin what came first.
    /// - Returns: the function that carries the baton for one slice. The queue calls it once for every delivery, for
    ///   several at once.
    func accept(_ claimed: any ClaimedBaton) -> @Sendable () async -> SettledSlice

    /// Carries the baton for one slice. Called once per delivery, for several at once; never throws, always settles.
    func handle(_ claimed: any ClaimedBaton) async -> SettledSlice

    /// Rule 6: ends. Removes the job's staged copy, after the end of the round was confirmed. The delivery is
    /// acknowledged when this returns.
    func removeStagedCopy(of job: UploadJob) async
}

extension JobHandler {
    public func accept(_ claimed: any ClaimedBaton) -> @Sendable () async -> SettledSlice {
        { await self.handle(claimed) }
    }
}
