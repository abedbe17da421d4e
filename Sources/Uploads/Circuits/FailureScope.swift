/// Whose trouble a failure is. It decides who waits, what ends the waiting, and whether an attempt is used up: the table stands in
/// <doc:Operating>.
public enum FailureScope: Hashable, Sendable {
    /// The job's own, whatever becomes of others: an attempt, or the end.
    case job
    /// Every job's that goes there, at once. They wait, and none of them uses up an attempt.
    case destination
    /// The destination's, where several jobs meet it in a row; this job's, where others are served. An attempt, which counts for the
    /// circuit.
    case shared
    /// Neither's: a pause that a server asked for, a lock, a limit of our own. The job waits, and uses up no attempt.
    case pause
    /// The destination keeps nothing of what it was sent: an attempt, with its backoff.
    case noProgress

    /// - Parameter reference: what the job names. The credentials of a URL are in it, so that it says nothing of its host's other jobs.
    public init(_ error: UploadError, of reference: DestinationReference) {
        let isNamed = if case .named = reference { true } else { false }
        switch error.retry {
        case .pause, .notYet:
            self = .pause
            return
        case .never, .afterBackoff, .after: break
        }
        switch error.code {
        case .noSpace, .destinationAway: self = .destination
        case .wrongCredentials, .notAuthenticated: self = isNamed ? .destination : .job
        // A setting that a job cannot be carried with for good is its own problem (a key that the driver cannot name); what may be mended
        // (a certificate, a clock, a secret that is missing) is everybody's.
        case .misconfigured: self = isNamed && error.retry != .never ? .destination : .job
        case .rateLimited: self = .pause
        case .serverFailure where error.isLock || error.isWish: self = .pause
        case .serverFailure where (error.response?.status ?? 500) < 500: self = .job
        case .networkFailure where error.cause is IdleConnectionClosed: self = .job
        case .networkFailure, .serverFailure: self = .shared
        // What is asked for anew (a ticket, a pre-signed URL) is the job's own.
        case .accessDenied where isNamed && error.response != nil && error.retry == .never: self = .shared
        case .sessionExpired, .interrupted: self = .noProgress
        default: self = .job
        }
    }
}

extension UploadError {
    /// RFC 4918, section 11.3: another client works on it.
    fileprivate var isLock: Bool { response?.status == 423 }

    /// RFC 9110, section 15.6.4: the server is busy, and says for how long.
    fileprivate var isWish: Bool { if case .after = retry { response?.status == 503 } else { false } }
}
