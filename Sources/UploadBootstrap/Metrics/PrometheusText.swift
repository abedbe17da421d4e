import Foundation

/// The text format 0.0.4 (Prometheus documentation, "Exposition formats").
enum PrometheusText {
    static let contentType = "text/plain; version=0.0.4; charset=utf-8"

    /// `[a-zA-Z_:][a-zA-Z0-9_:]*`; what else there is becomes `_`.
    static func name(_ label: String) -> String {
        let name = String(label.map { isNameLetter($0) || $0 == ":" ? $0 : "_" })
        return name.first?.isNumber ?? true ? "_" + name : name
    }

    /// `a="x",b="y"`, sorted.
    static func labels(_ dimensions: [(String, String)]) -> String {
        dimensions.map { key, value in
            "\(name(key).replacing(":", with: "_"))=\"\(escaped(value))\""
        }.sorted().joined(separator: ",")
    }

    /// The lines of one series.
    static func lines(_ name: String, labels: String, _ series: PrometheusSeries) -> String {
        let value = series.value
        guard series.kind == .histogram else { return line(name, labels, number(value.sum)) }
        var text = ""
        var count: UInt64 = 0
        for (bound, inBucket) in zip(series.bounds + [.infinity], value.buckets) {
            count += inBucket
            let le = "le=\"\(number(bound))\""
            text += line("\(name)_bucket", labels.isEmpty ? le : "\(labels),\(le)", "\(count)")
        }
        return text + line("\(name)_sum", labels, number(value.sum)) + line("\(name)_count", labels, "\(count)")
    }

    private static func line(_ name: String, _ labels: String, _ value: String) -> String {
        labels.isEmpty ? "\(name) \(value)\n" : "\(name){\(labels)} \(value)\n"
    }

    private static func number(_ value: Double) -> String {
        if value == .infinity { return "+Inf" }
        if value == -.infinity { return "-Inf" }
        if value.isNaN { return "NaN" }
        return value == value.rounded() && abs(value) < 1e15 ? "\(Int64(value))" : "\(value)"
    }

    private static func escaped(_ value: String) -> String {
        value.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"").replacing("\n", with: "\\n")
    }

    private static func isNameLetter(_ letter: Character) -> Bool {
        letter.isASCII && (letter.isLetter || letter.isNumber || letter == "_")
    }
}
