public import Foundation

/// What a ``SliceMachine`` is told.
public enum SliceFact: Hashable, Sendable {
    /// The baton was taken; always the first.
    case begun
    case validity(BatonValidity)
    case toldStarted
    case destinationFound(DestinationFacts)
    /// The configuration names no such destination (yet).
    case destinationUnknown
    case probed(ProbeAnswer)
    case sourceClaimed
    case sourceBusy
    case sourceGone
    /// This worker does not serve the staging area (yet).
    case sourceAreaUnknown(String)
    /// This worker does not know the destination that the object lies at (yet).
    case sourceOriginUnknown(String)
    /// The job with what was found of its object.
    case sourceExamined(UploadJob)
    case opened(SessionFacts)
    /// The part of this index was accepted; the session's state after it.
    case partAccepted(Int, UploadState?)
    /// The part of this index was not accepted; the session's state after it.
    case partFailed(Int, UploadError, UploadState? = nil)
    case retryDue(Int)
    case completed(CompletedUpload)
    /// So much of the object is right.
    case readBackReached(ReadBack)
    /// All of it is.
    case readBackMatched
    case discarded
    case stagedCopyRemoved
    /// The time for the last answers is over.
    case lastAnswersDue
    /// The step that was asked for has not begun, for it was called off while it waited for its turn.
    case turnWithdrawn
    /// The step that was asked for failed.
    case failed(UploadError)

    // What comes at any time.

    /// The baton no longer holds.
    case lost(BatonValidity)
    case yieldRequested(YieldReason)
    /// Some time after something else wanted the slot: what is in flight does not move, or the destination's limit holds it up.
    case yieldOverdue
    case sliceTimeReached
    /// The time for steps that cannot be cut ran out.
    case uncutTimeReached
    /// At the rate so far the file will not be there by the end of that time.
    case uncutTimeTooShort(bytesDone: Int64, seconds: TimeInterval)
    /// The worker's grace is used up.
    case graceUsedUp
}
