/// The ledger's face to those who ask. What it hands out is redacted: no inline bytes, no query of a URL.
public protocol LedgerQueries: Sendable {
    /// nil if the job is not known.
    func job(_ id: JobID) async throws(UploadError) -> LedgerJob?

    /// A page of jobs in the order of their ids.
    func jobs(_ filter: LedgerFilter) async throws(UploadError) -> [LedgerJob]

    /// What was told of a job, in the order of recording.
    func events(of job: JobID) async throws(UploadError) -> [UploadEvent]

    /// How many jobs stand how.
    func counts() async throws(UploadError) -> [LedgerStatus: Int]

    /// The newest dead letters that nobody could read.
    func unreadable(limit: Int) async throws(UploadError) -> [UnreadableMessage]
}
