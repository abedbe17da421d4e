public import Foundation

/// The ledger's face to the sweep of unfinished uploads.
public protocol SweepQueries: Sendable {
    /// nil if the job is not known.
    /// - Throws: `checksumMismatch` where the job's row cannot be read.
    func job(_ id: JobID) async throws(UploadError) -> LedgerJob?

    /// The states of all jobs whose round has not ended, and of those that failed at this time or later.
    func namedStates(failedSince: Date) async throws(UploadError) -> [UploadState]

    /// What jobs of this destination and key, ended or not, were ever told to go on from, at most 10,000: an upload that one
    /// of these names was begun by the pool, and any other at the same key may be another program's.
    func knownStates(at destination: DestinationName, key: String) async throws(UploadError) -> [UploadState]
}
