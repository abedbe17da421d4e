public import Foundation

/// An answer or event that a ``SliceMachine`` takes in. Indirect, and so are the other two enumerations that tasks of a slice hand on: a
/// task keeps room for every copy of a value that it has in hand, and each running job had 60 KiB of them.
public indirect enum SliceFact: Hashable, Sendable {
    /// The baton was taken; always the first.
    case begun
    case validity(BatonValidity)
    case toldStarted
    case destinationFound(DestinationFacts)
    /// The configuration names no such destination (yet).
    case destinationUnknown
    case probed(ProbeAnswer)
    case sourceClaimed
    /// The staged copy is open, and its staging area has no locks: another slice may read it at the same time.
    case sourceUnlocked
    case sourceBusy
    case sourceGone
    /// This worker does not serve the staging area (yet).
    case sourceAreaUnknown(String)
    /// This worker's configuration does not name the destination that holds the source object (yet).
    case sourceOriginUnknown(String)
    /// As many jobs of this worker read from the source object's place as may at once.
    case sourceLimited(UploadError)
    /// The job, with the size, ETag and digests of its source object.
    case sourceExamined(UploadJob)
    case opened(SessionFacts)
    /// The part of this index was accepted; the session's state after it.
    case partAccepted(Int, UploadState?)
    /// The part of this index was not accepted; the session's state after it.
    case partFailed(Int, UploadError, UploadState? = nil)
    /// The bytes of the part of this index are not in the staged copy yet; it was not sent.
    case partNotCopied(Int)
    case retryDue(Int)
    case completed(CompletedUpload)
    /// The object matches the source up to this place.
    case readBackReached(ReadBack)
    /// The whole object matched.
    case readBackMatched
    case discarded
    case stagedCopyRemoved
    /// The time for the last answers is over.
    case lastAnswersDue
    /// The step was called off while it waited for its turn; it has not begun.
    case turnWithdrawn
    /// The step that was asked for failed.
    case failed(UploadError)

    // Facts that may come at any time.

    /// The baton no longer `holds`.
    case lost(BatonValidity)
    case yieldRequested(YieldReason)
    /// An urgent job still waits for the slot, and the parts in flight do not move, or the destination's limit holds
    /// them up.
    case yieldOverdue
    case sliceTimeReached
    /// The time for steps that cannot be cut ran out.
    case uncutTimeReached
    /// At the rate so far the upload will not be done by the end of that time.
    case uncutTimeTooShort(bytesDone: Int64, seconds: TimeInterval)
    /// The worker's grace period is used up.
    case graceUsedUp
}

extension SliceFact {
    /// Whether the place that the source object is read from has answered rightly.
    public var showsSourceWorks: Bool {
        switch self {
        case .sourceExamined, .partAccepted: true
        default: false
        }
    }

    /// The failure of the place that the source object is read from; nil for any other fact.
    public var sourceFailure: UploadError? {
        switch self {
        case .failed(let error), .partFailed(_, let error, _): error.isOfSource ? error : nil
        default: nil
        }
    }
}
