/// Why a job waits on the ladder instead of running.
public enum WaitReason: Hashable, Sendable {
    /// An attempt failed: counted, recorded, and tried again.
    case retry(UploadError)
    /// This worker's configuration does not name the destination (yet).
    case unknownDestination
    /// This worker does not serve the staging area (yet).
    case unknownStagingArea
    /// A newer version wrote the job, or names a driver that this one does not have.
    case unsupportedVersion
    /// Another slice works on the staged copy.
    case locked
    /// Its producer has not copied the next part into the staging area yet.
    case copying
    /// It is being cancelled, and a worker that has not read of that may still be sending it.
    case cancelling
    /// A limit of the worker or the destination holds it up.
    case limited(UploadError)
    /// The destination's circuit is open, or the job found out that the destination still fails; the error says why.
    case circuitOpen(UploadError)
    /// The destination has the bytes and is not done with them; the error says what it does.
    case notYet(UploadError)
    /// The destination, or a server in front of it, asked for a pause, or another client holds a lock there; the error
    /// says which.
    case resting(UploadError)
    /// Its time is over by the worker's clock, which no other clock has confirmed.
    case clock
    /// Paused until an operator lifts it.
    case paused
    /// Not due yet (`notBefore`).
    case scheduled

    /// Only a failed attempt counts against the job's attempts.
    public var countsAsAttempt: Bool { if case .retry = self { true } else { false } }

    /// Whether the job waits for something that it cannot do without, so that patience ends it; nil for waits that
    /// neither begin nor end such a wait.
    var isMissingSomething: Bool? {
        switch self {
        case .circuitOpen, .resting, .notYet, .unknownDestination, .unknownStagingArea, .unsupportedVersion: true
        case .retry, .copying, .paused, .scheduled: false
        case .limited, .locked, .cancelling, .clock: nil
        }
    }

    /// A bounded word for events and metrics.
    public var label: String {
        switch self {
        case .retry: "retry"
        case .unknownDestination: "unknownDestination"
        case .unknownStagingArea: "unknownStagingArea"
        case .unsupportedVersion: "unsupportedVersion"
        case .locked: "locked"
        case .copying: "copying"
        case .cancelling: "cancelling"
        case .limited: "limited"
        case .circuitOpen: "circuitOpen"
        case .notYet: "notYet"
        case .resting: "resting"
        case .clock: "clock"
        case .paused: "paused"
        case .scheduled: "scheduled"
        }
    }
}
