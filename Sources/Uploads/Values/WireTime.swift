import Foundation

/// RFC 3339 times in UTC to the millisecond, by arithmetic, because times are most of the cost of reading and writing a
/// message.
enum WireTime {
    private static let daySeconds: Int64 = 86_400
    /// From 1970-01-01 to 2001-01-01, where `Date` begins to count.
    private static let referenceSeconds: Int64 = 978_307_200

    /// The first and the last time that can be written.
    static let first = Date(timeIntervalSince1970: 0)
    static let last = Date(timeIntervalSince1970: 253_402_300_799.999)

    /// The text for a time that is before or behind all of these, or NaN.
    static func edge(beyond date: Date) -> String {
        date > last ? "9999-12-31T23:59:59.999Z" : "1970-01-01T00:00:00.000Z"
    }

    /// `2026-11-21T08:00:00.000Z`, to the nearest millisecond, so that a time that was read is written as it was. nil for years
    /// before 1970 or beyond 9999.
    static func text(_ date: Date) -> String? {
        var bytes: [UInt8] = []
        return append(date, to: &bytes) ? String(decoding: bytes, as: UTF8.self) : nil
    }

    /// Appends the same text to bytes.
    /// - Returns: whether the year is from 1970 to 9999; otherwise nothing is appended.
    static func append(_ date: Date, to bytes: inout [UInt8]) -> Bool {
        let milliseconds = (date.timeIntervalSinceReferenceDate * 1000).rounded() + Double(referenceSeconds * 1000)
        guard milliseconds >= 0, milliseconds < 253_402_300_800_000 else { return false }
        let (seconds, fraction) = Int64(milliseconds).quotientAndRemainder(dividingBy: 1000)
        let (days, second) = seconds.quotientAndRemainder(dividingBy: daySeconds)
        let (year, month, day) = civil(days)
        appendTwo(year / 100, to: &bytes)
        appendTwo(year % 100, "-", to: &bytes)
        appendTwo(month, "-", to: &bytes)
        appendTwo(day, "T", to: &bytes)
        appendTwo(second / 3600, ":", to: &bytes)
        appendTwo(second / 60 % 60, ":", to: &bytes)
        appendTwo(second % 60, ".", to: &bytes)
        bytes.append(UInt8(ascii: "0") + UInt8(fraction / 100))
        appendTwo(fraction % 100, "Z", to: &bytes)
        return true
    }

    private static func appendTwo(_ value: Int64, _ end: Unicode.Scalar? = nil, to bytes: inout [UInt8]) {
        bytes.append(UInt8(ascii: "0") + UInt8(value / 10))
        bytes.append(UInt8(ascii: "0") + UInt8(value % 10))
        if let end { bytes.append(UInt8(ascii: end)) }
    }

    /// The time of such a text, with milliseconds or without a fraction; nil for any other form, valid or not.
    static func date(_ text: String) -> Date? {
        var text = text
        return text.withUTF8 { bytes -> Date? in
            guard bytes.count == 24 || bytes.count == 20, bytes[bytes.count - 1] == UInt8(ascii: "Z") else {
                return nil
            }
            guard bytes[4] == UInt8(ascii: "-"), bytes[7] == UInt8(ascii: "-"), bytes[10] == UInt8(ascii: "T"),
                bytes[13] == UInt8(ascii: ":"), bytes[16] == UInt8(ascii: ":")
            else { return nil }
            guard bytes.count == 20 || bytes[19] == UInt8(ascii: ".") else { return nil }
            func number(_ range: Range<Int>) -> Int64? {
                var value: Int64 = 0
                for index in range {
                    guard (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(bytes[index]) else { return nil }
                    value = value * 10 + Int64(bytes[index] - UInt8(ascii: "0"))
                }
                return value
            }
            guard let year = number(0..<4), let month = number(5..<7), let day = number(8..<10),
                let hour = number(11..<13), let minute = number(14..<16), let second = number(17..<19),
                let fraction = bytes.count == 24 ? number(20..<23) : 0
            else { return nil }
            // Other times (February 30th, leap seconds) are left to Foundation's calendar.
            guard year >= 1970, (1...12).contains(month), (1...28).contains(day) || isDay(day, month, year), hour < 24,
                minute < 60, second < 60
            else { return nil }
            let seconds = days(year, month, day) * daySeconds + hour * 3600 + minute * 60 + second - referenceSeconds
            return Date(timeIntervalSinceReferenceDate: Double(seconds) + Double(fraction) / 1000)
        }
    }

    private static func isDay(_ day: Int64, _ month: Int64, _ year: Int64) -> Bool {
        guard (29...31).contains(day) else { return false }
        let (_, backMonth, backDay) = civil(days(year, month, day))
        return backMonth == month && backDay == day
    }

    /// Days since 1970 of a day of the Gregorian calendar. Years begin in March here, so that the leap day comes last.
    private static func days(_ year: Int64, _ month: Int64, _ day: Int64) -> Int64 {
        let year = month <= 2 ? year - 1 : year
        let (era, yearOfEra) = year.quotientAndRemainder(dividingBy: 400)
        let dayOfYear = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1
        return era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719_468
    }

    private static func civil(_ days: Int64) -> (year: Int64, month: Int64, day: Int64) {
        let (era, dayOfEra) = (days + 719_468).quotientAndRemainder(dividingBy: 146_097)
        let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let shifted = (5 * dayOfYear + 2) / 153
        let month = shifted < 10 ? shifted + 3 : shifted - 9
        return (era * 400 + yearOfEra + (month <= 2 ? 1 : 0), month, dayOfYear - (153 * shifted + 2) / 5 + 1)
    }
}
