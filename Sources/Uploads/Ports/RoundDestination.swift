/// A destination that has to tell the rounds of a job apart: what a server remembers of one that ended must not answer the next.
public protocol RoundDestination: Destination {
    /// As ``Destination/open(_:resuming:)``.
    /// - Parameter round: of the job, from 1; the same for each attempt of it.
    func open(
        _ job: UploadJob, round: Int, resuming state: UploadState?
    ) async throws(UploadError) -> any UploadSession
}
