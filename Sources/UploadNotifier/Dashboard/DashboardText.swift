import Foundation
import Uploads

/// Figures in a form that people can read.
enum DashboardText {
    /// `1,204`.
    static func count(_ value: Int) -> String {
        var groups: [String] = []
        var rest = String(value.magnitude)[...]
        while rest.count > 3 {
            groups.insert(String(rest.suffix(3)), at: 0)
            rest = rest.dropLast(3)
        }
        return (value < 0 ? "−" : "") + ([String(rest)] + groups).joined(separator: ",")
    }

    /// `1 job`, `2 jobs`.
    static func count(_ value: Int, _ one: String, _ many: String? = nil) -> String {
        "\(count(value)) \(value == 1 ? one : many ?? one + "s")"
    }

    /// Three significant digits with a binary unit: `999 B`, `1.50 MiB`.
    static func bytes(_ bytes: Int64) -> String {
        var value = Double(max(0, bytes))
        var unit = "B"
        for next in ["KiB", "MiB", "GiB", "TiB", "PiB"] where value >= 1023.5 {
            value /= 1024
            unit = next
        }
        return unit == "B" ? "\(Int(value)) B" : "\(digits(value)) \(unit)"
    }

    /// `12.4 MiB/s`.
    static func rate(_ bytesPerSecond: Double) -> String {
        bytes(Int64(saturating: max(0, bytesPerSecond).rounded())) + "/s"
    }

    /// Three significant digits at most: `0.25`, `12.4`, `310`.
    static func digits(_ value: Double) -> String {
        guard value.isFinite else { return "?" }
        let factor = value < 9.995 ? 100.0 : value < 99.95 ? 10 : 1
        let places = value < 9.995 ? 2 : value < 99.95 ? 1 : 0
        let scaled = Int((min(value, 1e15) * factor).rounded())
        guard places > 0 else { return count(scaled) }
        let (whole, part) = scaled.quotientAndRemainder(dividingBy: Int(factor))
        let fraction = String(part)
        return "\(whole).\(String(repeating: "0", count: places - fraction.count))\(fraction)"
    }

    /// Three significant digits without zeros at the end: `3`, `0.4`.
    static func figure(_ value: Double) -> String {
        var text = digits(value)
        guard text.contains(".") else { return text }
        while text.hasSuffix("0") { text.removeLast() }
        if text.hasSuffix(".") { text.removeLast() }
        return text
    }

    /// In its two largest units: `45 s`, `3 min`, `2 h 5 min`, `4 d 3 h`.
    static func duration(_ seconds: TimeInterval) -> String {
        guard seconds.isFinite, seconds < 86_400 * 1000 else { return "years" }
        let whole = max(0, Int(seconds.rounded()))
        func text(_ value: Int, _ unit: String, _ rest: Int, _ smaller: String) -> String {
            rest == 0 ? "\(value) \(unit)" : "\(value) \(unit) \(rest) \(smaller)"
        }
        return switch whole {
        case ..<60: "\(whole) s"
        case ..<3600: "\(whole / 60) min"
        case ..<86_400: text(whole / 3600, "h", whole % 3600 / 60, "min")
        default: text(whole / 86_400, "d", whole % 86_400 / 3600, "h")
        }
    }

    /// The query of an address.
    static func query(_ pairs: [(String, String)]) -> String {
        pairs.map { name, value in
            "\(name)=\(value.addingPercentEncoding(withAllowedCharacters: DashboardPage.pathCharacters) ?? "")"
        }.joined(separator: "&")
    }

    /// A time relative to now; the exact time is in the element's `datetime`.
    static func time(_ time: Date, now: Date) -> HTML {
        let seconds = now.timeIntervalSince(time)
        let words =
            switch seconds {
            case ..<(-59): "in \(duration(-seconds))"
            case ..<0: "in less than a minute"
            case ..<60: "just now"
            default: "\(duration(seconds)) ago"
            }
        return "<time datetime=\"\(WireJSON.timestamp(time))\">\(words)</time>"
    }

    /// The time that has passed since then.
    static func age(_ time: Date, now: Date) -> HTML {
        let seconds = max(0, now.timeIntervalSince(time))
        return "<time datetime=\"\(WireJSON.timestamp(time))\">\(seconds < 60 ? "< 1 min" : duration(seconds))</time>"
    }
}
