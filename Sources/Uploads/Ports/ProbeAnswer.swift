/// What a destination holds for a job.
public enum ProbeAnswer: Hashable, Sendable {
    /// This job's object, known by the job id kept beside it, or by size and digest.
    case complete(CompletedUpload)
    /// An unfinished session that can be gone on with.
    case partial(UploadState)
    /// Something else under this name. `isNewer`: of a job that was enqueued later than this one.
    case other(StoredObject, isNewer: Bool)
    /// Nothing.
    case nothing
    /// The destination cannot be asked (a write-only URL).
    case unknowable
}
