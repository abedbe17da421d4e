import Foundation
import Logging
import Synchronization
import UploadSources
import Uploads
import UploadsRabbitMQ

/// Carries uploads over the broker. Events of unfinished uploads come by a transient watch of every transfer queue in
/// use. Outcomes, also those of times when no program ran, come by the durable queue that the notifier keeps for the
/// identifier. For other missed events the manager asks the notifier.
final class BrokerBackend: UploadBackend {
    /// Time between two looks into the durable queue: the watches report an end sooner.
    private static let outcomeInterval = Duration.seconds(1)
    /// The pause after a failure, or while the broker is away.
    private static let failurePause = Duration.milliseconds(500)
    /// Time between two looks which transfer queues other programs of the identifier use.
    private static let queueInterval = Duration.seconds(5)
    /// How long a submission or an order waits for the watch of its queue, which only makes progress visible sooner.
    private static let watchPatience = Duration.seconds(2)
    private static let lookPause = Duration.milliseconds(20)
    /// How many transfer queues are watched at most; the outcomes of uploads in other queues come all the same.
    static let watchedQueueCountMaximum = 64

    typealias Sink = @Sendable (UploadEvent) async -> Bool

    private struct State {
        var sink: Sink?
        var wanted: Set<QueueName> = [.standard]
        var watched: Set<QueueName> = []
        var inbox: DelegateInbox?
        var isClosed = false
    }

    private let identifier: UploadIdentifier
    private let delegate: String
    private let link: BrokerLink
    private let store: ClientStore
    private let logger: Logger
    let gaps: AsyncStream<Void>
    private let gap: AsyncStream<Void>.Continuation
    private let passes = OutcomePasses()
    private let state = Mutex(State())

    init(_ identifier: UploadIdentifier, link: BrokerLink, logger: Logger) async throws(UploadError) {
        guard let delegate = ClientDelegate.name(of: identifier.rawValue) else {
            throw UploadError(.misconfigured, "'\(identifier)' is not an upload identifier")
        }
        self.identifier = identifier
        self.delegate = delegate
        self.link = link
        self.logger = logger
        (gaps, gap) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        store = try await ClientStore.open(identifier, in: link.area)
    }

    var namespace: String { link.namespace }

    // MARK: Events

    func run(_ sink: @escaping Sink) async {
        state.withLock { $0.sink = sink }
        await withDiscardingTaskGroup { group in
            group.addTask { await self.readOutcomes() }
            group.addTask { await self.findQueues() }
            group.addTask { await self.noteReturns() }
            var begun: Set<QueueName> = []
            while !Task.isCancelled {
                for queue in state.withLock({ $0.wanted }).subtracting(begun) {
                    begun.insert(queue)
                    group.addTask { await self.watch(queue, sink) }
                }
                try? await Task.sleep(for: Self.lookPause)
            }
            group.cancelAll()
        }
    }

    private func readOutcomes() async {
        while !Task.isCancelled {
            var pause = Self.outcomeInterval
            if link.connected != nil {
                do throws(UploadError) {
                    if try await takeOutcomes().isRefused { pause = .seconds(2) }
                } catch {
                    pause = Self.failurePause
                    logger.debug("outcomes cannot be taken now", metadata: ["error": "\(error.message)"])
                }
            }
            try? await Task.sleep(for: pause)
        }
    }

    /// One pass over the durable queue, after those under way.
    private func takeOutcomes() async throws(UploadError) -> DelegateInbox.Pass {
        try await passes.pass { [self] () throws(UploadError) in
            guard let sink = state.withLock({ $0.sink }) else { return DelegateInbox.Pass() }
            let inbox = try await inbox()
            let client = identifier.rawValue
            return try await inbox.pass { event in
                // Not an event of this identifier: an operator published it there by hand.
                guard event.job.client == client, !state.withLock({ $0.isClosed }) else {
                    return event.job.client != client
                }
                return await sink(event)
            }
        }
    }

    private func inbox() async throws(UploadError) -> DelegateInbox {
        if let known = state.withLock({ $0.inbox }) { return known }
        let inbox = try await link.broker(within: link.patience.connection).inbox(of: delegate)
        state.withLock { $0.inbox = inbox }
        return inbox
    }

    /// Reports a gap when the connection is back: while it was away, the broker may have dropped the watches and their
    /// events.
    private func noteReturns() async {
        while !Task.isCancelled {
            if let broker = try? await link.broker(within: link.patience.connection),
                let returns = try? await broker.returns()
            {
                for await _ in returns { gap.yield() }
            }
            try? await Task.sleep(for: Self.failurePause)
        }
    }

    private func watch(_ queue: QueueName, _ sink: @escaping Sink) async {
        var isAgain = false
        while !Task.isCancelled {
            // Without a pause: events before the watch begins are not seen.
            if let broker = try? await link.broker(within: link.patience.connection) {
                do throws(UploadError) {
                    let watch = try await broker.watch(queue, steps: true)
                    _ = state.withLock { $0.watched.insert(queue) }
                    if isAgain { gap.yield() }
                    isAgain = true
                    await follow(watch, sink)
                    _ = state.withLock { $0.watched.remove(queue) }
                    await watch.close()
                } catch {
                    logger.debug(
                        "progress cannot be watched now", metadata: ["queue": "\(queue)", "error": "\(error.message)"])
                }
            }
            try? await Task.sleep(for: Self.failurePause)
        }
    }

    private func follow(_ watch: OutcomeWatch, _ sink: Sink) async {
        do throws(UploadError) {
            var events = watch.makeAsyncIterator()
            while !Task.isCancelled, let event = try await events.next() {
                // An end that cannot be recorded comes again by the durable queue.
                if event.job.client == identifier.rawValue { _ = await sink(event) }
            }
        } catch {
            logger.info("progress may have been missed; it is watched anew", metadata: ["error": "\(error.message)"])
        }
    }

    private func findQueues() async {
        while !Task.isCancelled {
            for upload in (try? await store.uploads()) ?? [] { want(upload.job.queue) }
            try? await Task.sleep(for: Self.queueInterval)
        }
    }

    private func want(_ queue: QueueName) {
        state.withLock { state in
            guard state.wanted.count < Self.watchedQueueCountMaximum else { return }
            state.wanted.insert(queue)
        }
    }

    // MARK: Jobs and orders

    func accept(_ job: UploadJob) async throws(UploadError) {
        await beWatching(job.queue)
        try await link.submit(job)
    }

    /// A broker cannot be asked whether a message arrived.
    func holds(_ id: JobID) async throws(UploadError) -> Bool? { nil }

    /// The outbox publishes the job as a possible repeat: the notifier drops it if the job is known and has ended, and
    /// issues the job anew otherwise.
    func acceptAgain(_ job: UploadJob) async throws(UploadError) {
        want(job.queue)
        try await link.keep(job)
    }

    /// Waits a limited time until the queue's events are watched.
    private func beWatching(_ queue: QueueName) async {
        want(queue)
        await beWatchingAll { $0 == queue }
    }

    private func beWatchingAll(where isMeant: (QueueName) -> Bool = { _ in true }) async {
        let end = ContinuousClock.now + Self.watchPatience
        while link.connected != nil, ContinuousClock.now < end, !Task.isCancelled,
            state.withLock({ state in state.wanted.contains { isMeant($0) && !state.watched.contains($0) } })
        {
            try? await Task.sleep(for: Self.lookPause)
        }
    }

    /// Waits first until all queues are watched, so that no event after the answer is missed.
    func reports(of ids: [JobID]) async throws(UploadError) -> [JobID: JobReport]? {
        // One of the two connections may be back long before the other.
        _ = try await link.broker(within: link.patience.question)
        for upload in try await store.uploads() { want(upload.job.queue) }
        await beWatchingAll()
        return try await link.ask(ids)
    }

    func order(_ verb: Verb, _ id: JobID) async throws(UploadError) {
        guard !verb.beginsRound else {
            throw UploadError(.rejected, "an ended upload is run again by resume(with:), which follows its next round")
        }
        guard let answer = try await give(verb, id, in: try await store.upload(id)?.job.queue), !answer.done else {
            return
        }
        throw UploadError(.rejected, answer.reason ?? "the notifier refused to \(verb.rawValue) the upload \(id)")
    }

    /// Gives an order, and sees its results even if the broker has only just been reached.
    private func give(
        _ verb: Verb, _ id: JobID, in queue: QueueName?
    ) async throws(UploadError) -> OrderAnswer.Job? {
        _ = try await link.broker(within: link.patience.connection)
        if let queue { await beWatching(queue) }
        return try await link.order(verb, id)
    }

    func resume(_ upload: ResumableUpload) async throws(UploadError) -> Int {
        if let open = try await store.upload(upload.id) { return open.round }
        let ended = try await store.outcome(of: upload.id)
        try BrokerResume.check(upload, ended: ended.flatMap { ended in ended.end.map { (ended.round, $0.kind) } })
        return try BrokerResume.round(
            upload, endedRound: ended?.round, answer: try await give(.runAgain, upload.id, in: upload.job.queue))
    }

    func catchUp() async throws(UploadError) {
        _ = try await link.broker(within: link.patience.connection)
        // Called right after opening: `run` may be about to begin.
        while !state.withLock({ $0.sink != nil || $0.isClosed }), !Task.isCancelled {
            try? await Task.sleep(for: Self.lookPause)
        }
        let pass: DelegateInbox.Pass
        do throws(UploadError) {
            pass = try await takeOutcomes()
        } catch {
            guard error.code == .networkFailure, !state.withLock({ $0.isClosed }) else { throw error }
            // The connection was lost during the pass: try once more.
            _ = try await link.broker(within: link.patience.connection)
            pass = try await takeOutcomes()
        }
        if pass.isRefused {
            throw UploadError(
                .serverFailure, "an outcome could not be recorded in the staging area \(link.area.path); see the log",
                retry: .afterBackoff)
        }
    }

    func close() async {
        let inbox = state.withLock { state in
            state.isClosed = true
            return state.inbox
        }
        gap.finish()
        await passes.close()
        await inbox?.close()
        await link.close()
    }
}
