/// Whom a failure concerns: one job, or every job of a destination. The scope decides which jobs wait, what ends the
/// waiting, and whether an attempt is used up: see the table in <doc:Operating>.
public enum FailureScope: Hashable, Sendable {
    /// The job alone: a failed attempt, or the job's end.
    case job
    /// Every job of the destination, at once: they wait, and none of them uses up an attempt.
    case destination
    /// The destination, where several jobs meet the failure in a row; this job, where others are served. A failed
    /// attempt, which the circuit counts.
    case shared
    /// Neither job nor destination: a pause that a server asked for, a lock, a limit of the worker. The job waits, and
    /// uses up no attempt.
    case pause
    /// The destination keeps nothing of what it was sent: an attempt, with its backoff.
    case noProgress

    /// - Parameter reference: the destination that the job names. A URL carries its own credentials, so that refused
    ///   ones say nothing of its host's other jobs.
    public init(_ error: UploadError, of reference: DestinationReference) {
        let isNamed = if case .named = reference { true } else { false }
        self.init(error, isNamed: isNamed)
    }

    /// - Parameter isNamed: whether the configuration names the place.
    init(_ error: UploadError, isNamed: Bool) {
        switch error.retry {
        case .pause, .notYet:
            self = .pause
            return
        case .never, .afterBackoff, .after: break
        }
        switch error.code {
        case .noSpace, .destinationAway: self = .destination
        case .wrongCredentials, .notAuthenticated: self = isNamed ? .destination : .job
        // A setting that can never work for this job (a key that the driver cannot name) concerns the job alone; one
        // that can be mended (a certificate, a clock, a missing secret) concerns every job.
        case .misconfigured: self = isNamed && error.retry != .never ? .destination : .job
        case .rateLimited: self = .pause
        case .serverFailure where error.isLock || error.isWish: self = .pause
        case .serverFailure where (error.response?.status ?? 500) < 500: self = .job
        case .networkFailure where error.cause is IdleConnectionClosed: self = .job
        case .networkFailure, .serverFailure: self = .shared
        // Credentials that are asked for anew (a ticket, a pre-signed URL) are the job's own.
        case .accessDenied where isNamed && error.response != nil && error.retry == .never: self = .shared
        case .sessionExpired, .interrupted: self = .noProgress
        default: self = .job
        }
    }
}

extension UploadError {
    /// RFC 4918, section 11.3: another client has locked the object.
    fileprivate var isLock: Bool { response?.status == 423 }

    /// RFC 9110, section 15.6.4: the server is busy, and says for how long.
    fileprivate var isWish: Bool { if case .after = retry { response?.status == 503 } else { false } }
}
