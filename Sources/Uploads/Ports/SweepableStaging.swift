public import Foundation

/// A staging area, as the clean-up sees it.
public protocol SweepableStaging: Sendable {
    /// The area's id, as jobs name it.
    var id: String { get }

    /// Everything that was last written to before this time, at most ``StagedLeftover/countMaximum``.
    func leftovers(changedBefore: Date) async throws(UploadError) -> [StagedLeftover]

    /// Removes it, unless it is in use or was written to since it was listed, as far as the area can tell. If it is gone already, that is no error.
    /// - Returns: whether it is gone.
    func discard(_ leftover: StagedLeftover) async throws(UploadError) -> Bool
}
