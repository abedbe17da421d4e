extension SliceMachine {
    /// What is under way.
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

        /// Whether the destination is to keep something.
        var isWrite: Bool {
            switch self {
            case .opening, .sending, .completing: true
            default: false
            }
        }
    }

    /// What follows once the validity of the baton is known.
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

    /// Why the destination is asked.
    enum Purpose: Hashable, Sendable {
        /// Somebody held the job before.
        case heldBefore
        /// The staged copy is gone: perhaps because the job is done.
        case sourceGone
        /// The completing call may have worked all the same.
        case doubtfulCompletion(UploadError)
        /// A part that is the whole object was refused because of what lies there.
        case conditionFailed(UploadError)
        /// The session vanished: perhaps because it was completed.
        case sessionGone(UploadError)
        /// The last look before a failure is told.
        case beforeFailing(UploadError)
        /// The destination says itself that it has stored something else: no probe may take that for a success.
        case storedOtherwise(UploadError)
        /// What was read back is not what was enqueued: perhaps somebody has replaced it.
        case readBackFailed(UploadError)
        /// What a cancelled job has left.
        case cancel

        /// Whether the destination holds something else than was sent, for all that is known.
        var isOfBroken: Bool {
            switch self {
            case .storedOtherwise, .readBackFailed: true
            default: false
            }
        }
    }

    enum AfterDiscard: Hashable, Sendable {
        /// Settle so; otherwise so, if the session could not be removed and must not be forgotten.
        case settle(Settlement, otherwise: Settlement)
        /// A cancelled job's session is gone; now what does the destination hold?
        case probeCancelled
        /// A cancelled job's unknown session is gone as well.
        case endCancelled
    }

    /// The parts of an open session.
    struct Sending: Hashable, Sendable {
        var missingCount = 0
        /// What the destination did not hold when the session was opened.
        var bytesMissing: Int64 = 0
        var next = 0
        var acceptedCount = 0
        var inFlight: Set<Int> = []
        var waiting: Set<Int> = []
        var tries: [Int: Int] = [:]
        /// What is in flight was cut, so that its failures say nothing.
        var isCut = false
        /// What follows when nothing is in flight any more, once something failed for good.
        var failure: Failure?

        enum Failure: Hashable, Sendable {
            case attempt(UploadError)
            case conditionFailed(UploadError)
            case sessionGone(UploadError)
            case storedOtherwise(UploadError)
        }

        var isComplete: Bool { acceptedCount == missingCount }
        var hasBegun: Bool { next > 0 }
    }
}
