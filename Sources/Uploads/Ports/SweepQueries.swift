public import Foundation

/// The ledger's face to the sweep of unfinished uploads.
public protocol SweepQueries: Sendable {
    /// nil if the job is not known.
    /// - Throws: `checksumMismatch` where the job's row cannot be read.
    func job(_ id: JobID) async throws(UploadError) -> LedgerJob?

    /// The states of all jobs whose round has not ended, and of those that failed at this time or later.
    func namedStates(failedSince: Date) async throws(UploadError) -> [UploadState]

    /// Whether a job of this destination and key, ended or not, was told at this time or later to go on from such a state: an upload that
    /// one names was begun by the pool, and any other at the same key may be another program's. What was told before an upload began
    /// names an earlier one: some servers give the same ids again.
    func knowsState(
        at destination: DestinationName, key: String, toldSince: Date,
        where isMeant: @escaping @Sendable (UploadState) -> Bool
    ) async throws(UploadError) -> Bool
}
