/// What an answer, or its absence, says about a destination as a whole.
public enum CircuitEvidence: Hashable, Sendable {
    /// It does its work, or refuses with reason: it is alive.
    case alive
    /// It cannot be reached, fails at its side, or asks for fewer requests.
    case failing(UploadError)

    /// nil where a failure speaks about the job alone, or was made without asking the destination.
    ///
    /// A refusal (403, 404, 412) is an answer of a server that works, whatever it means for the job. An error that is no answer
    /// (a source that changed, a key that makes no path, a request that was cancelled) says nothing.
    public init?(_ error: UploadError) {
        guard !error.retry.isNotYet else {
            self = .alive
            return
        }
        switch error.code {
        case .networkFailure, .rateLimited: self = .failing(error)
        case .serverFailure:
            // A 409 is a quarrel about one object.
            if let status = error.response?.status, status < 500 {
                self = .alive
            } else {
                self = .failing(error)
            }
        default:
            // A 5xx that a driver takes for something else proves no health.
            guard let status = error.response?.status, status < 500 else { return nil }
            self = .alive
        }
    }

    /// What the answer to a step at the destination says; nil where nobody may have been asked.
    ///
    /// Drivers whose session is one request open and complete it without a word to the destination, so only a session
    /// of parts counts.
    public init?(_ fact: SliceFact) {
        switch fact {
        case .partAccepted, .readBackReached, .readBackMatched: self = .alive
        case .opened(let session) where session.partCount > 1: self = .alive
        case .probed(let answer):
            if case .unknowable = answer { return nil }
            self = .alive
        case .failed(let error), .partFailed(_, let error): self.init(error)
        default: return nil
        }
    }
}
