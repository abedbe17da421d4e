/// A step that a ``SliceMachine`` asks its caller to do. Every action but `withdrawTurns`, `cancelRequests` and
/// `settle` is answered by a ``SliceFact``.
public indirect enum SliceAction: Hashable, Sendable {
    /// Ask whether the baton still counts; answered by `validity`.
    case checkValidity
    /// Publish `started`, with the open session; answered by `toldStarted`, or `failed`.
    case tellStarted(UploadState?)
    /// Look up the destination; answered by `destinationFound`, `destinationUnknown` or `failed`.
    case findDestination
    /// Ask the destination what it holds; answered by `probed` or `failed`.
    case probe(UploadState?)
    /// Look at the job's source object; answered by `sourceExamined`, `sourceGone`, `sourceOriginUnknown`, `sourceLimited` or `failed`.
    case examineSource
    /// Open and lock the source; answered by `sourceClaimed`, `sourceUnlocked`, `sourceBusy`, `sourceGone`, `sourceAreaUnknown`, `sourceOriginUnknown`,
    /// `sourceLimited` or `failed`.
    case claimSource
    /// Open a session or resume one, and pass it the condition of the write as far as it is known; answered by `opened`
    /// or `failed`.
    case open(resuming: UploadState?, condition: WriteCondition = .none)
    /// Send the missing part of this index, from 0, after asking whether the baton still counts; answered by
    /// `partAccepted`, `partNotCopied` or `partFailed`.
    case sendPart(Int)
    /// Wait before a part is sent, or sent again; answered by `retryDue`.
    case waitToRetry(Int, milliseconds: Int)
    /// Check that the source is unchanged, then make the object; answered by `completed` or `failed`.
    case complete(WriteCondition)
    /// Read the object from this place on and compare it with the source, reporting `readBackReached` on the way;
    /// answered by `readBackMatched`, or by `failed`, with `checksumMismatch` if the object differs.
    case readBack(ReadBack)
    /// Remove an unfinished session; answered by `discarded` or `failed`.
    case discard(UploadState)
    /// Remove the staged copy, under the lock; answered by `stagedCopyRemoved` or `failed`.
    case removeStagedCopy
    /// Call off the parts and steps that wait for their turn under the destination's limit: a part answers
    /// `partFailed`, a step `turnWithdrawn`. Requests that are under way go on.
    case withdrawTurns
    /// Cancel the requests that have not answered; each of them still answers.
    case cancelRequests
    /// Wait for the last answers of the cancelled requests; answered by `lastAnswersDue`.
    case awaitLastAnswers(milliseconds: Int)
    /// Cancel everything under way, close session and source, and settle. Always the last action.
    case settle(Settlement)
}

extension SliceAction {
    /// Whether the step writes at the destination.
    public var isWrite: Bool {
        switch self {
        case .open, .sendPart, .complete: true
        default: false
        }
    }

    /// Whether the destination answers the step.
    public var isAtDestination: Bool {
        switch self {
        case .probe, .open, .sendPart, .complete, .readBack, .discard: true
        case .checkValidity, .tellStarted, .findDestination, .examineSource, .claimSource, .waitToRetry,
            .removeStagedCopy, .withdrawTurns, .cancelRequests, .awaitLastAnswers, .settle:
            false
        }
    }
}
