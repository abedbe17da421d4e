import Foundation
public import Metrics
import Synchronization

/// The metrics of this process, kept as Prometheus wants them and shown in either of its formats.
///
/// Counters are counters and end in `_total` whatever their label ends in, meters and recorders that do not aggregate are
/// gauges, timers (in seconds) and aggregating recorders are histograms with fixed buckets. A label that is used for two
/// types keeps the first; what the second records is not shown.
public final class PrometheusRegistry: MetricsFactory {
    private struct Family {
        let type: PrometheusSeries.Kind
        let help: String?
        var series: [String: PrometheusSeries] = [:]
    }

    private let families = Mutex<[String: Family]>([:])

    public init() {}

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

    // A series that is no longer recorded stays: a counter that vanished would look like a restart. What a gauge measured may
    // be gone for good.
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
            let new = PrometheusSeries(kind, bucketsFor: name)
            families[name, default: family].series[labels] = new
            return new
        }
    }

    /// Families and series in a fixed order.
    public func exposition(_ format: PrometheusFormat) -> String {
        families.withLock { families in
            families.sorted { $0.key < $1.key }.map { name, family in
                PrometheusText.head(name, family.type, help: family.help, format)
                    + family.series.sorted { $0.key < $1.key }
                    .map { PrometheusText.lines(name, labels: $0.key, $0.value) }.joined()
            }.joined()
        } + (format == .openMetrics ? "# EOF\n" : "")
    }
}
