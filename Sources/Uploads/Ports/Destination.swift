/// A place that takes bytes: one driver with one configuration. Shared by all slices of a worker.
///
/// Drivers report what they saw; what it means for the job is decided elsewhere. They throw `UploadError` only, and map
/// each foreign status or errno once, beside a reference to its manual.
public protocol Destination: Sendable {
    /// The driver's word in ``UploadState/driver``.
    var driver: String { get }
    /// What a worker may do at this destination at once.
    var limits: TransferLimits { get }

    /// Whether an upload of this job can be interrupted between parts and go on elsewhere. One that cannot must fit
    /// the time for uncut steps, and is not preempted.
    func canYield(_ job: UploadJob) -> Bool

    /// What the destination holds for this job, asked of the destination itself.
    func probe(_ job: UploadJob, state: UploadState?) async throws(UploadError) -> ProbeAnswer

    /// Opens a session, or takes up the one that `state` describes. A session that is gone at the destination is `sessionExpired`;
    /// the caller probes and opens anew.
    func open(_ job: UploadJob, resuming state: UploadState?) async throws(UploadError) -> any UploadSession

    /// Removes what an unfinished session left at the destination. None left is no error.
    func discard(_ state: UploadState, of job: UploadJob) async throws(UploadError)
}
