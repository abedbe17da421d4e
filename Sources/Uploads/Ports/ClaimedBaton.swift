/// A delivered baton while its slice works: the value, and the line back to the queue.
public protocol ClaimedBaton: Sendable {
    var baton: Baton { get }
    /// The lane that it came from.
    var lane: Lane { get }

    /// Asked before each step at the destination. If the control log has been silent for 10 s, this appends a marker and reads up to
    /// it first, so it may take a round trip.
    func standing() async -> Standing

    /// Returns as soon as the baton no longer `holds`; never `holds` unless the task is cancelled.
    func loss() async -> Standing

    /// Tells that the slice works, with the open session. Confirmed by the broker when this returns; sent once per slice.
    /// - Throws: `networkFailure` when the connection is lost first.
    func started(state: UploadState?) async throws(UploadError)

    /// Tells progress: transient, unconfirmed, called at most once a second.
    func progress(bytesDone: Int64, bytesPerSecond: Double)
}
