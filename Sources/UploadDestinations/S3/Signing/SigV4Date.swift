import Foundation
import Glibc

/// A time in the format of signatures: `20130524T000000Z`.
struct SigV4Date: Hashable, Sendable {
    let timestamp: String

    /// The part before the `T`: the day of a signing key.
    var day: String { String(timestamp.prefix(8)) }

    init(_ date: Date) {
        // The years 1970 to 9999, which have four digits.
        var seconds = time_t(min(max(date.timeIntervalSince1970, 0), 253_402_300_799))
        var parts = tm()
        gmtime_r(&seconds, &parts)
        func digits(_ number: CInt, _ count: Int = 2) -> String {
            let text = String(number)
            return String(repeating: "0", count: max(0, count - text.count)) + text
        }
        timestamp =
            digits(parts.tm_year + 1900, 4) + digits(parts.tm_mon + 1) + digits(parts.tm_mday) + "T"
            + digits(parts.tm_hour) + digits(parts.tm_min) + digits(parts.tm_sec) + "Z"
    }

    /// - Returns: nil for any other format.
    static func parse(_ text: String) -> Date? {
        let bytes = Array(text.utf8)
        guard bytes.count == 16, bytes[8] == UInt8(ascii: "T"), bytes[15] == UInt8(ascii: "Z") else { return nil }
        func number(_ range: Range<Int>) -> CInt? {
            let digits = bytes[range]
            guard digits.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }) else { return nil }
            return CInt(String(decoding: digits, as: UTF8.self))
        }
        guard let year = number(0..<4), let month = number(4..<6), let day = number(6..<8),
            let hour = number(9..<11), let minute = number(11..<13), let second = number(13..<15)
        else { return nil }
        return HTTPDate.date(year: year, month: month, day: day, hour: hour, minute: minute, second: second)
    }
}
