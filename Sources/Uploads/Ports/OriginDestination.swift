/// A destination whose objects jobs may carry elsewhere: a download, or a copy from one store to another.
public protocol OriginDestination: ReadableDestination {
    /// What lies where the job's destination is, whoever put it there.
    /// - Returns: with its size, what tells it from another one later (ETag, version), and the digests that the destination says of
    ///   the whole; nil when nothing lies there.
    func find(_ job: UploadJob) async throws(UploadError) -> FoundObject?

    /// Reads a range of it, in order, in buffers of about 1 MiB at most.
    /// - Parameters:
    ///   - object: what `find` answered.
    ///   - range: within its size, not empty.
    ///   - take: called with one buffer after the other; what it throws ends the reading and is thrown on.
    /// - Throws: `sourceChanged` when something else lies there now, or nothing; `networkFailure` when the answer ends before what it has
    ///   announced.
    func read(
        _ object: StoredObject, of job: UploadJob, _ range: Range<Int64>,
        _ take: @escaping @Sendable (SourceBuffer) async throws(UploadError) -> Void
    ) async throws(UploadError)
}
