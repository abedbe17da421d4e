import Foundation
import Uploads

/// Decides without a clock and without I/O when credentials may be used, when they have to be loaded again, and when a failure is reported.
struct CredentialsFreshness: Sendable {
    /// Seconds before the end of credentials from which they are refreshed while requests still use them.
    static let advisorySeconds: TimeInterval = 300
    /// Seconds before their end from which no request is signed before a refresh: the request has to arrive in time, and clocks differ.
    static let mandatorySeconds: TimeInterval = 60
    /// Seconds after an unsuccessful load during which the source is not asked again.
    static let retrySeconds: TimeInterval = 5

    enum Decision: Sendable {
        case use(AWSCredentials)
        /// The credentials may be used, and a refresh is due.
        case refresh(using: AWSCredentials)
        /// Load before a request is signed; if the load fails, use these credentials, if there are any.
        case load(otherwise: AWSCredentials?)
        case fail(UploadError)
    }

    private var held: AWSCredentials?
    private var isRejected = false
    /// The number of rejections. A load that began before a rejection is recognized by an older number.
    private(set) var rejections = 0
    private var triedAt: Date?
    private var failure: UploadError?
    /// When the source returned the same credentials that the server had rejected.
    private var insistedAt: Date?

    func decide(at now: Date, rereadSeconds: TimeInterval?) -> Decision {
        // Only distances count, so that a clock that was set back does not block requests for long.
        func isRecent(_ date: Date?, _ seconds: TimeInterval = Self.retrySeconds) -> Bool {
            date.map { abs(now.timeIntervalSince($0)) < seconds } ?? false
        }
        guard let held, !isRejected || isRecent(insistedAt) else {
            if let failure, isRecent(triedAt) { return .fail(failure) }
            return .load(otherwise: nil)
        }
        guard let end = held.expiresAt else {
            guard let rereadSeconds, !isRecent(triedAt, rereadSeconds) else { return .use(held) }
            return .load(otherwise: held)
        }
        let left = end.timeIntervalSince(now)
        if left > Self.advisorySeconds { return .use(held) }
        if left > Self.mandatorySeconds { return isRecent(triedAt) ? .use(held) : .refresh(using: held) }
        guard isRecent(triedAt) else { return .load(otherwise: nil) }
        // The source returned credentials that have almost expired: it has no better ones, and the server decides whether they are valid.
        return failure.map { .fail($0) } ?? .use(held)
    }

    /// - Parameters:
    ///   - now: the time at which the load began.
    ///   - rejections: the number of rejections at that time.
    /// - Returns: false when the server has rejected these very credentials since the load began, so that the load has no meaning.
    mutating func loaded(_ credentials: AWSCredentials, at now: Date, rejections: Int) -> Bool {
        if isRejected, credentials == held {
            guard rejections == self.rejections else { return false }
            insistedAt = now
        } else if credentials != held {
            insistedAt = nil
        }
        held = credentials
        isRejected = false
        triedAt = now
        failure = nil
        return true
    }

    mutating func failed(_ error: UploadError, at now: Date) {
        triedAt = now
        failure = error
    }

    /// Records that the server rejects these credentials. If they are not the current ones, they have already been replaced.
    mutating func reject(_ credentials: AWSCredentials) {
        guard credentials == held else { return }
        isRejected = true
        rejections += 1
    }
}
