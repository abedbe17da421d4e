import Foundation
import Uploads

/// Writes times for people, in the reader's time zone.
struct LocalTime {
    private var calendar = Calendar(identifier: .gregorian)
    private var now: Date

    init(now: Date = Date(), zone: TimeZone = .current) {
        calendar.timeZone = zone
        self.now = now
    }

    /// `09:12:03`.
    func clock(_ time: Date) -> String {
        let parts = calendar.dateComponents([.hour, .minute, .second], from: time)
        return String(format: "%02d:%02d:%02d", parts.hour ?? 0, parts.minute ?? 0, parts.second ?? 0)
    }

    /// `2026-11-21`.
    func day(_ time: Date) -> String {
        let parts = calendar.dateComponents([.year, .month, .day], from: time)
        return String(format: "%04d-%02d-%02d", parts.year ?? 0, parts.month ?? 0, parts.day ?? 0)
    }

    /// `09:12:03` today, `2026-11-20 09:12:03` otherwise.
    func text(_ time: Date) -> String {
        day(time) == day(now) ? clock(time) : "\(day(time)) \(clock(time))"
    }

    /// The time that has passed since then, in its largest unit: `3m`, `2h`, `5d`.
    func age(_ time: Date) -> String { Self.short(seconds: max(0, now.timeIntervalSince(time))) }

    /// A duration in its largest unit, rounded down: `45s`, `3m`, `2h`, `5d`.
    static func short(seconds: TimeInterval) -> String {
        guard seconds.isFinite, seconds < 1e9 else { return "?" }
        let whole = Int(seconds)
        switch whole {
        case ..<60: return "\(whole)s"
        case ..<3600: return "\(whole / 60)m"
        case ..<86_400: return "\(whole / 3600)h"
        default: return "\(whole / 86_400)d"
        }
    }

    /// The sentence with its RFC 3339 times rewritten in the reader's time zone.
    func localized(_ sentence: String) -> String {
        sentence.replacing(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z/) { match in
            WireJSON.date(String(match.0)).map { text($0) } ?? String(match.0)
        }
    }
}
