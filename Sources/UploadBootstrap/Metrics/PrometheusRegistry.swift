import Foundation
public import Metrics
import Synchronization

/// The metrics of this process, kept as Prometheus wants them and shown in its text format 0.0.4.
///
/// Counters are counters, meters and recorders that do not aggregate are gauges, timers (in seconds) and aggregating
/// recorders are histograms with fixed buckets. A label that is used for two types keeps the first; what the second
/// records is not shown.
public final class PrometheusRegistry: MetricsFactory {
    private struct Family {
        let type: PrometheusSeries.Kind
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

    // A series that is no longer recorded stays: a counter that vanished would look like a restart.
    public func destroyCounter(_ handler: any CounterHandler) {}
    public func destroyFloatingPointCounter(_ handler: any FloatingPointCounterHandler) {}
    public func destroyMeter(_ handler: any MeterHandler) {}
    public func destroyRecorder(_ handler: any RecorderHandler) {}
    public func destroyTimer(_ handler: any TimerHandler) {}

    private func series(_ label: String, _ dimensions: [(String, String)], _ kind: PrometheusSeries.Kind)
        -> PrometheusSeries
    {
        let name = PrometheusText.name(label)
        let labels = PrometheusText.labels(dimensions)
        return families.withLock { families in
            let family = families[name] ?? Family(type: kind)
            guard family.type == kind else { return PrometheusSeries(kind, bucketsFor: name) }
            if let known = family.series[labels] { return known }
            let new = PrometheusSeries(kind, bucketsFor: name)
            families[name, default: family].series[labels] = new
            return new
        }
    }

    /// `text/plain; version=0.0.4`, families and series in a fixed order.
    public var exposition: String {
        families.withLock { families in
            families.sorted { $0.key < $1.key }.map { name, family in
                "# TYPE \(name) \(family.type.rawValue)\n"
                    + family.series.sorted { $0.key < $1.key }
                    .map { PrometheusText.lines(name, labels: $0.key, $0.value) }.joined()
            }.joined()
        }
    }
}
