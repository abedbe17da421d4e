/// Opens the sources of jobs and removes staged copies.
public protocol SourceProvider: Sendable {
    /// Opens and locks the job's source.
    /// - Throws: `invalidFile` (unreadable, outside the source roots), `sourceChanged` (size or time differ).
    func claim(_ job: UploadJob) async throws(UploadError) -> SourceClaim

    /// Removes the staged copy, if the job has one; nothing to do for other kinds, and none missing is no error. Called after the
    /// round's end is confirmed, before the delivery is acknowledged.
    /// - Throws: `invalidFile` when it is there and cannot be removed.
    func removeStagedCopy(of job: UploadJob) async throws(UploadError)
}
