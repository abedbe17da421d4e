import Foundation
import Glibc

/// The dates of HTTP: RFC 9110, section 5.6.7, with its two obsolete forms.
enum HTTPDate {
    private static let months = [
        "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
    ]

    /// - Parameter now: a year of two digits that would be more than 50 years after `now` is taken for the past
    ///   century.
    static func parse(_ text: String, now: Date) -> Date? {
        var words = text.split { $0 == " " || $0 == "," || $0 == "-" }.dropFirst()
        if words.last == "GMT" {
            words.removeLast()
        } else if words.count == 4 {
            // asctime: month, day, time, year.
            words = [
                words[words.startIndex + 1], words[words.startIndex], words[words.startIndex + 3],
                words[words.startIndex + 2],
            ]
        } else {
            return nil
        }
        guard words.count == 4 else { return nil }
        let fields = Array(words)
        let time = fields[3].split(separator: ":", omittingEmptySubsequences: false)
        guard let month = months.firstIndex(where: { $0 == fields[1] }), time.count == 3,
            let day = number(fields[0], 1...2), let hour = number(time[0]), let minute = number(time[1]),
            let second = number(time[2])
        else { return nil }
        func date(_ year: CInt) -> Date? {
            Self.date(year: year, month: CInt(month) + 1, day: day, hour: hour, minute: minute, second: second)
        }
        if let year = number(fields[2], 4...4) { return date(year) }
        guard let year = number(fields[2]) else { return nil }
        let this = self.year(of: now)
        let near = this - this % 100 + year
        return date(near > this + 50 ? near - 100 : near)
    }

    /// - Returns: nil for a date that the calendar does not have. A leap second counts as the next minute's first.
    static func date(year: CInt, month: CInt, day: CInt, hour: CInt, minute: CInt, second: CInt) -> Date? {
        guard (0...23).contains(hour), (0...59).contains(minute), (0...60).contains(second) else { return nil }
        var parts = tm()
        parts.tm_year = year - 1900
        parts.tm_mon = month - 1
        parts.tm_mday = day
        parts.tm_hour = hour
        parts.tm_min = minute
        parts.tm_sec = second
        let seconds = timegm(&parts)
        // timegm takes the 31st of February for a day in March.
        guard second == 60 || (parts.tm_mon == month - 1 && parts.tm_mday == day) else { return nil }
        return Date(timeIntervalSince1970: TimeInterval(seconds))
    }

    private static func year(of date: Date) -> CInt {
        var seconds = time_t(date.timeIntervalSince1970)
        var parts = tm()
        gmtime_r(&seconds, &parts)
        return parts.tm_year + 1900
    }

    private static func number(_ text: Substring, _ digits: ClosedRange<Int> = 2...2) -> CInt? {
        guard digits.contains(text.utf8.count),
            text.utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) })
        else { return nil }
        return CInt(text)
    }
}
