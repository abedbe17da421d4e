import Foundation
import Logging
import Synchronization
import Testing
import UploadTesting
import Uploads

@testable import UploadWorkers

@Suite(.timeLimit(.minutes(10))) final class CircuitsTests: Sendable {
    let lost = UploadError(.networkFailure, "lost: try again")
    let photos = DestinationReference.named(DestinationName(unchecked: "photos"), key: "a")

    /// The time of the circuits' clock.
    let now = Mutex(Date(timeIntervalSince1970: 1_800_000_000))

    func circuits(_ recorder: MetricsRecorder) -> Circuits {
        Circuits(
            rules: CircuitRules(), metrics: WorkerMetrics(factory: recorder),
            logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }, now: { [self] in now.withLock { $0 } })
    }

    func entry(_ circuits: Circuits, _ reference: DestinationReference) -> Circuits.Entry? {
        if case .granted(let entry, _) = circuits.enter(reference) { entry } else { nil }
    }

    @Test func `the state of a configured destination's circuit is a metric`() throws {
        let recorder = MetricsRecorder()
        let circuits = circuits(recorder)
        func state() -> Double? { recorder.totals["upload_circuit_state{destination=photos}"] }
        let first = try #require(entry(circuits, photos))
        #expect(state() == 0)
        for _ in 0..<5 { circuits.note(.failing(.reach, lost), by: JobID(), with: first) }
        #expect(state() == 2)
        #expect(entry(circuits, photos) == nil)
        now.withLock { $0 += 60 }
        let trial = try #require(entry(circuits, photos))
        #expect(state() == 1)
        circuits.note(.works(.write), by: JobID(), with: trial)
        #expect(state() == 0)
    }

    @Test func `openings of circuits are counted`() throws {
        let recorder = MetricsRecorder()
        let circuits = circuits(recorder)
        func openings() -> Double? { recorder.totals["upload_circuit_openings_total{destination=photos}"] }
        let first = try #require(entry(circuits, photos))
        for _ in 0..<5 { circuits.note(.failing(.reach, lost), by: JobID(), with: first) }
        #expect(openings() == 1)
        for number in 2..<5 {
            now.withLock { $0 += 500 }
            let trial = try #require(entry(circuits, photos))
            circuits.note(.failing(.reach, lost), by: JobID(), with: trial)
            circuits.leave(trial)
            #expect(openings() == Double(number))
        }
        // A trial that found out nothing opens nothing.
        now.withLock { $0 += 500 }
        circuits.leave(try #require(entry(circuits, photos)))
        #expect(openings() == 4)
    }

    @Test func `hosts of URLs have circuits of their own, and metrics from their first opening on`() throws {
        let recorder = MetricsRecorder()
        let circuits = circuits(recorder)
        let bad = DestinationReference.url("https://bad.example:8443/x?signature=1")
        let first = try #require(entry(circuits, bad))
        for _ in 0..<4 { circuits.note(.failing(.reach, lost), by: JobID(), with: first) }
        #expect(recorder.totals.keys.filter { $0.hasPrefix("upload_circuit") }.isEmpty)
        circuits.note(.failing(.reach, lost), by: JobID(), with: first)
        #expect(entry(circuits, .url("https://bad.example:8443/other")) == nil)
        #expect(entry(circuits, .url("https://good.example/other")) != nil)
        let labels = "{destination=https,host=bad.example:8443}"
        #expect(recorder.totals["upload_circuit_openings_total\(labels)"] == 1)
        #expect(recorder.totals["upload_circuit_state\(labels)"] == 2)
        #expect(recorder.totals.keys.count { $0.hasPrefix("upload_circuit") } == 2)
        now.withLock { $0 += 60 }
        let trial = try #require(entry(circuits, bad))
        circuits.note(.works(.write), by: JobID(), with: trial)
        #expect(recorder.totals["upload_circuit_state\(labels)"] == 0)
    }

    @Test func `only the first hosts of URLs label metrics, and the others have one series`() throws {
        let recorder = MetricsRecorder()
        let circuits = circuits(recorder)
        func fail(_ number: Int) throws {
            let host = DestinationReference.url("https://h\(number).example/x")
            let first = try #require(entry(circuits, host))
            for _ in 0..<5 { circuits.note(.failing(.reach, lost), by: JobID(), with: first) }
        }
        for number in 0..<WorkerMetrics.hostsMaximum + 3 { try fail(number) }
        let others = "{destination=other,host=other}"
        #expect(recorder.totals["upload_circuit_openings_total\(others)"] == 3)
        #expect(recorder.totals["upload_circuit_state\(others)"] == 2)
        let series = recorder.totals.keys.filter { $0.hasPrefix("upload_circuit_state") }
        #expect(series.count == WorkerMetrics.hostsMaximum + 1)
        // The series has the worst state of its hosts.
        now.withLock { $0 += 60 }
        for number in 0..<3 {
            let host = DestinationReference.url("https://h\(WorkerMetrics.hostsMaximum + number).example/x")
            let trial = try #require(entry(circuits, host))
            circuits.note(.works(.write), by: JobID(), with: trial)
            #expect(recorder.totals["upload_circuit_state\(others)"] == (number < 2 ? 2 : 0))
        }
    }

    @Test func `a clock that is set back keeps no job away for longer`() async throws {
        let full = UploadError(.noSpace, "it is full: free some")
        let isFull = Mutex(true)
        let step = Mutex(TimeInterval.zero)
        let bench = WorkerBench(isManual: false, day: TimeOfDay(now: { Date() + step.withLock { $0 } })) { log in
            MemoryDestination(log: log) { _, _, _ throws(UploadError) in
                if isFull.withLock({ $0 }) { throw full }
            }
        }
        bench.add()
        try await bench.running {
            try await eventually { bench.queue.waiting.count == 1 }
            step.withLock { $0 = -7200 }
            isFull.withLock { $0 = false }
            try await eventually {
                bench.add()
                return bench.log.endedCount > 0
            }
        }
    }

    @Test func `jobs of a destination that fails wait without attempts, while others go on`() async throws {
        let lost = lost
        var configuration = WorkerConfiguration(concurrency: 2)
        // However slow the machine is, no job is given back because it waited for a slot.
        configuration.slotPatience = .seconds(3600)
        configuration.crowdPatience = .seconds(3600)
        let bench = WorkerBench(configuration, isManual: false) { log in
            MemoryDestination(log: log) { job, _, _ throws(UploadError) in
                if job.destination.label == "bad" { throw lost }
            }
        }
        let bad = (0..<30).map { _ in bench.add(to: "bad").id }
        let good = (0..<30).map { _ in bench.add(to: "good").id }
        try await bench.running {
            try await eventually { bench.queue.waiting.count == 30 && bench.log.endedCount == 30 }
        }
        let waiting = bench.queue.waiting
        #expect(Set(waiting.map(\.job.id)) == Set(bad))
        // Only the jobs that ran before the circuit opened: two at a time, and perhaps two more.
        #expect(waiting.count { $0.attempts > 0 } <= 4)
        #expect(waiting.count { $0.attempts == 0 && $0.idleWaits == 1 } >= 26)
        #expect(good.allSatisfy { bench.log.settlements(of: $0).last?.label == "ended" })
        #expect(bench.metrics.totals["upload_circuit_state{destination=good}"] == 0)
    }
}
