/// The values of one metric, as the program collects them.
package struct MetricFamily: Sendable {
    package enum Kind: Sendable { case counter, gauge, histogram }

    package struct Series: Sendable {
        package let labels: [String: String]
        /// The count of a counter, the value of a gauge, or the sum of a histogram.
        package let sum: Double
        /// Of a histogram: the observations in each bucket alone; the last bucket is above all bounds.
        package let buckets: [UInt64]
        /// Of a histogram: the upper bounds of all buckets but the last.
        package let bounds: [Double]

        package init(labels: [String: String], sum: Double, buckets: [UInt64], bounds: [Double]) {
            self.labels = labels
            self.sum = sum
            self.buckets = buckets
            self.bounds = bounds
        }
    }

    package let name: String
    package let help: String
    package let kind: Kind
    package let series: [Series]

    package init(name: String, help: String, kind: Kind, series: [Series]) {
        self.name = name
        self.help = help
        self.kind = kind
        self.series = series
    }
}
