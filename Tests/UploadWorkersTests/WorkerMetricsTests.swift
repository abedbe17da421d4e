import Foundation
import Testing
import Uploads

@testable import UploadWorkers

@Suite struct WorkerMetricsTests {
    @Test func `what settles is counted under bounded labels`() {
        let recorder = MetricsRecorder()
        let metrics = WorkerMetrics(factory: recorder)
        let baton = Baton(job: WorkerBench.job())
        let report = SliceReport(bytesSent: 7, activeSeconds: 1.5)
        metrics.sliceBegins(of: baton, at: baton.job.enqueuedAt + 4)
        for _ in 0..<2 {
            metrics.settled(
                SettledSlice(.ended(.completed(StoredObject(location: "l"), response: nil)), report: report), of: baton,
                destination: "memory")
        }
        let error = UploadError(.rateLimited, "slow down: wait")
        metrics.settled(
            SettledSlice(.wait(until: Date(), reason: .retry(error), state: nil)), of: baton, destination: "memory")
        metrics.settled(SettledSlice(.handOver(nil)), of: baton, destination: "memory")
        metrics.clock(isAhead: -300)
        #expect(
            recorder.totals == [
                "upload_clock_ahead_seconds{}": -300,
                "upload_bytes_total{queue=default,destination=memory}": 14,
                "upload_jobs_total{queue=default,destination=memory,outcome=completed}": 2,
                "upload_retries_total{code=rateLimited}": 1,
                "upload_slices_total{settlement=ended}": 2,
                "upload_slices_total{settlement=wait}": 1,
                "upload_slices_total{settlement=handOver}": 1,
                "upload_seconds{queue=default,destination=memory}": 3,
                "upload_in_flight{}": 1,
                "upload_queue_lag_seconds{queue=default}": 4,
            ])
        metrics.sliceEnds()
        #expect(recorder.totals["upload_in_flight{}"] == 0)
    }

    @Test func `the lag of a queue counts jobs that no worker held before, from when they were due`() {
        let recorder = MetricsRecorder()
        let metrics = WorkerMetrics(factory: recorder)
        var later = WorkerBench.job()
        later.notBefore = later.enqueuedAt + 60
        metrics.sliceBegins(of: Baton(job: later), at: later.enqueuedAt + 62.5)
        var continued = Baton(job: WorkerBench.job())
        continued.slice = 1
        metrics.sliceBegins(of: continued, at: continued.job.enqueuedAt + 1000)
        metrics.sliceBegins(of: Baton(job: later, generation: 2), at: later.enqueuedAt + 1000)
        #expect(recorder.totals["upload_queue_lag_seconds{queue=default}"] == 2.5)
        #expect(recorder.totals["upload_in_flight{}"] == 3)
    }
}
