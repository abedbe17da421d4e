import Testing

@testable import OpenTelemetry

@Suite struct MetricReaderTests {
    private func families(_ count: Double, _ buckets: [UInt64]) -> [MetricFamily] {
        [
            MetricFamily(
                name: "upload_bytes_total", help: "Bytes.", kind: .counter,
                series: [MetricFamily.Series(labels: ["queue": "a"], sum: count, buckets: [0], bounds: [])]),
            MetricFamily(
                name: "upload_seconds", help: "Time.", kind: .histogram,
                series: [MetricFamily.Series(labels: [:], sum: count / 2, buckets: buckets, bounds: [1, 2])]),
            MetricFamily(
                name: "upload_in_flight", help: "Slices.", kind: .gauge,
                series: [MetricFamily.Series(labels: [:], sum: count, buckets: [0], bounds: [])]),
        ]
    }

    @Test(arguments: [TelemetrySettings.Temporality.cumulative, .delta])
    func `counters and histograms are told since the beginning or since the last time`(
        temporality: TelemetrySettings.Temporality
    ) {
        var reader = MetricReader(temporality, at: 100)
        _ = reader.read(families(10, [1, 2, 0]), at: 200)
        let points = reader.read(families(16, [1, 3, 4]), at: 300)
        let isDelta = temporality == .delta
        #expect(points.map(\.unit) == ["By", "s", "1"])
        let sum = points[0].sum
        #expect(sum.isMonotonic && sum.aggregationTemporality == (isDelta ? .delta : .cumulative))
        #expect(sum.dataPoints.map(\.asDouble) == [isDelta ? 6 : 16])
        #expect(sum.dataPoints.map(\.startTimeUnixNano) == [isDelta ? 200 : 100])
        #expect(sum.dataPoints.map(\.timeUnixNano) == [300])
        #expect(sum.dataPoints[0].attributes.map(\.key) == ["queue"])
        let histogram = points[1].histogram.dataPoints[0]
        #expect(histogram.bucketCounts == (isDelta ? [0, 1, 4] : [1, 3, 4]) && histogram.explicitBounds == [1, 2])
        #expect(histogram.count == (isDelta ? 5 : 8) && histogram.sum == (isDelta ? 3 : 8))
        #expect(points[2].gauge.dataPoints.map(\.asDouble) == [16])
    }
}
