public import Foundation
import Uploads

/// Durations and sizes in the notation of the configuration and of the programs' output.
public enum Quantity {
    private static let durationUnits: [(suffix: String, seconds: Double)] = [
        ("ms", 0.001), ("s", 1), ("m", 60), ("h", 3600), ("d", 86_400),
    ]
    private static let byteUnits: [(suffix: String, bytes: Double)] = [
        ("KiB", 0x1p10), ("MiB", 0x1p20), ("GiB", 0x1p30), ("TiB", 0x1p40),
        ("kB", 1e3), ("KB", 1e3), ("MB", 1e6), ("GB", 1e9), ("TB", 1e12), ("B", 1),
    ]

    /// Seconds for `500ms`, `25s`, `5m`, `2h`, `1d`, `1h30m`; `0` needs no unit.
    public static func seconds(_ text: String) -> TimeInterval? {
        if text == "0" { return 0 }
        var rest = text[...]
        var sum = 0.0
        while !rest.isEmpty {
            guard let number = leadingNumber(&rest) else { return nil }
            let unit = rest.prefix { $0.isLetter }
            guard let known = durationUnits.first(where: { $0.suffix == unit }) else { return nil }
            rest.removeFirst(unit.count)
            sum += number * known.seconds
        }
        return text.isEmpty ? nil : sum
    }

    /// Bytes for `4096`, `100MiB`, `1.5GiB`, `2GB`.
    public static func bytes(_ text: String) -> Int64? {
        var rest = text[...]
        guard let number = leadingNumber(&rest) else { return nil }
        let unit = rest.drop { $0 == " " }
        let factor = unit.isEmpty ? 1 : byteUnits.first { $0.suffix == unit }?.bytes
        guard let factor, number * factor < 0x1p62 else { return nil }
        return Int64(number * factor)
    }

    /// `5m`, `1h30m`, `250ms`.
    public static func text(seconds: TimeInterval) -> String {
        if seconds == 0 { return "0" }
        if seconds < 1 { return "\(Int(saturating: (seconds * 1000).rounded()))ms" }
        var rest = Int(saturating: seconds.rounded())
        var text = ""
        for unit in durationUnits.dropFirst().reversed() where rest >= Int(unit.seconds) {
            text += "\(rest / Int(unit.seconds))\(unit.suffix)"
            rest %= Int(unit.seconds)
        }
        return text
    }

    /// Three significant digits with a binary unit: `0 B`, `999 B`, `1.50 MiB`, `64.0 MiB`, `1000 KiB`.
    public static func text(bytes: Int64) -> String {
        var value = Double(bytes)
        var unit = "B"
        for next in ["KiB", "MiB", "GiB", "TiB", "PiB"] where value >= 1023.5 {
            value /= 1024
            unit = next
        }
        if unit == "B" { return "\(bytes) B" }
        let digits = value < 9.995 ? 2 : value < 99.95 ? 1 : 0
        return value.formatted(
            .number.precision(.fractionLength(digits)).grouping(.never).locale(Locale(identifier: "C")))
            + " \(unit)"
    }

    /// The exact size in the notation of the configuration: `8MiB`, `1000`.
    static func notation(bytes: Int64) -> String {
        for (shift, unit) in [(Int64(40), "TiB"), (30, "GiB"), (20, "MiB"), (10, "KiB")] {
            let factor = Int64(1) << shift
            if bytes >= factor, bytes % factor == 0 { return "\(bytes / factor)\(unit)" }
        }
        return "\(bytes)"
    }

    private static func leadingNumber(_ rest: inout Substring) -> Double? {
        let digits = rest.prefix { ("0"..."9").contains($0) || $0 == "." }
        guard let first = digits.first, first != ".", digits.last != ".", let number = Double(digits) else {
            return nil
        }
        rest.removeFirst(digits.count)
        return number
    }
}
