public import Foundation

/// The ledger's face to the sweep of unfinished uploads.
public protocol SweepQueries: Sendable {
    /// nil if the job is not known.
    /// - Throws: `checksumMismatch` where the job's row cannot be read.
    func job(_ id: JobID) async throws(UploadError) -> LedgerJob?

    /// The states of all jobs whose round has not ended, and of those that failed at this time or later.
    func namedStates(failedSince: Date) async throws(UploadError) -> [UploadState]

    /// Whether a job of this destination and key is known that was enqueued before this time, ended or not.
    func knowsJob(
        at destination: DestinationName, key: String, enqueuedBefore: Date
    ) async throws(UploadError) -> Bool
}
