import Foundation
public import Logging
public import ServiceLifecycle
import Synchronization
public import Uploads

/// The notifier: records the broker's messages in the ledger, issues jobs anew by the rules of the baton, and publishes
/// outcomes.
///
/// The notifier records a batch in one ledger transaction, then publishes the actions that the ledger noted as owed, and acknowledges
/// the batch only when the broker has confirmed all of them. If only outcomes are owed, it records the next batch meanwhile. A crash
/// anywhere in between repeats messages that the ledger knows already, and publications that the ledger has noted.
public final class NotifierService: Service {
    let bus: any NotifierBus
    let ledger: any LedgerRecorder
    let configuration: NotifierConfiguration
    let clock: NotifierClock
    let logger: Logger
    private let claim: LedgerClaim?
    /// The control log's view from the claim; nil after its first use.
    private let claimed: Mutex<ControlView?>
    private let superseded = Mutex(false)
    /// Which outcomes go into which delegate's outbox. Changes only between two batches, under the lock below.
    let routes: Mutex<[DeliveryRoute]>
    /// All delegates; this notifier serves those whose names are in its shards.
    let delegates: Mutex<[RegisteredDelegate]>
    /// The shards that this notifier works for now.
    let shards = Mutex<Set<Int>>([])
    private let recording = AsyncLock()
    let deliveries: DeliveryService
    let publisher: OwedPublisher
    /// Publishes the outcomes of a batch while the next batch is recorded.
    let outcomes = OrderedPublications()
    let view = Mutex(ControlView())
    let sweeper: Sweeper?
    let stagingSweeper: StagingSweeper?
    let sweepOrders = SweepOrders()
    /// Whether the ledger's files may still hold forgotten names.
    let isScrubOwed = Atomic(false)
    let forgettingOrders = SweepOrders(countMaximum: .max)
    let progress: LatestProgress
    let metrics: ShardMetrics
    private let progressFeed: (any ProgressFeed)?
    /// When the last warning about each policy that drops jobs was logged.
    let warned = Mutex<[DeathCause: Date]>([:])
    private let isStopping = Mutex(false)
    let trouble = Mutex(Trouble())
    /// Receives the apps in a batch whose delegates this notifier does not serve yet.
    private let clientsHandler = Mutex<(@Sendable (Set<String>) async -> Void)?>(nil)
    private let clientsAsked = Mutex<Set<String>>([])
    let delegatesHandler = Mutex<(@Sendable () async throws(UploadError) -> Void)?>(nil)

    /// - Parameter claimed: the view of the control log after the claim of the namespace for the ledger (``LedgerClaimant``); the service
    ///   ends when the log names another ledger. With nil, the service ignores the log's ledger.
    public init(
        bus: any NotifierBus, ledger: any LedgerRecorder & DeliveryOutbox, claimed: ControlView? = nil,
        delegates: [RegisteredDelegate], configuration: NotifierConfiguration = NotifierConfiguration(),
        sweeper: Sweeper? = nil, stagingSweeper: StagingSweeper? = nil, progress: LatestProgress = LatestProgress(),
        metrics: ShardMetrics = ShardMetrics(), progressFeed: (any ProgressFeed)? = nil, clock: NotifierClock = .system,
        logger: Logger
    ) {
        self.bus = bus
        self.ledger = ledger
        self.claim = claimed?.ledger
        self.claimed = Mutex(claimed)
        self.configuration = configuration
        self.clock = clock
        self.logger = logger
        self.sweeper = sweeper
        self.stagingSweeper = stagingSweeper
        self.progress = progress
        self.metrics = metrics
        self.progressFeed = progressFeed
        self.routes = Mutex(delegates.map(\.route))
        self.delegates = Mutex(delegates)
        self.deliveries = DeliveryService(
            outbox: ledger, delegates: delegates, clock: clock, stopGrace: configuration.stopGrace, logger: logger)
        self.publisher = OwedPublisher(bus: bus, ledger: ledger, clock: clock, logger: logger)
        shards.withLock { $0 = ledger.kept(of: bus.shards) }
        serveOwn()
    }

    /// The view of the control log: as far as this notifier has read and written it, or, where others write as well, up to now.
    public func controlView() async throws(UploadError) -> ControlView {
        ledger.isShared ? try await bus.controlView() : view.withLock { $0 }
    }

    /// Whether another ledger, another copy of this one, or another notifier with this ledger has the namespace by now: this notifier records
    /// and publishes nothing any more.
    public var isSuperseded: Bool { superseded.withLock { $0 } }

    /// Why nothing is recorded now (a full disk, say), in one line of text; nil while batches are recorded.
    public var obstacle: String? {
        if isSuperseded { return superseding }
        return trouble.withLock { $0.beginning ?? $0.batch }.map { "it cannot record: \($0.message)" }
    }

    /// Serves other delegates from now on. Nothing is recorded while they are chosen, so that each outcome is recorded either for the
    /// delegates before or for those after. Deliveries go on.
    /// - Parameter choose: returns the new delegates, in a short time; if it throws, nothing changes.
    func serve(_ choose: () async throws -> [RegisteredDelegate]) async throws {
        try await recording.withLock {
            let delegates = try await choose()
            routes.withLock { $0 = delegates.map(\.route) }
            self.delegates.withLock { $0 = delegates }
            serveOwn()
        }
    }

    /// Records a batch between two changes of delegates. The ledger keeps messages that it cannot record as dead letters, so that the
    /// batch does not come again for ever and hold up all later messages.
    func recordForRoutes(_ batch: [NotifierMessage]) async throws(UploadError) -> [OwedAction] {
        try await knowingDelegates { () async throws(UploadError) in try await recordOnce(batch) }
    }

    private func recordOnce(_ batch: [NotifierMessage]) async throws(UploadError) -> [OwedAction] {
        try await recording.withLock { () async throws(UploadError) in
            let (view, routes) = (view.withLock { $0 }, routes.withLock { $0 })
            do throws(UploadError) {
                return try await ledger.record(batch, view: view, routes: routes, now: clock.now())
            } catch {
                guard LedgerFailure.isOfOne(error) else { throw error }
                logger.notice(
                    "a batch cannot be recorded as a whole; its messages are recorded one at a time",
                    metadata: [LogKey.count: "\(batch.count)", LogKey.error: "\(error)"])
            }
            let recording = try await ledger.recordSingly(
                batch, view: view, routes: routes, now: clock.now()
            ) { [bus] in bus.copy(of: $0) }
            for refusal in recording.refusals { say(refusal) }
            return recording.owed
        }
    }

    /// Carries out the next part of an order, between two changes of delegates, since an order may end jobs.
    func carryOutForRoutes(_ order: UploadOrder) async throws(UploadError) -> OrderStep {
        try await knowingDelegates { () async throws(UploadError) in
            try await recording.withLock { () async throws(UploadError) in
                let (view, routes) = (view.withLock { $0 }, routes.withLock { $0 })
                return try await ledger.carryOut(order, view: view, routes: routes, now: clock.now())
            }
        }
    }

    func say(_ refusal: SingleRecording.Refusal) {
        var metadata: Logger.Metadata = [LogKey.reason: "\(refusal.reason)"]
        if let job = refusal.job { metadata[LogKey.job] = "\(job)" }
        logger.error(
            "a message cannot be recorded; it is kept as a dead letter: mend the cause, then 'uploadctl dead replay'",
            metadata: metadata)
    }

    /// - Parameter read: reads the registered delegates anew, and serves them.
    func onDelegatesChanged(_ read: @escaping @Sendable () async throws(UploadError) -> Void) {
        delegatesHandler.withLock { $0 = read }
    }

    func onClients(_ handler: @escaping @Sendable (Set<String>) async -> Void) {
        clientsHandler.withLock { $0 = handler }
    }

    /// Asks to serve the delegates of apps in the batch. Recording has registered them already, and keeps their outcomes; the batch does
    /// not wait until they are served, since that takes its turn behind the changes of operators.
    func serveClients(in batch: [NotifierMessage]) {
        let clients = Set(batch.compactMap(\.client))
        guard !clients.isEmpty else { return }
        let unserved = clients.subtracting(routes.withLock { $0.compactMap(\.filter.client) })
        guard !unserved.isEmpty, let handler = clientsHandler.withLock({ $0 }) else { return }
        let new = clientsAsked.withLock { asked in
            defer { asked.formUnion(unserved) }
            return unserved.subtracting(asked)
        }
        guard !new.isEmpty else { return }
        Task {
            await handler(new)
            clientsAsked.withLock { $0.subtract(new) }
        }
    }

    /// The errors that keep the notifier from recording.
    struct Trouble {
        /// Why recording cannot begin.
        var beginning: UploadError?
        /// Why the last batch was not recorded; nil once a batch is recorded.
        var batch: UploadError?
        /// Failures since the last batch that was recorded and published; the length of the next pause follows from them.
        var failures = 0
    }

    private enum Part { case deliveries, messages, upkeep, sweeping, progress, grace, superseded }

    /// Works until a graceful shutdown, which takes seconds, or cancellation; or until another ledger has the namespace, which stops the
    /// notifier at once. It never acknowledges a message that it has not recorded.
    public func run() async throws {
        await withTaskGroup(of: Part.self) { group in
            group.addTask {
                try? await self.deliveries.run()
                return .deliveries
            }
            group.addTask {
                await self.consume()
                self.deliveries.stop()
                return .messages
            }
            group.addTask {
                await self.keepUp()
                return .upkeep
            }
            group.addTask {
                await self.keepReleasing()
                return .upkeep
            }
            group.addTask {
                await self.keepSwept()
                return .sweeping
            }
            group.addTask {
                await self.obeySweepOrders()
                return .sweeping
            }
            group.addTask {
                await self.obeyForgettingOrders()
                return .upkeep
            }
            group.addTask {
                // The progress feed has a connection of its own; recording does not wait for it, even if it fails.
                await self.progressFeed?.follow { [progress = self.progress] in progress.note($0) }
                return .progress
            }
            group.addTask {
                await self.watchClaim()
                return .superseded
            }
            group.addTask {
                await self.followOthers()
                return .upkeep
            }
            group.addTask {
                do { try await gracefulShutdown() } catch { return .grace }
                await self.stop()
                return .grace
            }
            var working: Set<Part> = [.deliveries, .messages]
            while !working.isEmpty, let part = await group.next() {
                working.remove(part)
                if part == .grace || (part == .superseded && isSuperseded) { group.cancelAll() }
            }
            group.cancelAll()
        }
    }

    /// Takes no more messages; work under way gets the grace.
    private func stop() async {
        isStopping.withLock { $0 = true }
        await bus.drain()
        deliveries.stop()
        try? await Task.sleep(for: configuration.stopGrace)
    }

    /// Returns when the control log names another ledger than this notifier's, or the task is cancelled.
    private func watchClaim() async {
        guard let claim else { return }
        while !Task.isCancelled, !isSuperseded {
            do throws(UploadError) {
                try checkClaim(await bus.controlView(withLedgerOtherThan: claim))
            } catch {
                guard !isSuperseded else { return }
                // The control log cannot be read now, and recording cannot go on without it either.
                do { try await clock.sleep(for: configuration.retryDelayMaximum) } catch { return }
            }
        }
    }

    private func supersede() {
        let isNews = superseded.withLock { superseded in
            defer { superseded = true }
            return !superseded
        }
        guard isNews else { return }
        logger.error("\(superseding); this notifier records and publishes nothing more")
    }

    private var superseding: String {
        "another ledger has the namespace now"
    }

    /// The view of the control log at the start; if the namespace was claimed just now, the view from the claim.
    func viewToBeginWith() async throws(UploadError) -> ControlView {
        let claimed = claimed.withLock { claimed in
            defer { claimed = nil }
            return claimed
        }
        if let claimed { return claimed }
        return try await bus.controlView()
    }

    /// - Throws: `rejected` once another ledger has the namespace.
    func checkClaim(_ view: ControlView? = nil) throws(UploadError) {
        if let view, let claim, view.ledger != claim { supersede() }
        guard !isSuperseded else {
            throw UploadError(.rejected, "another ledger has the namespace now; the notifier of that ledger is at work")
        }
    }

    private func consume() async {
        // A notifier that works no more has no shards to show, whatever its ledger says.
        defer { metrics.turn(to: []) }
        while !Task.isCancelled, !isStopping.withLock({ $0 }), !isSuperseded {
            let own = ledger.kept(of: bus.shards)
            await outcomes.end()
            await turn(to: own)
            guard !own.isEmpty else {
                await cancelWhenGracefulShutdown { [ledger] in await ledger.untilKept(otherThan: own) }
                continue
            }
            do throws(UploadError) {
                try await recover()
                trouble.withLock { $0.beginning = nil }
                try await bus.consume(own, until: { [ledger] in await ledger.untilKept(otherThan: own) }) { batch in
                    do throws(UploadError) {
                        let end = try await self.handle(batch)
                        self.trouble.withLock { $0.batch = nil }
                        return { () async throws in
                            try await end()
                            self.trouble.withLock { $0.failures = 0 }
                        }
                    } catch {
                        let problem = error
                        self.trouble.withLock { $0.batch = problem }
                        throw error
                    }
                }
                // It has ended for other shards, unless the service stops. The shards may be the same again by now.
            } catch {
                guard !Task.isCancelled, !isSuperseded else { return }
                let problem = error
                let failures = trouble.withLock { trouble in
                    if trouble.batch == nil { trouble.beginning = problem }
                    trouble.failures = min(trouble.failures + 1, 16)
                    return trouble.failures
                }
                let delay = min(configuration.retryDelayMaximum.seconds, pow(2, Double(failures)) / 4)
                logger.error(
                    "cannot record or publish; the broker delivers unacknowledged messages again",
                    metadata: [LogKey.error: "\(error)", LogKey.attempt: "\(failures)"])
                try? await clock.sleep(for: .seconds(delay))
            }
        }
    }
}
