extension SliceMachine {
    /// The step that is under way.
    enum Phase: Hashable, Sendable {
        case notBegun
        case validity(then: Step)
        case tellingStarted
        case finding
        case examining
        case claiming
        case probing(Purpose)
        case opening
        case sending
        case completing
        case readingBack
        case discarding(AfterDiscard)
        case removingCopy
        case settled

        /// Whether the step writes at the destination.
        var isWrite: Bool {
            switch self {
            case .opening, .sending, .completing: true
            default: false
            }
        }
    }

    /// The step that follows once the baton is known to count.
    enum Step: Hashable, Sendable {
        case begin
        case probe(Purpose)
        case open(UploadState?)
        case send
        case complete
        case readBack
        case discard(UploadState, AfterDiscard)
        case removeCopy
    }

    /// Why the destination is probed.
    enum Purpose: Hashable, Sendable {
        /// A worker may have held the job before.
        case heldBefore
        /// The staged copy is gone: perhaps because the job is done.
        case sourceGone
        /// The completing call failed, but may have made the object.
        case doubtfulCompletion(UploadError)
        /// A part that is the whole object was refused because of the object that the key already has.
        case conditionFailed(UploadError)
        /// The session vanished: perhaps because it was completed.
        case sessionGone(UploadError)
        /// The last look before a failure is published.
        case beforeFailing(UploadError)
        /// The destination answered that it has stored other bytes: no probe may take these for a success.
        case storedOtherwise(UploadError)
        /// The object that was read back differs from the source: perhaps another program has replaced it.
        case readBackFailed(UploadError)
        /// Looks for what a cancelled job has left.
        case cancel

        /// Whether the destination is believed to hold other bytes than were sent.
        var isOfBroken: Bool {
            switch self {
            case .storedOtherwise, .readBackFailed: true
            default: false
            }
        }
    }

    enum AfterDiscard: Hashable, Sendable {
        /// Settle; with `otherwise` if the session could not be removed, so that it stays named.
        case settle(Settlement, otherwise: Settlement)
        /// A cancelled job's session is removed: probe what else the destination holds.
        case probeCancelled
        /// A cancelled job's session that only the destination knew is removed as well: end.
        case endCancelled
    }

    /// The parts of an open session.
    struct Sending: Hashable, Sendable {
        var missingCount = 0
        /// Bytes that the destination did not hold when the session was opened.
        var bytesMissing: Int64 = 0
        var next = 0
        var acceptedCount = 0
        var inFlight: Set<Int> = []
        var waiting: Set<Int> = []
        var tries: [Int: Int] = [:]
        /// How often each part was looked for that is not in the staged copy yet.
        var polls: [Int: Int] = [:]
        /// Whether the parts in flight were cancelled to free the slot, so that their failures do not count.
        var isCut = false
        /// Set once a part failed for good: what follows when no part is in flight any more.
        var failure: Failure?

        enum Failure: Hashable, Sendable {
            case attempt(UploadError)
            case conditionFailed(UploadError)
            case sessionGone(UploadError)
            case storedOtherwise(UploadError)
            /// The next part is not in the staged copy yet.
            case notCopied
        }

        var isComplete: Bool { acceptedCount == missingCount }
        var hasBegun: Bool { next > 0 }
    }
}
