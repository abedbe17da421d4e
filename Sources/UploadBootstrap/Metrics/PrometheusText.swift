import Foundation
import Uploads

/// Writes names, labels and lines, which differ between the two formats only in a few words.
///
/// Both formats write numbers alike (`le="1.0"`). Otherwise a series would have another identity in each format.
enum PrometheusText {
    private static let total = "_total"

    /// A valid name: `[a-zA-Z_:][a-zA-Z0-9_:]*`; every other character becomes `_`.
    static func name(_ label: String) -> String {
        let name = String(label.map { isNameLetter($0) || $0 == ":" ? $0 : "_" })
        return name.first?.isNumber ?? true ? "_" + name : name
    }

    /// The family's name in OpenMetrics. A counter's family is named like its sample without `_total`.
    static func family(_ label: String, _ kind: PrometheusSeries.Kind) -> String {
        let name = name(label)
        return kind == .counter && name.hasSuffix(total) ? String(name.dropLast(total.count)) : name
    }

    /// The name of a counter's or gauge's samples, and of its family in the text format.
    static func sampleName(of family: String, _ kind: PrometheusSeries.Kind) -> String {
        kind == .counter ? family + total : family
    }

    /// The labels as text, sorted: `a="x",b="y"`.
    static func labels(_ dimensions: [(String, String)]) -> String {
        dimensions.map { key, value in
            "\(name(key).replacing(":", with: "_"))=\"\(escaped(value))\""
        }.sorted().joined(separator: ",")
    }

    /// The lines that introduce a family: type, unit and help.
    /// - Parameter help: without quotation marks, backslashes and line breaks.
    static func head(
        _ family: String, _ kind: PrometheusSeries.Kind, help: String?, _ format: PrometheusFormat
    ) -> String {
        let name = format == .text ? sampleName(of: family, kind) : family
        var text = "# TYPE \(name) \(kind.rawValue)\n"
        let unit = ["seconds", "bytes"].first { family.hasSuffix("_\($0)") }
        if let unit, format == .openMetrics { text += "# UNIT \(name) \(unit)\n" }
        if let help { text += "# HELP \(name) \(help)\n" }
        return text
    }

    /// The lines of one series.
    static func lines(_ family: String, labels: String, _ series: PrometheusSeries) -> String {
        let value = series.value
        switch series.kind {
        case .counter: return line(family + total, labels, number(value.sum))
        case .gauge: return line(family, labels, number(value.sum))
        case .histogram: break
        }
        var text = ""
        var count: UInt64 = 0
        for (bound, inBucket) in zip(series.bounds + [.infinity], value.buckets) {
            count += inBucket
            let le = "le=\"\(number(bound))\""
            text += line("\(family)_bucket", labels.isEmpty ? le : "\(labels),\(le)", "\(count)")
        }
        return text + line("\(family)_sum", labels, number(value.sum)) + line("\(family)_count", labels, "\(count)")
    }

    private static func line(_ name: String, _ labels: String, _ value: String) -> String {
        labels.isEmpty ? "\(name) \(value)\n" : "\(name){\(labels)} \(value)\n"
    }

    /// The shortest form of a number, as Go and Python write it, so that their client libraries and this one write the same text.
    private static func number(_ value: Double) -> String {
        if value == .infinity { return "+Inf" }
        if value == -.infinity { return "-Inf" }
        return value.isNaN ? "NaN" : "\(value)"
    }

    private static func escaped(_ value: String) -> String {
        value.replacing(exactly: "\\", with: "\\\\").replacing(exactly: "\"", with: "\\\"").replacing(
            exactly: "\n", with: "\\n")
    }

    private static func isNameLetter(_ letter: Character) -> Bool {
        letter.isASCII && (letter.isLetter || letter.isNumber || letter == "_")
    }
}
