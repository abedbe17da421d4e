/// A destination whose objects can be read back, for jobs that are verified (``UploadJob/verify``).
public protocol ReadableDestination: Destination {
    /// Why a job's object cannot be read back, where that is certain before anything is sent; nil otherwise.
    func readBackProblem(of job: UploadJob) -> UploadError?

    /// Reads a finished object of the job from a byte on to its end, in order, in buffers of about 1 MiB at most. The version that the
    /// object names is read where the destination keeps versions.
    /// - Parameters:
    ///   - offset: less than the object's size, or 0.
    ///   - take: called with one buffer after the other; what it throws ends the reading and is thrown on.
    /// - Throws: `destinationNotFound` when nothing lies there; `networkFailure` when the answer ends before what it has announced.
    func read(
        _ object: StoredObject, of job: UploadJob, from offset: Int64,
        _ take: @escaping @Sendable (SourceBuffer) async throws(UploadError) -> Void
    ) async throws(UploadError)
}

extension ReadableDestination {
    public func readBackProblem(of job: UploadJob) -> UploadError? { nil }
}
