import Metrics
import Synchronization

/// Adds up the recorded metrics, by name and labels.
final class MetricsRecorder: MetricsFactory, Sendable {
    private let sums = Mutex<[String: Double]>([:])

    var totals: [String: Double] { sums.withLock { $0 } }

    private func handler(_ label: String, _ dimensions: [(String, String)]) -> Handler {
        let name = "\(label){\(dimensions.map { "\($0.0)=\($0.1)" }.joined(separator: ","))}"
        return Handler { change in self.sums.withLock { $0[name] = change($0[name] ?? 0) } }
    }

    func makeCounter(label: String, dimensions: [(String, String)]) -> any CounterHandler { handler(label, dimensions) }
    func makeMeter(label: String, dimensions: [(String, String)]) -> any MeterHandler { handler(label, dimensions) }
    func makeTimer(label: String, dimensions: [(String, String)]) -> any TimerHandler { handler(label, dimensions) }
    func makeRecorder(label: String, dimensions: [(String, String)], aggregate: Bool) -> any RecorderHandler {
        handler(label, dimensions)
    }
    func destroyCounter(_ handler: any CounterHandler) {}
    func destroyMeter(_ handler: any MeterHandler) {}
    func destroyRecorder(_ handler: any RecorderHandler) {}
    func destroyTimer(_ handler: any TimerHandler) {}

    private final class Handler: CounterHandler, MeterHandler, TimerHandler, RecorderHandler, Sendable {
        private let update: @Sendable ((Double) -> Double) -> Void

        init(_ update: @escaping @Sendable ((Double) -> Double) -> Void) { self.update = update }

        func increment(by amount: Int64) { update { $0 + Double(amount) } }
        func increment(by amount: Double) { update { $0 + amount } }
        func decrement(by amount: Double) { update { $0 - amount } }
        func reset() { update { _ in 0 } }
        func set(_ value: Int64) { update { _ in Double(value) } }
        func set(_ value: Double) { update { _ in value } }
        func record(_ value: Int64) { update { $0 + Double(value) } }
        func record(_ value: Double) { update { $0 + value } }
        func recordNanoseconds(_ duration: Int64) { update { $0 + Double(duration) / 1e9 } }
    }
}
