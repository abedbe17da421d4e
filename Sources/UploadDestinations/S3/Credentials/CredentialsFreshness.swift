import Foundation
import Uploads

/// When credentials are good, when they are to be loaded anew, and when a failure is told: decided without a clock or
/// I/O.
struct CredentialsFreshness: Sendable {
    /// From here on they are refreshed while they are still used, in seconds before their end.
    static let advisorySeconds: TimeInterval = 300
    /// From here on nothing is signed with them before a refresh: the request has to arrive, and clocks differ.
    static let mandatorySeconds: TimeInterval = 60
    /// How long after an attempt that brought nothing new the source is left alone.
    static let retrySeconds: TimeInterval = 5

    enum Decision: Sendable {
        case use(AWSCredentials)
        /// They are good, and new ones are due.
        case refresh(using: AWSCredentials)
        /// Load before anything is signed; when that fails, use these if there are any.
        case load(otherwise: AWSCredentials?)
        case fail(UploadError)
    }

    private var held: AWSCredentials?
    private var isRejected = false
    /// How often credentials were rejected, to know a load that began before a rejection.
    private(set) var rejections = 0
    private var triedAt: Date?
    private var failure: UploadError?
    /// When the source gave the very ones that had been rejected.
    private var insistedAt: Date?

    func decide(at now: Date, rereadSeconds: TimeInterval?) -> Decision {
        // A clock that was set back must not make anything wait for long: only distances count.
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
        // A source that gives what has as good as expired has nothing better; whether it is good the server knows.
        return failure.map { .fail($0) } ?? .use(held)
    }

    /// - Parameters:
    ///   - now: the time for which the load was begun.
    ///   - rejections: as many as there were then.
    /// - Returns: false when just these have been rejected since the load began, so that it says nothing.
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

    /// The server does not take these any longer. Others than those that are held have been replaced already.
    mutating func reject(_ credentials: AWSCredentials) {
        guard credentials == held else { return }
        isRejected = true
        rejections += 1
    }
}
