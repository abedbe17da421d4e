// Why this folder is our own code: swift-metrics collects values, but writes no Prometheus text. The usual package for that,
// swift-server/swift-prometheus, is not among the packages that the build machines offer. Nothing was measured against another
// implementation; the five files named for Prometheus have no other dependency. `PrometheusTests` and, in the end-to-end tests,
// promtool and prometheus-client check the text. Once swift-prometheus can be built against, it can replace this folder, provided that `/metrics`
// still answers in both formats (`PrometheusFormat`) and the names, labels and buckets stay.

import Foundation
public import Metrics
import OpenTelemetry
import Synchronization

/// The metrics of this process, in the types that Prometheus knows and shown in either of its formats.
///
/// A counter's name always ends in `_total`, whatever its label ends in. Meters and recorders that do not aggregate are gauges;
/// timers (in seconds) and aggregating recorders are histograms with fixed buckets. If the code uses one label for two types, the
/// first type stays, and the values of the second one are not shown.
public final class PrometheusRegistry: MetricsFactory {
    private struct Family {
        let type: PrometheusSeries.Kind
        let help: String?
        var series: [String: PrometheusSeries] = [:]
    }

    private let families = Mutex<[String: Family]>([:])
    private let bringUpToDate = Mutex<@Sendable () async -> Void>({})

    public init() {}

    /// - Parameter update: refreshes the metrics that cost too much to keep current all the time.
    func onUpdate(_ update: @escaping @Sendable () async -> Void) { bringUpToDate.withLock { $0 = update } }

    /// To be awaited before the values are read.
    func update() async {
        let update = bringUpToDate.withLock { $0 }
        await update()
    }

    public func makeCounter(label: String, dimensions: [(String, String)]) -> any CounterHandler {
        series(label, dimensions, .counter)
    }

    public func makeFloatingPointCounter(
        label: String, dimensions: [(String, String)]
    ) -> any FloatingPointCounterHandler {
        series(label, dimensions, .counter)
    }

    public func makeMeter(label: String, dimensions: [(String, String)]) -> any MeterHandler {
        series(label, dimensions, .gauge)
    }

    public func makeRecorder(label: String, dimensions: [(String, String)], aggregate: Bool) -> any RecorderHandler {
        series(label, dimensions, aggregate ? .histogram : .gauge)
    }

    public func makeTimer(label: String, dimensions: [(String, String)]) -> any TimerHandler {
        series(label, dimensions, .histogram)
    }

    // A destroyed counter or histogram stays in the output, because Prometheus would take its disappearance for a restart. A destroyed
    // gauge is removed, because the thing that it measured may be gone for good.
    public func destroyCounter(_ handler: any CounterHandler) {}
    public func destroyFloatingPointCounter(_ handler: any FloatingPointCounterHandler) {}
    public func destroyMeter(_ handler: any MeterHandler) { removeGauge(handler) }
    public func destroyRecorder(_ handler: any RecorderHandler) { removeGauge(handler) }
    public func destroyTimer(_ handler: any TimerHandler) {}

    private func removeGauge(_ handler: AnyObject) {
        families.withLock { families in
            for (name, family) in families where family.type == .gauge {
                guard let labels = family.series.first(where: { $0.value === handler })?.key else { continue }
                families[name]?.series[labels] = nil
                return
            }
        }
    }

    private func series(_ label: String, _ dimensions: [(String, String)], _ kind: PrometheusSeries.Kind)
        -> PrometheusSeries
    {
        let name = PrometheusText.family(label, kind)
        let labels = PrometheusText.labels(dimensions)
        return families.withLock { families in
            let family = families[name] ?? Family(type: kind, help: PrometheusHelp.texts[label])
            guard family.type == kind else { return PrometheusSeries(kind, bucketsFor: name) }
            if let known = family.series[labels] { return known }
            let new = PrometheusSeries(
                kind, bucketsFor: name, labels: Dictionary(dimensions) { first, _ in first })
            families[name, default: family].series[labels] = new
            return new
        }
    }

    /// The text of all metrics, with families and series in a fixed order.
    public func exposition(_ format: PrometheusFormat) -> String {
        families.withLock { families in
            families.sorted { $0.key < $1.key }.map { name, family in
                PrometheusText.head(name, family.type, help: family.help, format)
                    + family.series.sorted { $0.key < $1.key }
                    .map { PrometheusText.lines(name, labels: $0.key, $0.value) }.joined()
            }.joined()
        } + (format == .openMetrics ? "# EOF\n" : "")
    }

    /// The values of all metrics for OTLP, under the names of the text format.
    func metricFamilies() async -> [MetricFamily] {
        await update()
        return families.withLock { families in
            families.sorted { $0.key < $1.key }.map { name, family in
                let kind: MetricFamily.Kind =
                    switch family.type {
                    case .counter: .counter
                    case .gauge: .gauge
                    case .histogram: .histogram
                    }
                return MetricFamily(
                    name: PrometheusText.sampleName(of: name, family.type), help: family.help ?? "", kind: kind,
                    series: family.series.sorted { $0.key < $1.key }.map { _, series in
                        let value = series.value
                        return MetricFamily.Series(
                            labels: series.labels, sum: value.sum, buckets: value.buckets, bounds: series.bounds)
                    })
            }
        }
    }
}
