import Foundation

/// The time at which a file's contents changed, as exactly as the one who names it knows it.
///
/// JSON: RFC 3339 with up to nine digits of a fraction, such as `2026-11-28T14:42:04.123456789Z`.
public struct FileTime: Hashable, Sendable {
    /// Since 1970. A time before 1970 counts as 1970, since no message carries one.
    public let nanoseconds: Int64
    /// The digits of the fraction that are known, from 0 to 9.
    public let digits: Int

    /// A time that is known exactly.
    public init(nanoseconds: Int64) {
        self.nanoseconds = max(0, nanoseconds)
        digits = 9
    }

    /// - Returns: nil for a text that names no time from 1970 to 2262.
    public init?(_ text: String) {
        let (head, point, rest) = (text.prefix { $0 != "." }, text.firstIndex(of: "."), text.drop { $0 != "." })
        let fraction = rest.dropFirst().prefix { $0.isASCII && $0.isNumber }
        let zone = rest.dropFirst(point == nil ? 0 : 1 + fraction.count)
        guard point == nil || !fraction.isEmpty, !zone.contains("."), let date = WireJSON.date(String(head + zone))
        else { return nil }
        let kept = fraction.prefix(9)
        let seconds = Int64(date.timeIntervalSince1970.rounded())
        let (whole, isTooLarge) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
        let part = Int64(String(kept) + String(repeating: "0", count: 9 - kept.count)) ?? 0
        let (sum, isSumTooLarge) = whole.addingReportingOverflow(part)
        guard !isTooLarge, !isSumTooLarge else { return nil }
        nanoseconds = sum
        digits = kept.count
    }

    /// The RFC 3339 text in UTC, with so many digits.
    public var text: String {
        let (seconds, fraction) = nanoseconds.quotientAndRemainder(dividingBy: 1_000_000_000)
        let second = WireJSON.timestamp(Date(timeIntervalSince1970: Double(seconds))).prefix(19)
        guard digits > 0 else { return "\(second)Z" }
        let padded = String(repeating: "0", count: 9 - "\(fraction)".count) + "\(fraction)"
        return "\(second).\(padded.prefix(digits))Z"
    }

    /// Whether both may be the same time: equal as far as both are exact, each rounded up or down.
    public func agrees(with other: FileTime) -> Bool {
        var unit: UInt64 = 1
        for _ in min(digits, other.digits)..<9 { unit *= 10 }
        return (nanoseconds - other.nanoseconds).magnitude < unit
    }
}

extension FileTime: Codable {
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        let text = try container.decode(String.self)
        guard let time = FileTime(text) else {
            throw DecodingError.dataCorruptedError(
                in: container, debugDescription: "'\(text.prefix(64))' is no time from 1970 to 2262 (RFC 3339)")
        }
        self = time
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(text)
    }
}
