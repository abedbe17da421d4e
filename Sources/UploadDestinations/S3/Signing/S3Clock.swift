import Foundation
import Synchronization

/// The server's time, as far as it is known: this machine's and what it is off by.
final class S3Clock: Sendable {
    /// How far apart the clocks may be before it is worth a correction, in seconds. S3 takes requests up to 15 minutes
    /// off, so less than this hurts nobody, and a `Date` is itself off by its resolution of 1 s and by the answer's
    /// time on the way, which on a slow line must not make the clock jump.
    static let toleratedSeconds: TimeInterval = 60

    private let seconds = Mutex<TimeInterval>(0)

    /// What the server's clock is ahead of this machine's, in seconds; 0 until it is known to matter.
    var offsetSeconds: TimeInterval { seconds.withLock { $0 } }

    func now(_ local: Date = Date()) -> Date { local + offsetSeconds }

    /// Takes the `Date` header of an answer. Only of one that refuses a request for its time (`RequestTimeTooSkewed`,
    /// `RequestExpired`): the date of a cached answer is older than the answer.
    /// - Parameters:
    ///   - signedAt: the time that the refused request was signed with, from `now`.
    ///   - local: when the answer came.
    /// - Returns: whether the request was signed with a time that is not the server's, so that it is worth repeating
    ///   once. Many requests under way may be refused at a time, and each is told so. False for what is no date.
    func learn(serverDate: String, signedAt: Date, local: Date = Date()) -> Bool {
        guard let server = HTTPDate.parse(serverDate, now: local) else { return false }
        let offset = server.timeIntervalSince(local)
        seconds.withLock { seconds in
            if abs(offset - seconds) > Self.toleratedSeconds { seconds = offset }
        }
        return abs(server.timeIntervalSince(signedAt)) > Self.toleratedSeconds
    }
}
