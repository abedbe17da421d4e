/// What a destination holds for a job.
public enum ProbeAnswer: Hashable, Sendable {
    /// This job's object, whatever else there is of it, known by the job id kept beside it, or by size and digest.
    case complete(CompletedUpload)
    /// An unfinished session that can be gone on with, and what lies under the name beside it: an object that is neither this job's
    /// nor a newer job's. nil: nothing lies there.
    case partial(UploadState, beside: StoredObject?)
    /// Something else under this name. `isNewer`: of a job that was enqueued later than this one; told even if there is a session.
    case other(StoredObject, isNewer: Bool)
    /// Nothing.
    case nothing
    /// The destination cannot be asked (a write-only URL).
    case unknowable
}
