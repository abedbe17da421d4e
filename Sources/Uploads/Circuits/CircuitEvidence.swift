/// What an answer, or its absence, says about a destination as a whole.
public enum CircuitEvidence: Hashable, Sendable {
    /// The destination has this ability, and those that it includes.
    case works(DestinationAbility)
    /// The destination could not do this for one job: it cannot be reached, fails at its side, or refuses.
    case failing(DestinationAbility, UploadError)
    /// The destination can do this for no job: the next job would meet the same failure.
    case broken(DestinationAbility, UploadError)

    /// The ability that reading a source object needs and proves.
    public static let read = DestinationAbility.signIn

    /// nil where the failure concerns the job alone, or came up without asking the destination.
    ///
    /// A refusal (404, 412) is an answer of a server that works, whatever it means for the job. An error that is no answer (a source
    /// that changed, a key that makes no path, a request that was cancelled) says nothing.
    ///
    /// - Parameter isWrite: whether the step wrote at the destination.
    public init?(_ error: UploadError, of reference: DestinationReference, isWrite: Bool) {
        if error.retry.isNotYet {
            self = .works(.signIn)
            return
        }
        switch FailureScope(error, of: reference) {
        case .destination: self = .broken(isWrite ? .write : error.ability, error)
        case .shared: self = .failing(isWrite ? .write : error.ability, error)
        case .pause:
            // Without an answer the destination was not asked. A lock is about one object.
            guard let status = error.response?.status, status != 423 else { return nil }
            let ability = isWrite ? DestinationAbility.write : .reach
            self = if case .after = error.retry { .broken(ability, error) } else { .failing(ability, error) }
        case .job, .noProgress:
            // A 5xx that a driver maps to another failure does not prove that the server works.
            guard let status = error.response?.status, status < 500 else { return nil }
            self = .works(.reach)
        }
    }

    /// The evidence in the answer to a step; nil where the destination may not have been asked.
    ///
    /// Drivers whose session is one request open and complete it without asking the destination, so only the opening of
    /// a session of parts counts; and only as `signIn`, because a full disk still lets sessions be opened.
    public init?(_ fact: SliceFact, of reference: DestinationReference, isWrite: Bool) {
        switch fact {
        case .partAccepted: self = .works(.write)
        case .readBackReached, .readBackMatched: self = .works(.signIn)
        case .opened(let session) where session.partCount > 1 && session.isAsked: self = .works(.signIn)
        case .probed(.unknowable): return nil
        // Nothing has touched the session since it was opened, so the destination was not asked for it.
        case .probed(.partial(let state, _)) where state.isUntouched: return nil
        case .probed: self = .works(.signIn)
        case .failed(let error), .partFailed(_, let error, _):
            // What is said of another place says nothing of the destination.
            guard !error.isOfSource else { return nil }
            self.init(error, of: reference, isWrite: isWrite)
        default: return nil
        }
    }
}

extension UploadError {
    /// The ability that a failed probe has disproved.
    fileprivate var ability: DestinationAbility {
        switch code {
        case .wrongCredentials, .notAuthenticated, .accessDenied: .signIn
        default: .reach
        }
    }
}
