public import Foundation

/// A staging area, as the clean-up sees it.
public protocol SweepableStaging: Sendable {
    /// What jobs name.
    var id: String { get }

    /// Everything that was last written to before this time, at most ``StagedLeftover/countMaximum``.
    func leftovers(changedBefore: Date) async throws(UploadError) -> [StagedLeftover]

    /// Removes it, unless somebody works on it or it was written to since it was listed. None left is no error.
    /// - Returns: whether it is gone.
    func discard(_ leftover: StagedLeftover) async throws(UploadError) -> Bool
}
