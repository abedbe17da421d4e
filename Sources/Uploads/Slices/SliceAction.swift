/// What a ``SliceMachine`` wants done. Every action but `withdrawTurns`, `cancelRequests` and `settle` is answered by a ``SliceFact``.
public enum SliceAction: Hashable, Sendable {
    /// Ask how the baton stands; answered by `validity`.
    case checkValidity
    /// Tell that the slice works, with the open session; answered by `toldStarted`, or `failed`.
    case tellStarted(UploadState?)
    /// Look up the destination; answered by `destinationFound`, `destinationUnknown` or `failed`.
    case findDestination
    /// Ask the destination what it holds; answered by `probed` or `failed`.
    case probe(UploadState?)
    /// Look at the object that is to be carried; answered by `sourceExamined`, `sourceGone`, `sourceOriginUnknown` or `failed`.
    case examineSource
    /// Open and lock the source; answered by `sourceClaimed`, `sourceBusy`, `sourceGone`, `sourceAreaUnknown`, `sourceOriginUnknown` or
    /// `failed`.
    case claimSource
    /// Open a session or take one up, and tell it the condition of the write as far as it is known; answered by `opened` or `failed`.
    case open(resuming: UploadState?, condition: WriteCondition = .none)
    /// Send the missing part of this index, from 0, asking first how the baton stands; answered by `partAccepted` or `partFailed`.
    case sendPart(Int)
    /// Wait before a part is sent again; answered by `retryDue`.
    case waitToRetry(Int, milliseconds: Int)
    /// Check that the source is unchanged, then make the object; answered by `completed` or `failed`.
    case complete(WriteCondition)
    /// Read the object from there on and compare it with the source, telling `readBackReached` on the way; answered by `readBackMatched`,
    /// or `failed`, with `checksumMismatch` if it is something else.
    case readBack(ReadBack)
    /// Remove an unfinished session; answered by `discarded` or `failed`.
    case discard(UploadState)
    /// Remove the staged copy, under the lock; answered by `stagedCopyRemoved` or `failed`.
    case removeStagedCopy
    /// What waits for its turn under the destination's limit need not wait any more: parts answer `partFailed`, a step answers
    /// `turnWithdrawn`. What is on its way goes on.
    case withdrawTurns
    /// Cancel what was asked and has not answered; each still answers.
    case cancelRequests
    /// Wait for the last answers of what was cancelled; answered by `lastAnswersDue`.
    case awaitLastAnswers(milliseconds: Int)
    /// Cancel whatever is under way, let go of session and source, and settle. Always the last.
    case settle(Settlement)
}

extension SliceAction {
    /// Whether the destination is to keep something.
    public var isWrite: Bool {
        switch self {
        case .open, .sendPart, .complete: true
        default: false
        }
    }

    /// Whether its answer is the destination's.
    public var isAtDestination: Bool {
        switch self {
        case .probe, .open, .sendPart, .complete, .readBack, .discard: true
        case .checkValidity, .tellStarted, .findDestination, .examineSource, .claimSource, .waitToRetry,
            .removeStagedCopy, .withdrawTurns, .cancelRequests, .awaitLastAnswers, .settle:
            false
        }
    }
}
