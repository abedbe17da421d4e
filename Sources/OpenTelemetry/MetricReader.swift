import SwiftProtobuf

/// Makes the points of OTLP from the values of counters, gauges and histograms, which only grow or are set.
struct MetricReader {
    private struct Key: Hashable {
        let name: String
        let labels: [String: String]
    }

    private struct Last {
        let sum: Double
        let buckets: [UInt64]
    }

    let temporality: TelemetrySettings.Temporality
    /// Nanoseconds since 1970.
    private let beganAt: UInt64
    private var readAt: UInt64
    private var last: [Key: Last] = [:]

    init(_ temporality: TelemetrySettings.Temporality, at now: UInt64) {
        self.temporality = temporality
        beganAt = now
        readAt = now
    }

    /// - Parameter now: nanoseconds since 1970.
    mutating func read(_ families: [MetricFamily], at now: UInt64) -> [OTLP.Metric] {
        defer { readAt = now }
        let from = temporality == .delta ? readAt : beganAt
        let kind: OTLP.Temporality = temporality == .delta ? .delta : .cumulative
        return families.map { family in
            .with { metric in
                metric.name = family.name
                metric.description_p = family.help
                metric.unit = Self.unit(of: family)
                switch family.kind {
                case .gauge: metric.gauge.dataPoints = family.series.map { Self.point($0, $0.sum, from: nil, now) }
                case .counter:
                    metric.sum.isMonotonic = true
                    metric.sum.aggregationTemporality = kind
                    metric.sum.dataPoints = family.series.map { series in
                        Self.point(series, since(series, of: family).sum, from: from, now)
                    }
                case .histogram:
                    metric.histogram.aggregationTemporality = kind
                    metric.histogram.dataPoints = family.series.map { series in
                        let values = since(series, of: family)
                        return .with {
                            $0.attributes = Self.attributes(series)
                            $0.startTimeUnixNano = from
                            $0.timeUnixNano = now
                            $0.count = values.buckets.reduce(0, &+)
                            $0.sum = values.sum
                            $0.bucketCounts = values.buckets
                            $0.explicitBounds = series.bounds
                        }
                    }
                }
            }
        }
    }

    /// What the series has gathered since the last reading, or since the program began.
    private mutating func since(_ series: MetricFamily.Series, of family: MetricFamily) -> Last {
        let now = Last(sum: series.sum, buckets: series.buckets)
        guard temporality == .delta else { return now }
        let before = last.updateValue(now, forKey: Key(name: family.name, labels: series.labels))
        guard let before, before.buckets.count == now.buckets.count else { return now }
        return Last(sum: now.sum - before.sum, buckets: zip(now.buckets, before.buckets).map { $0 &- $1 })
    }

    private static func point(
        _ series: MetricFamily.Series, _ value: Double, from: UInt64?, _ now: UInt64
    ) -> OTLP.NumberPoint {
        .with {
            $0.attributes = attributes(series)
            if let from { $0.startTimeUnixNano = from }
            $0.timeUnixNano = now
            $0.asDouble = value
        }
    }

    private static func attributes(_ series: MetricFamily.Series) -> [OTLP.KeyValue] {
        series.labels.sorted { $0.key < $1.key }.map { OTLP.KeyValue($0.key, $0.value) }
    }

    /// The unit in the code of UCUM, which the names have as a word.
    private static func unit(of family: MetricFamily) -> String {
        let name = family.name.hasSuffix("_total") ? String(family.name.dropLast("_total".count)) : family.name
        if name.hasSuffix("_seconds") { return "s" }
        return name.hasSuffix("_bytes") ? "By" : "1"
    }
}
