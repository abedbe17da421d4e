public import Foundation
import Synchronization
public import Uploads

/// The latest progress of the running jobs, and the workers' latest reports of their destinations and of themselves. Kept in memory only: without new
/// reports an entry is soon forgotten, and nothing else depends on it.
public final class LatestProgress: Sendable {
    /// Seconds after which a job without a new report is forgotten.
    public static let silenceMaximum: TimeInterval = 60
    /// The most jobs that are kept; progress of more jobs is not shown.
    public static let countMaximum = 10_000
    /// Seconds for which late progress reports of an ended slice are ignored.
    private static let lateMaximum: TimeInterval = 10
    /// The share of a new rate in the average.
    private static let weight = 0.3

    /// The latest progress of one job.
    struct Entry: Hashable, Sendable {
        var job: JobID
        var queue: QueueName
        /// The configured name, or the scheme of a URL.
        var destination: String
        /// The destination as text for people.
        var target: String
        /// Bytes.
        var size: Int64
        var progress: JobProgress
        /// Grows with each change of any entry.
        var version: UInt64
        fileprivate var heardAt: Date
    }

    private struct State {
        var entries: [JobID: Entry] = [:]
        /// Jobs whose slice has ended: progress with an earlier time is late.
        var left: [JobID: (until: Date, heardAt: Date)] = [:]
        var version: UInt64 = 0
        var prunedAt = Date.distantPast
    }

    private let state = Mutex(State())
    private let places = Mutex(LatestReports())
    private let pool = Mutex(LatestWorkers())
    private let clock: NotifierClock

    public init(clock: NotifierClock = .system) { self.clock = clock }

    /// nil for a job that does not run, or whose worker has reported nothing for a minute.
    public func progress(of id: JobID) -> JobProgress? {
        let now = clock.now()
        return state.withLock { state in
            state.entries[id].flatMap { Self.isFresh($0, now) ? $0.progress : nil }
        }
    }

    /// The running jobs that have reported, by queue.
    var uploads: [QueueName: [JobID: QueuePace.Upload]] {
        let now = clock.now()
        return state.withLock { state in
            state.entries.values.reduce(into: [:]) { uploads, entry in
                guard Self.isFresh(entry, now) else { return }
                uploads[entry.queue, default: [:]][entry.job] = QueuePace.Upload(
                    bytesDone: entry.progress.bytesDone, secondsLeft: entry.progress.secondsLeft(of: entry.size))
            }
        }
    }

    /// The last report of each worker about a destination, in the order of the workers' names.
    func reports(at destination: String) -> [DestinationReport] {
        let now = clock.now()
        return places.withLock { $0.reports(at: destination, now: now) }
    }

    /// The destinations with a recent report.
    var destinations: Set<String> {
        let now = clock.now()
        return places.withLock { $0.destinations(now: now) }
    }

    /// The number of workers that take jobs, by queue.
    var workerCounts: [QueueName: Int] {
        workers.filter { $0.report.state == .running }.reduce(into: [:]) { counts, worker in
            for queue in Set(worker.report.queues) { counts[queue, default: 0] += 1 }
        }
    }

    /// The workers with a recent report on themselves.
    var workers: [LatestWorkers.Entry] {
        let now = clock.now()
        return pool.withLock { $0.all(now: now) }
    }

    /// The name of the worker whose last report on itself has the job.
    func worker(running id: JobID) -> String? {
        let now = clock.now()
        return pool.withLock { $0.worker(running: id, now: now) }
    }

    public func note(_ news: WorkerNews) {
        note(news.progress)
        guard !news.destinations.isEmpty || !news.workers.isEmpty else { return }
        let now = clock.now()
        pool.withLock { pool in
            for report in news.workers { pool.note(report, now: now) }
        }
        places.withLock { places in
            for report in news.destinations { places.note(report, now: now) }
        }
    }

    /// Takes `progress` events and ignores all others.
    public func note(_ reports: [UploadEvent]) {
        let now = clock.now()
        state.withLock { state in
            Self.prune(&state, now)
            for report in reports where report.kind == .progress { Self.note(report, in: &state, now) }
        }
    }

    /// Takes recorded messages: removes the progress of jobs that have ended or do not run any more.
    public func note(recorded messages: [NotifierMessage]) {
        let now = clock.now()
        state.withLock { state in
            for case .event(let event, _) in messages where event.kind.endsSlice {
                guard state.entries.removeValue(forKey: event.job.id) != nil else { continue }
                state.left[event.job.id] = (event.time, now)
            }
        }
    }

    /// The entries that have changed since a version, the oldest change first.
    func changes(
        since version: UInt64, limit: Int, where matches: (Entry) -> Bool
    ) -> (entries: [Entry], version: UInt64) {
        let now = clock.now()
        return state.withLock { state in
            let changed = state.entries.values.filter { $0.version > version && Self.isFresh($0, now) && matches($0) }
                .sorted { $0.version < $1.version }
            guard changed.count > limit else { return (changed, state.version) }
            let first = Array(changed.prefix(limit))
            return (first, first.last?.version ?? version)
        }
    }

    private static func note(_ report: UploadEvent, in state: inout State, _ now: Date) {
        let id = report.job.id
        if let left = state.left[id], report.time <= left.until { return }
        let known = state.entries[id]
        if known == nil, state.entries.count >= countMaximum { return }
        if let known, report.time < known.progress.at { return }
        let rate = max(0, report.data.bytesPerSecond ?? 0)
        let old = known?.progress.bytesPerSecond ?? rate
        state.version += 1
        state.entries[id] = Entry(
            job: id, queue: report.job.queue, destination: report.job.destination.label,
            target: report.job.destination.displayText, size: report.job.size,
            progress: JobProgress(
                bytesDone: min(max(0, report.data.bytesDone ?? 0), report.job.size),
                bytesPerSecond: (old + (rate - old) * weight).rounded(), partBytes: report.data.partBytes,
                at: report.time),
            version: state.version, heardAt: now)
    }

    private static func isFresh(_ entry: Entry, _ now: Date) -> Bool {
        now.timeIntervalSince(entry.heardAt) < silenceMaximum
    }

    private static func prune(_ state: inout State, _ now: Date) {
        guard now.timeIntervalSince(state.prunedAt) >= 1 else { return }
        state.prunedAt = now
        state.entries = state.entries.filter { isFresh($0.value, now) }
        state.left = state.left.filter { now.timeIntervalSince($0.value.heardAt) < lateMaximum }
    }
}

extension EventKind {
    /// Whether no worker holds the job after this event.
    fileprivate var endsSlice: Bool {
        switch self {
        case .waiting, .handedOver, .suspect, .paused, .completed, .failed, .cancelled: true
        case .enqueued, .started, .progress: false
        }
    }
}
