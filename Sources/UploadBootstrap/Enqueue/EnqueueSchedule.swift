public import Foundation
import Uploads

/// The earliest start of an upload and its expiry. Durations count from the start of the command.
public struct EnqueueSchedule: Hashable, Codable, Sendable {
    /// The earliest start; nil starts at once.
    public var notBefore: Date?
    /// The time after which workers give up; nil leaves that to the retry policy.
    public var expiresAt: Date?

    public init(notBefore: Date? = nil, expiresAt: Date? = nil) {
        self.notBefore = notBefore
        self.expiresAt = expiresAt
    }

    /// The schedule that the flags describe.
    /// - Parameters:
    ///   - after: a duration such as `10m`.
    ///   - at: an RFC 3339 time, or a local time such as `2026-11-22T08:00`; not in the past.
    ///   - expiresIn: a duration such as `1d`.
    /// - Throws: `usage` for invalid values, and for flags that contradict each other.
    public init(
        after: String?, at: String?, expiresIn: String?, now: Date = Date(), zone: TimeZone = .current
    ) throws(ProgramError) {
        if after != nil, at != nil {
            throw ProgramError(.usage, "--after and --at both say when it starts: give one of them")
        }
        if let after { notBefore = now + (try Self.duration(after, of: "--after")) }
        if let at {
            do throws(ProgramError) {
                notBefore = try Self.time(at, zone: zone)
            } catch {
                throw ProgramError(.usage, "--at \(error)")
            }
            // The present minute is none of the past.
            if let notBefore, notBefore < now - 60 {
                throw ProgramError(
                    .usage,
                    "--at \(at): that is \(WireJSON.timestamp(notBefore)), and it is \(WireJSON.timestamp(now)) now; give a later time, or leave it out to start at once"
                )
            }
        }
        if let expiresIn { expiresAt = now + (try Self.duration(expiresIn, of: "--expires-in")) }
        if let problem = problem(now: now) { throw ProgramError(.usage, problem) }
    }

    /// The problem of the two times together; nil if there is none.
    func problem(now: Date) -> String? {
        UploadJob.problem(notBefore: notBefore, expiresAt: expiresAt, now: now)
    }

    /// The schedule in the output of `--dry-run`: `, from 2026-11-22T08:00:00.000Z until …`; empty without times.
    var text: String {
        (notBefore.map { ", from \(WireJSON.timestamp($0))" } ?? "")
            + (expiresAt.map { ", until \(WireJSON.timestamp($0))" } ?? "")
    }

    /// The time that an RFC 3339 text or a local time to the minute or second names.
    /// - Throws: `badInput` for any other text, and for a local time that the clocks skip.
    static func time(_ text: String, zone: TimeZone = .current) throws(ProgramError) -> Date {
        if let date = WireJSON.date(text) { return date }
        guard let match = try? /(\d{4})-(\d\d)-(\d\d)[T ](\d\d):(\d\d)(?::(\d\d))?/.wholeMatch(in: text) else {
            throw ProgramError(
                .badInput, "\(text): expected a time such as 2026-11-22T08:00 (local) or 2026-11-22T08:00:00Z")
        }
        var calendar = Calendar(identifier: .gregorian)
        calendar.timeZone = zone
        let parts = DateComponents(
            year: Int(match.1), month: Int(match.2), day: Int(match.3), hour: Int(match.4), minute: Int(match.5),
            second: match.6.flatMap { Int($0) } ?? 0)
        // A calendar turns February 30th into March 1st or 2nd, which the user may not have meant.
        guard let date = calendar.date(from: parts),
            calendar.dateComponents([.year, .month, .day, .hour, .minute, .second], from: date) == parts
        else { throw ProgramError(.badInput, "\(text): there is no such time in the time zone \(zone.identifier)") }
        return date
    }

    private static func duration(_ text: String, of option: String) throws(ProgramError) -> TimeInterval {
        guard let seconds = Quantity.seconds(text), seconds > 0, seconds.isFinite else {
            throw ProgramError(.usage, "\(option) \(text): expected a duration such as 30s, 10m, 2h or 1d")
        }
        return seconds
    }
}
