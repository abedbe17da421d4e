/// Opens the sources of jobs and removes staged copies.
public protocol SourceProvider: Sendable {
    /// Looks at the object that the job is to carry (``SourceReference/object(_:seen:)``).
    /// - Throws: `accessDenied` where the configuration does not let jobs read, and what the destination throws that it lies at.
    func examine(_ job: UploadJob) async throws(UploadError) -> SourceExamination

    /// Opens and locks the job's source.
    /// - Throws: `invalidFile` (unreadable, outside the source roots), `sourceChanged` (size or time differ).
    func claim(_ job: UploadJob) async throws(UploadError) -> SourceClaim

    /// Removes the staged copy, if the job has one; nothing to do for other kinds, and none missing is no error. Called after the
    /// round's end is confirmed, before the delivery is acknowledged.
    /// - Throws: `invalidFile` when it is there and cannot be removed.
    func removeStagedCopy(of job: UploadJob) async throws(UploadError)
}

extension SourceProvider {
    /// For those that serve no objects.
    public func examine(_ job: UploadJob) async throws(UploadError) -> SourceExamination {
        throw .objectsUnserved
    }
}

extension UploadError {
    /// Of whoever reads no objects.
    public static var objectsUnserved: UploadError {
        UploadError(
            .misconfigured, "objects at destinations cannot be carried from here; use a worker that serves them")
    }
}
