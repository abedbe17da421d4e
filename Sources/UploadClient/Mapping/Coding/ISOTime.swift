import Foundation
import Uploads

/// ISO 8601 times as other systems write them, in addition to the one form that Longshore writes.
enum ISOTime {
    /// A date and a time of day with a zone (`Z`, `+01:00`, `+0100`, `+01`), with or without a fraction of a second of
    /// any length. nil for a date or time that does not exist.
    static func date(_ text: String) -> Date? {
        if let date = WireJSON.date(text), WireJSON.timestamp(date) == text { return date }
        let form = #/(\d{4}-\d\d-\d\d)[Tt](\d\d):(\d\d):(\d\d)(?:[.,](\d+))?(?:[Zz]|([+-])(\d\d)(?::?(\d\d))?)/#
        guard let match = text.wholeMatch(of: form) else { return nil }
        let (_, day, hour, minute, second, fraction, sign, zoneHour, zoneMinute) = match.output
        guard hour < "24", minute < "60", second < "60", zoneHour ?? "00" < "24", zoneMinute ?? "00" < "60"
        else { return nil }
        // The calendar turns February 30th into a day in March, so compare the day.
        guard let whole = WireJSON.date("\(day)T\(hour):\(minute):\(second)Z"),
            WireJSON.timestamp(whole).hasPrefix(day)
        else { return nil }
        let zoneMinutes = 60 * (number(zoneHour) ?? 0) + (number(zoneMinute) ?? 0)
        return whole + (fraction.flatMap { Double("0.\($0)") } ?? 0) - (sign == "-" ? -60 : 60) * zoneMinutes
    }

    private static func number(_ digits: Substring?) -> Double? { digits.flatMap { Double($0) } }
}
