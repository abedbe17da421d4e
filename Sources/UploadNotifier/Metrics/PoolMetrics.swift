import Foundation
import Synchronization
public import Uploads

/// The metrics of the whole pool, from the ledger and the broker. Of several notifiers with one ledger, the one that works for the first
/// shard shows them, so that sums over notifiers count nothing twice.
///
/// The ledger keeps the counts of jobs, so none is counted here. What is shown is at most ``ageMaximum`` old, however often it is read.
public final class PoolMetrics: Sendable {
    public static let ageMaximum = Duration.seconds(10)
    /// Seconds that the broker may take to answer what its queues hold.
    private static let brokerSecondsMaximum = 3.0
    /// The queued jobs of a queue that are looked at for the oldest of each lane.
    static let oldestMaximum = 200

    private let ledger: any NotifierLedger
    private let operations: any BrokerOperations
    private let progress: LatestProgress
    private let paces: QueuePaces
    private let clock: NotifierClock
    private let turns = AsyncLock()
    private let state = Mutex<(labels: QueueLabels, readAt: ContinuousClock.Instant?)>((QueueLabels(), nil))

    private let jobs = GaugeFamily("upload_ledger_jobs", "queue", "status")
    private let depths = GaugeFamily("upload_queue_depth", "queue", "lane")
    private let workers = GaugeFamily("upload_queue_workers", "queue")
    private let liveWorkers = GaugeFamily("upload_workers", "state")
    private let workBytes = GaugeFamily("upload_queue_work_bytes", "queue")
    private let workSeconds = GaugeFamily("upload_queue_work_seconds", "queue")
    private let ages = GaugeFamily("upload_queue_oldest_age_seconds", "queue", "lane")
    private let deadLetters = GaugeFamily("upload_dead_letters")
    private let ledgerBytes = GaugeFamily("upload_ledger_bytes")
    private let ledgerFreeBytes = GaugeFamily("upload_ledger_free_bytes")

    public init(
        ledger: any NotifierLedger, operations: any BrokerOperations, progress: LatestProgress, paces: QueuePaces,
        clock: NotifierClock = .system
    ) {
        self.ledger = ledger
        self.operations = operations
        self.progress = progress
        self.paces = paces
        self.clock = clock
    }

    /// Updates the gauges. Call it before the metrics are read.
    /// - Parameter isShown: whether this notifier shows them.
    public func show(_ isShown: Bool) async {
        await turns.withLock {
            guard isShown else {
                state.withLock { $0.readAt = nil }
                return hide()
            }
            if let readAt = state.withLock({ $0.readAt }), ContinuousClock.now - readAt < Self.ageMaximum { return }
            do {
                try await read()
                state.withLock { $0.readAt = .now }
            } catch {
                // Old figures would hide the trouble.
                hide()
            }
        }
    }

    private func read() async throws {
        let now = clock.now()
        let loads = try await ledger.queues(throughputSince: now)
        let labels = state.withLock { state in
            state.labels.update(loads)
            return state.labels
        }
        var figures = PoolFigures()
        for load in loads {
            let label = labels.label(of: load.queue)
            figures.add(load, as: label)
            figures.add(paces.pace(of: load.queue), of: load, as: label)
        }
        let named = loads.filter { labels.known.contains($0.queue.rawValue) }
        for load in named where (load.counts[.queued] ?? 0) > 0 {
            let page = try await ledger.jobs(
                LedgerFilter(
                    statuses: [.queued], queue: load.queue, order: .oldestFirst, limit: Self.oldestMaximum))
            figures.add(oldestOf: page.jobs, as: load.queue.rawValue, now: now)
        }
        let operations = operations
        let queues = named.map(\.queue)
        let lanes = try? await withTimeLimit(Self.brokerSecondsMaximum) { try await operations.depths(of: queues) }
        for (queue, depths) in lanes ?? [:] { figures.add(depths, as: queue.rawValue) }
        figures.add(
            progress.workers,
            Dictionary(loads.map { ($0.queue, labels.label(of: $0.queue)) }, uniquingKeysWith: { first, _ in first }))
        let letters = try await ledger.unreadableCount(DeadLetterListing(isReplayed: false))
        let space = try await ledger.space()
        jobs.show(figures.jobs)
        depths.show(figures.depths)
        workers.show(figures.workers)
        liveWorkers.show(figures.liveWorkers)
        workBytes.show(figures.workBytes)
        workSeconds.show(figures.workSeconds)
        ages.show(figures.ages)
        deadLetters.show(Double(letters))
        ledgerBytes.show(Double(space.bytes))
        ledgerFreeBytes.show(space.freeBytes.map { Double($0) })
    }

    private func hide() {
        for family in [jobs, depths, workers, liveWorkers, workBytes, workSeconds, ages] { family.show([:]) }
        for family in [deadLetters, ledgerBytes, ledgerFreeBytes] { family.show(nil) }
    }
}
