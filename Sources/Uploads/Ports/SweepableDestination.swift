public import Foundation

/// A destination that can list what was begun and never finished, so that what nobody names is removed.
public protocol SweepableDestination: Destination {
    /// Unfinished uploads below the destination's prefix that were begun before this time, all pages of them, at most
    /// ``UnfinishedUpload/countMaximum``; the oldest first where the destination can tell without listing more.
    func unfinished(startedBefore: Date) async throws(UploadError) -> [UnfinishedUpload]

    /// What ``UnfinishedUpload/sessionID`` is for the session that a state describes; nil for a state of another driver or of none.
    func sessionID(of state: UploadState) -> String?

    /// Removes it with everything that was sent. None left is no error.
    func discard(_ upload: UnfinishedUpload) async throws(UploadError)
}
