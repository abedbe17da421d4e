import Metrics
import Synchronization

/// The gauges of one name. A series whose thing is gone disappears.
public final class GaugeFamily: Sendable {
    private let label: String
    private let keys: [String]
    private let shown = Mutex<Set<[String]>>([])

    /// - Parameter keys: the labels' names.
    public init(_ label: String, _ keys: String...) {
        self.label = label
        self.keys = keys
    }

    /// Shows these values and no others.
    /// - Parameter values: by the labels' values, in the order of the names.
    public func show(_ values: [[String]: Double]) {
        shown.withLock { shown in
            for (labels, value) in values { gauge(labels).record(value) }
            for labels in shown.subtracting(values.keys) { gauge(labels).destroy() }
            shown = Set(values.keys)
        }
    }

    /// Shows one value without labels; nothing without a value.
    public func show(_ value: Double?) { show(value.map { [[]: $0] } ?? [:]) }

    private func gauge(_ labels: [String]) -> Gauge {
        Gauge(label: label, dimensions: Array(zip(keys, labels)))
    }
}
