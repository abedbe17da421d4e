import Foundation
public import ServiceLifecycle
import Synchronization
import Uploads

/// Observes the pace of every transfer queue, so that the API and the dashboard can tell it at any time.
public final class QueuePaces: Service {
    /// Seconds between two observations.
    private static let interval = 5.0
    /// The pauses take at least this many times as long as the ledger's answers: a ledger of very many queues has to record as well.
    private static let restShare = 20.0
    /// Seconds of the past that the first observation begins with.
    private static let past = 900.0

    private let ledger: any LedgerQueries
    private let progress: LatestProgress
    private let clock: NotifierClock
    private let paces = Mutex<[QueueName: QueuePace]>([:])

    init(ledger: any LedgerQueries, progress: LatestProgress, clock: NotifierClock) {
        self.ledger = ledger
        self.progress = progress
        self.clock = clock
    }

    /// Without an observation of it, that of a queue in which nothing goes on.
    func pace(of queue: QueueName) -> QueuePace { paces.withLock { $0[queue] ?? QueuePace() } }

    /// Observes until a graceful shutdown, or until the task is cancelled. While the ledger cannot be read nothing is observed.
    public func run() async throws {
        await cancelWhenGracefulShutdown { [self] in
            while !Task.isCancelled {
                let time = await ContinuousClock().measure { try? await observe() }
                do {
                    try await clock.sleep(for: .seconds(max(Self.interval, time.seconds * Self.restShare)))
                } catch {
                    return
                }
            }
        }
    }

    func observe() async throws(UploadError) {
        let loads = try await ledger.queues(throughputSince: clock.now().addingTimeInterval(-Self.past))
        let (uploads, workers, now) = (progress.uploads, progress.workerCounts, clock.now())
        paces.withLock { paces in
            paces = Dictionary(
                loads.map { load in
                    var pace = paces[load.queue] ?? QueuePace()
                    pace.note(
                        load, uploads: uploads[load.queue] ?? [:], workers: workers[load.queue] ?? 0, at: now)
                    return (load.queue, pace)
                }, uniquingKeysWith: { first, _ in first })
        }
    }
}
