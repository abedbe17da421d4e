import Metrics
import Synchronization

/// One time series: a counter, a gauge or a histogram.
final class PrometheusSeries: CounterHandler, FloatingPointCounterHandler, MeterHandler, RecorderHandler, TimerHandler {
    enum Kind: String { case counter, gauge, histogram }

    struct Value {
        /// The count of a counter, the value of a gauge, or the sum of a histogram.
        var sum = 0.0
        /// The observations in each bucket alone, not cumulative; the last bucket is above all bounds.
        var buckets: [UInt64]
    }

    /// Upper bounds in seconds.
    static let secondsBounds = [
        0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300, 600, 1800, 3600,
    ]
    /// Upper bounds in bytes: 1 KiB to 1 TiB.
    static let bytesBounds = stride(from: 10, through: 40, by: 3).map { Double(UInt64(1) << $0) }

    let kind: Kind
    let labels: [String: String]
    let bounds: [Double]
    private let state: Mutex<Value>

    /// Histograms whose names end in `_bytes` get the bounds of sizes, all others those of times.
    init(_ kind: Kind, bucketsFor name: String, labels: [String: String] = [:]) {
        self.kind = kind
        self.labels = labels
        bounds = kind != .histogram ? [] : name.hasSuffix("_bytes") ? Self.bytesBounds : Self.secondsBounds
        state = Mutex(Value(buckets: Array(repeating: 0, count: bounds.count + 1)))
    }

    var value: Value { state.withLock { $0 } }

    func increment(by amount: Int64) { add(Double(amount)) }
    func increment(by amount: Double) { add(amount) }
    func decrement(by amount: Double) { add(-amount) }
    func reset() { state.withLock { $0.sum = 0 } }
    func set(_ value: Int64) { set(Double(value)) }
    func set(_ value: Double) { state.withLock { $0.sum = value } }
    func record(_ value: Int64) { record(Double(value)) }

    func record(_ value: Double) {
        guard kind == .histogram else { return set(value) }
        // A bound belongs to its bucket: `le` is "less or equal".
        let bucket = bounds.firstIndex { value <= $0 } ?? bounds.count
        state.withLock {
            $0.sum += value
            $0.buckets[bucket] += 1
        }
    }

    func recordNanoseconds(_ duration: Int64) { record(Double(duration) / 1e9) }

    private func add(_ amount: Double) { state.withLock { $0.sum += amount } }
}
