import Foundation
import Logging
import UploadTesting
import Uploads

@testable import UploadWorkers

/// The worker's time of day.
struct TimeOfDay: Sendable {
    var now: @Sendable () -> Date = { Date() }
}

/// A delivery that calls `asked` when the slice checks its validity.
struct Delivery: ClaimedBaton {
    let baton: Baton
    let lane: Lane
    var asked: @Sendable () -> Void = {}

    func validity() async -> BatonValidity {
        asked()
        return .holds
    }

    func onLoss(_ callback: @escaping @Sendable (BatonValidity) -> Void) -> @Sendable () -> Void { {} }

    func started(state: UploadState?) async throws(UploadError) {}
    func progress(bytesDone: Int64, bytesPerSecond: Double, partBytes: Int64?) {}
}

/// A worker with ports in memory.
struct WorkerBench {
    let log: MemoryLog
    let queue: MemoryJobQueue
    let destination: MemoryDestination
    let clock: ManualClock
    let worker: UploadWorker
    let metrics = MetricsRecorder()

    /// - Parameter isManual: whether time stands still until the test moves it.
    init(
        _ configuration: WorkerConfiguration = WorkerConfiguration(), isManual: Bool = true, redelivers: Bool = true,
        log: MemoryLog = MemoryLog(), reporter: (any WorkerReporter)? = nil,
        day: TimeOfDay = TimeOfDay(), witnesses: ClockWitnesses = .alone, sources: (any SourceProvider)? = nil,
        destination: (MemoryLog) -> MemoryDestination = { MemoryDestination(log: $0) }
    ) {
        self.log = log
        clock = ManualClock()
        queue = MemoryJobQueue(redelivers: redelivers, log: log)
        self.destination = destination(log)
        worker = UploadWorker(
            queue: queue, destinations: self.destination, sources: sources ?? MemorySources(log: log),
            configuration: configuration, logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() },
            clock: isManual ? clock as any Clock<Duration> : ContinuousClock(), now: day.now,
            witnesses: witnesses, metrics: metrics, reporter: reporter)
    }

    static func job(size: Int64 = 10, priority: Lane = .normal, to destination: String = "memory") -> UploadJob {
        UploadJob(
            priority: priority, source: .staged(area: "a", name: "n"),
            destination: .named(DestinationName(unchecked: destination), key: JobID().rawValue), size: size)
    }

    @discardableResult
    func add(size: Int64 = 10, priority: Lane = .normal, to destination: String = "memory") -> UploadJob {
        let job = Self.job(size: size, priority: priority, to: destination)
        queue.add(Baton(job: job))
        return job
    }

    /// Runs the worker beside the body. When the body returns, the worker is drained, and must then hold nothing any more.
    func running(_ body: () async throws -> Void) async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await worker.run() }
            do {
                try await body()
            } catch {
                group.cancelAll()
                throw error
            }
            group.addTask { await worker.drain() }
            try await group.next()
            group.cancelAll()
        }
    }
}
