/// The two text formats in which `/metrics` answers.
public enum PrometheusFormat: Hashable, Sendable, CaseIterable {
    /// The text format 0.0.4 (Prometheus documentation, "Exposition formats").
    case text
    /// OpenMetrics 1.0 (https://prometheus.io/docs/specs/om/open_metrics_spec/).
    case openMetrics

    /// The format for a request's `Accept` field (RFC 9110, section 12.5.1): OpenMetrics if the field names it and ranks it no lower
    /// than plain text. Every other request gets text, whatever it accepts: an answer that a person can read is better than 406.
    /// - Parameter accept: the field's value; nil if there is none.
    public init(accept: String?) {
        var openMetrics = 0.0
        var text = 0.0
        for range in (accept ?? "").split(separator: ",") {
            let parts = range.split(separator: ";").map { $0.trimmed.lowercased() }
            var quality = 1.0
            var version: String?
            for parameter in parts.dropFirst() {
                let pair = parameter.split(separator: "=", maxSplits: 1).map(\.trimmed)
                guard pair.count == 2 else { continue }
                if pair[0] == "q" { quality = Double(pair[1]).map { min(max(0, $0), 1) } ?? 0 }
                if pair[0] == "version" { version = pair[1].replacing("\"", with: "") }
            }
            switch parts.first {
            case "application/openmetrics-text" where version == nil || version == "1.0.0":
                openMetrics = max(openMetrics, quality)
            case "text/plain": text = max(text, quality)
            default: break
            }
        }
        self = openMetrics > 0 && openMetrics >= text ? .openMetrics : .text
    }

    /// The answer's media type.
    public var contentType: String {
        switch self {
        case .text: "text/plain; version=0.0.4; charset=utf-8"
        case .openMetrics: "application/openmetrics-text; version=1.0.0; charset=utf-8"
        }
    }
}

extension StringProtocol {
    fileprivate var trimmed: String {
        let begin = drop { $0 == " " || $0 == "\t" }
        return String(begin.reversed().drop { $0 == " " || $0 == "\t" }.reversed())
    }
}
