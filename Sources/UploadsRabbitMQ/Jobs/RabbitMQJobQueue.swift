import Foundation
import Logging
import RabbitMQ
import Synchronization
public import Uploads

/// The lanes of some transfer queues: takes deliveries, has the handler work on those that are allowed, and settles the
/// results. Confirm first, acknowledge last.
///
/// A possible repeat never reaches the handler: it is passed to the notifier as a suspect. An unreadable message
/// becomes a dead letter with a reason. A message of a newer version waits.
public final class RabbitMQJobQueue: JobQueue {
    /// How long settlements go on after the calling task was cancelled. A broker that is out of memory or disk confirms nothing.
    private static let settlingPatience = Duration.seconds(5)

    private let configuration: JobQueueConfiguration
    private let topology: UploadTopology
    private let consuming: Connection
    private let log: ControlLog
    private let publisher: SettlementPublisher
    private let draining = Signal()
    private let cancelled = Signal()
    /// Fires when no lane takes deliveries any more.
    private let quiet = Signal()
    private let isConsuming = Mutex(false)
    private let readers = Mutex<[LaneReader]>([])
    private let prefetch: Mutex<UInt16>
    private let keeper: TopologyKeeper

    /// - Parameter topologyPause: waits until the bindings of the lanes are checked again, or for the signal.
    init(
        _ configuration: JobQueueConfiguration, topology: UploadTopology, consuming: Connection, publisher: Publisher,
        logger: Logger, now: @escaping @Sendable () -> Date = { Date() },
        clock: @escaping @Sendable () -> ContinuousClock.Instant = { ContinuousClock.now },
        topologyPause: @escaping @Sendable (Signal) async -> Void = { signal in
            await signal.wait(atMost: TopologyKeeper.interval)
        }
    ) {
        self.configuration = configuration
        prefetch = Mutex(configuration.prefetchPerLane)
        self.topology = topology
        self.consuming = consuming
        self.log = ControlLog(
            topology: topology, consuming: consuming, publisher: publisher, logger: logger, now: clock)
        // An exchange that was deleted and declared again has no bindings; the lanes themselves are checked by their
        // readers.
        self.keeper = TopologyKeeper(
            objects: Topology(bindings: configuration.queues.flatMap { topology.lanes(of: $0).bindings }),
            connection: consuming, pause: topologyPause, logger: logger)
        self.publisher = SettlementPublisher(
            topology: topology, publisher: publisher, log: log, worker: configuration.worker, logger: logger, now: now)
    }

    /// Whether the control log is read, the connection is up and every lane is served.
    public var isReady: Bool {
        let readers = readers.withLock { $0 }
        return !draining.isFired && consuming.epoch != 0 && !readers.isEmpty && readers.allSatisfy(\.isReady)
    }

    public var workerState: WorkerReport.State {
        guard publisher.isDrained else { return .running }
        return readers.withLock { $0 }.allSatisfy(\.isIdle) ? .drained : .draining
    }

    /// Called once. Reads the control log before it takes deliveries.
    /// - Throws: `accessDenied`, `misconfigured`: the error that prevents taking for good.
    public func consume(_ handler: any JobHandler) async throws(UploadError) {
        isConsuming.withLock { $0 = true }
        // In a task of its own: cancelling the caller stops the taking and cancels the handler, but settlements go on for a while
        // (`settlingPatience`).
        let run = Task { () async -> UploadError? in await self.run(handler) }
        let failure = await withTaskCancellationHandler {
            await run.value
        } onCancel: {
            draining.fire()
            cancelled.fire()
        }
        if let failure { throw failure }
    }

    /// Returns when no lane takes deliveries any more, or after 5 s if the broker does not answer.
    public func drain() async {
        draining.fire()
        if isConsuming.withLock({ $0 }) { await quiet.wait(atMost: LaneReader.quietPatience) }
    }

    /// Changes the prefetch of each lane.
    public func setJobsAtOnce(_ count: Int) {
        let prefetch = JobQueueConfiguration.prefetch(jobsAtOnce: count)
        self.prefetch.withLock { $0 = prefetch }
        for reader in readers.withLock({ $0 }) { reader.setPrefetch(prefetch) }
    }

    private func run(_ handler: any JobHandler) async -> UploadError? {
        let tenures = Tenures(connection: consuming)
        let watch = Task { await tenures.watch() }
        let keeping = Task { [keeper, draining] in await keeper.run(until: draining) }
        let settling = Task { [cancelled] in
            guard await cancelled.wait(atMost: nil) else { return }
            try await Task.sleep(for: Self.settlingPatience)
            tenures.endAll()
        }
        let giveUp = draining.onFire { [self] in
            // No delivery is held yet while the log is being read for the first time.
            if readers.withLock({ $0.isEmpty }) { Task { await log.stop() } }
        }
        defer {
            watch.cancel()
            settling.cancel()
            keeping.cancel()
            draining.remove(giveUp)
            quiet.fire()
        }
        // At the same time, which saves a round trip until the lanes are served.
        async let channels = openChannels()
        do throws(UploadError) {
            try await log.start()
        } catch {
            await log.stop()
            return draining.isFired ? nil : error
        }
        let observer = logDrains()
        defer { log.removeObserver(observer) }
        let failure = await serve(handler, tenures, over: channels)
        await log.stop()
        return failure
    }

    private func serve(
        _ handler: any JobHandler, _ tenures: Tenures, over opened: Result<[Channel], RabbitMQError>
    ) async -> UploadError? {
        let channels: [Channel]
        var readers: [LaneReader] = []
        do throws(RabbitMQError) {
            channels = try opened.get()
            for queue in configuration.queues {
                let taking = TakingLanes()
                let handBack = HandBack()
                for lane in Lane.allCases {
                    // Each lane has its own channel: for a delivery that is held too long, the broker closes its
                    // channel, and takes back all deliveries of that channel.
                    readers.append(
                        LaneReader(
                            queue: queue, lane: lane, channel: channels[readers.count],
                            prefetch: prefetch.withLock { $0 },
                            tenures: tenures, publisher: publisher, handler: handler, draining: draining,
                            cancelled: cancelled,
                            quiet: quiet, taking: taking, handBack: handBack))
                }
            }
        } catch {
            return UploadError(error, doing: "the lanes could not be opened")
        }
        self.readers.withLock { $0 = readers }
        let failure = await withTaskGroup(of: UploadError?.self) { group in
            let taking = Countdown(readers.count, firing: quiet)
            for reader in readers { group.addTask { await reader.run { taking.checkOff() } } }
            var first: UploadError?
            for await failure in group {
                guard let failure else { continue }
                first = first ?? failure
                draining.fire()
            }
            return first
        }
        // Closing the channels in order sends the acknowledgements; closing the connection does not.
        for channel in channels { await channel.close() }
        return failure
    }

    /// Logs when an operator drains or resumes the worker.
    private func logDrains() -> Int {
        let wasDrained = Mutex(false)
        return log.observe { [publisher] in
            let isDrained = publisher.isDrained
            let isNews = wasDrained.withLock { wasDrained in
                defer { wasDrained = isDrained }
                return wasDrained != isDrained
            }
            guard isNews else { return }
            publisher.logger.notice(
                isDrained
                    ? "an operator drains this worker: it hands its jobs over, and takes none until it is resumed"
                    : "an operator has resumed this worker: it takes jobs again")
        }
    }

    /// One channel for each lane.
    private func openChannels() async -> Result<[Channel], RabbitMQError> {
        while true {
            do throws(RabbitMQError) {
                try await consuming.waitUntilConnected()
                return .success(
                    try await consuming.openChannels(configuration.queues.count * Lane.allCases.count))
            } catch {
                guard error.isRetryable, !draining.isFired else { return .failure(error) }
            }
        }
    }
}
