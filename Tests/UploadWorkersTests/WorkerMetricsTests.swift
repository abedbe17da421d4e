import Foundation
import Metrics
import Synchronization
import Testing
import Uploads

@testable import UploadWorkers

@Suite struct WorkerMetricsTests {
    @Test func `what settles is counted under bounded labels`() {
        let recorder = MetricsRecorder()
        let metrics = WorkerMetrics(factory: recorder)
        let baton = Baton(job: WorkerBench.job())
        let report = SliceReport(bytesSent: 7, activeSeconds: 1.5)
        metrics.sliceBegins()
        for _ in 0..<2 {
            metrics.settled(
                SettledSlice(.ended(.completed(StoredObject(location: "l"), response: nil)), report: report), of: baton,
                destination: "memory")
        }
        let error = UploadError(.rateLimited, "slow down: wait")
        metrics.settled(
            SettledSlice(.wait(until: Date(), reason: .retry(error), state: nil)), of: baton, destination: "memory")
        metrics.settled(SettledSlice(.handOver(nil)), of: baton, destination: "memory")
        #expect(
            recorder.totals == [
                "upload_bytes_total{queue=default,destination=memory}": 14,
                "upload_jobs_total{queue=default,destination=memory,outcome=completed}": 2,
                "upload_retries_total{code=rateLimited}": 1,
                "upload_slices_total{settlement=ended}": 2,
                "upload_slices_total{settlement=wait}": 1,
                "upload_slices_total{settlement=handOver}": 1,
                "upload_seconds{queue=default,destination=memory}": 3,
                "upload_in_flight{}": 1,
            ])
        metrics.sliceEnds()
        #expect(recorder.totals["upload_in_flight{}"] == 0)
    }
}

/// Adds up what is measured, by name and labels.
private final class MetricsRecorder: MetricsFactory, Sendable {
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
