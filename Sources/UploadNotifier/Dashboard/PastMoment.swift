import Foundation
import Uploads

/// A past time as a user of the dashboard types it: `2h`, `12:00` (the last time that the clock showed it), `2026-11-29`, or RFC 3339. Times
/// without a zone are those of the notifier's host.
enum PastMoment {
    private static let longest: TimeInterval = 3650 * 86_400

    /// The zone's abbreviation, for the form.
    static var zone: String { TimeZone.current.abbreviation() ?? "UTC" }

    /// - Returns: nil for a text that is no time.
    static func read(_ text: String, now: Date, in zone: TimeZone = .current) -> Date? {
        let text = text.trimmingCharacters(in: .whitespaces)
        if let exact = WireJSON.date(text) { return exact }
        if let seconds = seconds(text) { return now - seconds }
        var calendar = Calendar(identifier: .gregorian)
        calendar.timeZone = zone
        if let match = text.wholeMatch(of: /([01]?\d|2[0-3]):([0-5]\d)/), let hour = Int(match.1),
            let minute = Int(match.2)
        {
            return calendar.date(bySettingHour: hour, minute: minute, second: 0, of: now).flatMap { today in
                today <= now ? today : calendar.date(byAdding: .day, value: -1, to: today)
            }
        }
        guard let match = text.wholeMatch(of: /(\d{4})-(\d\d)-(\d\d)(?:[T ](\d\d):(\d\d))?/), let year = Int(match.1),
            let month = Int(match.2), let day = Int(match.3)
        else { return nil }
        var parts = DateComponents(
            year: year, month: month, day: day, hour: match.4.flatMap { Int($0) } ?? 0,
            minute: match.5.flatMap { Int($0) } ?? 0)
        parts.timeZone = zone
        return parts.isValidDate(in: calendar) ? calendar.date(from: parts) : nil
    }

    /// `45s`, `90m`, `2h`, `1d`.
    private static func seconds(_ text: String) -> TimeInterval? {
        guard let match = text.wholeMatch(of: /(\d{1,9})([smhd])/), let count = Double(match.1),
            let unit = ["s": 1.0, "m": 60, "h": 3600, "d": 86_400][String(match.2)]
        else { return nil }
        return count * unit <= longest ? count * unit : nil
    }
}
