/// Where batons come from.
public protocol JobQueue: Sendable {
    /// Takes deliveries and settles what the handler returns until `drain` is called or the task is cancelled.
    /// Returns when every delivery that it took is settled, acknowledgements included.
    func consume(_ handler: any JobHandler) async throws(UploadError)

    /// Stops taking. What was delivered is still handed to the handler, which hands over what it has not started.
    func drain() async
}

/// A delivered baton while its slice works: the value, and the line back to the queue.
public protocol ClaimedBaton: Sendable {
    var baton: Baton { get }
    /// The lane that it came from.
    var lane: Lane { get }

    /// Asked before each step at the destination. If the control log has been silent for 10 s, this appends a marker and reads up to
    /// it first, so it may take a round trip.
    func validity() async -> BatonValidity

    /// Returns as soon as the baton no longer `holds`; never `holds` unless the task is cancelled.
    func loss() async -> BatonValidity

    /// Tells that the slice works, with the open session. Confirmed by the broker when this returns; sent once per slice.
    /// - Throws: `networkFailure` when the connection is lost first.
    func started(state: UploadState?) async throws(UploadError)

    /// Tells progress: transient, unconfirmed, called at most once a second.
    func progress(bytesDone: Int64, bytesPerSecond: Double)
}

/// How a held baton stands.
public enum BatonValidity: Hashable, Sendable {
    /// It counts; go on.
    case holds
    /// A higher generation counts: stop at once, touch nothing.
    case superseded
    /// The job is paused: stop at a part boundary and wait on the ladder.
    case paused
    /// Its transfer queue is stopped: stop at a part boundary and hand over.
    case stopped
    /// The connection that delivered it is gone: stop at once, publish nothing.
    case disconnected
}

/// What a job queue calls: the engine.
public protocol JobHandler: Sendable {
    /// Takes note of a delivery: called for one after the other of a lane, in the order of delivery, and returns at once. So
    /// whoever has few slots can begin what came first.
    /// - Returns: what carries the baton for one slice. Called once for every delivery, for several at once.
    func accept(_ claimed: any ClaimedBaton) -> @Sendable () async -> SettledSlice

    /// Carries the baton for one slice. Called once per delivery, for several at once; never throws, never forgets.
    func handle(_ claimed: any ClaimedBaton) async -> SettledSlice

    /// The end of the job's round is confirmed; removes its staged copy. The delivery is acknowledged when this returns.
    func removeStagedCopy(of job: UploadJob) async
}

extension JobHandler {
    public func accept(_ claimed: any ClaimedBaton) -> @Sendable () async -> SettledSlice {
        { await self.handle(claimed) }
    }
}
