import Foundation
import Synchronization

/// The server's time as far as known: this machine's time and the difference.
final class S3Clock: Sendable {
    /// The most seconds by which the clocks may differ without a correction. S3 accepts requests that are up to 15
    /// minutes off, so a smaller difference does no harm. `Date` itself is inexact by its resolution of 1 s and the
    /// answer's travel time, and on a slow connection that must not make the clock jump.
    static let toleratedSeconds: TimeInterval = 60

    private let seconds = Mutex<TimeInterval>(0)

    /// Seconds that the server's clock is ahead of this machine's; 0 until a difference is known to matter.
    var offsetSeconds: TimeInterval { seconds.withLock { $0 } }

    func now(_ local: Date = Date()) -> Date { local + offsetSeconds }

    /// Learns from the `Date` header of an answer. Use it only for an answer that refuses a request for its time (`RequestTimeTooSkewed`,
    /// `RequestExpired`): the date of a cached answer is older than the answer.
    /// - Parameters:
    ///   - signedAt: the time with which the refused request was signed, from `now`.
    ///   - local: when the answer came.
    /// - Returns: whether the request was signed with another time than the server's, so that one repetition is worth it. If many
    ///   requests are refused at once, each gets true. False for an invalid date.
    func learn(serverDate: String, signedAt: Date, local: Date = Date()) -> Bool {
        guard let server = HTTPDate.parse(serverDate, now: local) else { return false }
        let offset = server.timeIntervalSince(local)
        seconds.withLock { seconds in
            if abs(offset - seconds) > Self.toleratedSeconds { seconds = offset }
        }
        return abs(server.timeIntervalSince(signedAt)) > Self.toleratedSeconds
    }
}
