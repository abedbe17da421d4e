import Foundation
package import Logging
import Synchronization
package import UploadSources
package import Uploads
package import UploadsRabbitMQ

/// An app's connection to the broker, which need not be reachable: connects in the background, submits jobs or keeps
/// them in the outbox, and publishes the outbox when the broker is back.
package final class BrokerLink: Sendable {
    /// The pause between two tries to connect, doubled from the first to the last, with full jitter.
    static let pauses = Duration.milliseconds(500)...Duration.seconds(15)
    /// Time between two looks into the outbox.
    static let outboxInterval = Duration.seconds(2)
    /// How many jobs of the outbox are published before an order is given, which may be about one of them.
    private static let outboxCountMaximum = 1000
    /// Time between two looks whether there is a connection.
    private static let lookPause = Duration.milliseconds(50)

    /// How long the link waits for the broker.
    package struct Patience: Sendable {
        /// Until a job without a confirm is kept in the outbox.
        package var confirm = Duration.seconds(5)
        /// For a connection, for calls that need one.
        package var connection = Duration.seconds(10)
        /// For the notifier's answer to an order.
        package var answer = Duration.seconds(10)
        /// For the notifier's answer to a question, which delays nothing: after a broker's restart a notifier may be
        /// back later than the app.
        package var question = Duration.seconds(UploadOrder.questionPatience)

        package init() {}
    }

    private struct State {
        var broker: UploadBroker?
        var failure: UploadError?
        var submitters: [QueueName: UploadSubmitter] = [:]
        var isClosed = false
        var connecting: Task<Void, Never>?
    }

    package let namespace: String
    package let area: StagingArea
    package let patience: Patience
    package let logger: Logger
    private let login: BrokerLogin
    private let name: String
    private let outboxWarnings = OutboxWarnings()
    private let state = Mutex(State())

    /// - Parameter name: names this program in the broker's lists and in the notifier's log.
    /// - Throws: `misconfigured` for an address or namespace that cannot be used at all. Whether the broker is
    ///   reachable is not checked.
    package init(
        _ access: BrokerAccess, namespace: String, shards: Shards = .one, area: StagingArea, name: String,
        patience: Patience = Patience(), logger: Logger
    ) throws(UploadError) {
        login = try access.login(named: name)
        _ = try UploadTopology(namespace: namespace)
        self.namespace = namespace
        self.area = area
        self.name = name
        self.patience = patience
        self.logger = logger
        let task = Task { [weak self, login, namespace, logger] in
            await Self.connect(login, namespace: namespace, shards: shards, logger: logger) { self?.take($0) ?? false }
            await self?.publishOutbox()
        }
        state.withLock { $0.connecting = task }
    }

    // MARK: Connecting

    /// The broker, while its connections are up.
    package var connected: UploadBroker? {
        guard let broker = state.withLock({ $0.broker }), broker.isConnected else { return nil }
        return broker
    }

    /// Waits for the broker.
    /// - Throws: `networkFailure` with the reason when the broker is not reachable in time; `interrupted` when the task
    ///   is cancelled.
    package func broker(within patience: Duration) async throws(UploadError) -> UploadBroker {
        let end = ContinuousClock.now + patience
        while true {
            if let connected { return connected }
            let (failure, isClosed) = state.withLock { ($0.failure, $0.isClosed) }
            if isClosed || Task.isCancelled {
                throw UploadError(.interrupted, "the wait for the broker was cancelled")
            }
            guard ContinuousClock.now < end else {
                throw UploadError(
                    .networkFailure,
                    "the broker (\(login)) cannot be reached\(failure.map { ": \($0.message)" } ?? "; try again later")"
                )
            }
            try? await Task.sleep(for: Self.lookPause)
        }
    }

    /// Tries without an end: an operator may correct a login or a certificate while the app runs.
    private static func connect(
        _ login: BrokerLogin, namespace: String, shards: Shards, logger: Logger,
        _ take: (Result<UploadBroker, UploadError>) -> Bool
    ) async {
        var pause = pauses.lowerBound
        while !Task.isCancelled {
            do throws(UploadError) {
                let broker = try await UploadBroker.connect(
                    login, namespace: namespace, shards: shards, logger: logger)
                if !take(.success(broker)) { await broker.close() }
                return
            } catch {
                logger.info("no broker yet", metadata: ["broker": "\(login)", "error": "\(error.message)"])
                guard take(.failure(error)) else { return }
            }
            try? await Task.sleep(for: pause * Double.random(in: 0...1))
            pause = min(pause * 2, pauses.upperBound)
        }
    }

    /// - Returns: false when the link is closed.
    private func take(_ result: Result<UploadBroker, UploadError>) -> Bool {
        state.withLock { state in
            guard !state.isClosed else { return false }
            switch result {
            case .success(let broker):
                state.broker = broker
                state.failure = nil
            case .failure(let error): state.failure = error
            }
            return true
        }
    }

    private func publishOutbox() async {
        guard let broker = state.withLock({ $0.broker }) else { return }
        await outboxPublisher(broker).run()
    }

    private func outboxPublisher(_ broker: UploadBroker) -> OutboxPublisher {
        OutboxPublisher(
            spool: area.path, broker: broker, interval: Self.outboxInterval, warnings: outboxWarnings, logger: logger)
    }

    // MARK: Submitting

    /// Submits a job whose bytes are staged, or keeps it in the outbox: durable when this returns.
    /// - Throws: the broker's refusal, or the reason why the job cannot be kept; `networkFailure` when the job may have
    ///   arrived all the same.
    package func submit(_ job: UploadJob) async throws(UploadError) {
        guard let broker = connected else { return try await keep(job) }
        let limit = patience.confirm
        let publication = Publication(window: 1, patience: limit) { [self] job, isRepeat, left throws(UploadError) in
            let end = ContinuousClock.now + left
            let submitter = try await submitter(for: job.queue, broker, within: left)
            try await submitter.submit(job, maybeRepeated: isRepeat, within: max(.zero, end - .now))
        }
        // In a task of its own: the job's fate has to be known even if the caller is cancelled.
        let fate = await Task {
            await publication.publish(
                count: 1, load: { _ throws(UploadError) in job }, shouldStop: { false }, confirmed: { _ in }
            ).first ?? .untried
        }.value
        switch fate {
        case .confirmed, .incomplete: return
        case .refused(let error):
            forgetSubmitter(for: job.queue)
            throw error
        case .unknown(let unknown):
            forgetSubmitter(for: job.queue)
            do throws(UploadError) {
                try await keep(job)
            } catch {
                throw UploadError(
                    .networkFailure,
                    "\(unknown.message); it may have arrived all the same, and it cannot be kept: \(error.message)",
                    cause: error)
            }
        case .untried, .kept:
            forgetSubmitter(for: job.queue)
            try await keep(job)
        }
    }

    private func submitter(
        for queue: QueueName, _ broker: UploadBroker, within limit: Duration
    ) async throws(UploadError) -> UploadSubmitter {
        if let known = state.withLock({ $0.submitters[queue] }) { return known }
        // A blocked broker may not even declare a queue.
        let submitter = try await TimeLimit.within(limit) { () throws(UploadError) in
            try await broker.submitter(for: queue)
        }
        state.withLock { $0.submitters[queue] = submitter }
        return submitter
    }

    private func forgetSubmitter(for queue: QueueName) { state.withLock { $0.submitters[queue] = nil } }

    /// Keeps a job in the outbox, which publishes it as a possible repeat.
    /// - Throws: `networkFailure` when the job may be published all the same.
    func keep(_ job: UploadJob) async throws(UploadError) {
        switch try await area.outbox().keep(count: 1, load: { _ throws(UploadError) in job }).first {
        case .kept?, nil:
            logger.info("the job is kept in the outbox until the broker takes it", metadata: ["job": "\(job.id)"])
        case .refused(let error)?: throw error
        case .unknown(let error)?:
            throw UploadError(
                .networkFailure,
                "the job is in the outbox and may be published, and it is not known whether it is durable: \(error.message)",
                cause: error)
        }
    }

    // MARK: Orders about one job

    /// Gives an order about one job. The order holds even when no worker or notifier runs at the moment.
    /// - Returns: the result; nil when no notifier answered in time.
    /// - Throws: `networkFailure` when the broker does not take the order; it may be given again.
    package func order(_ verb: Verb, _ id: JobID) async throws(UploadError) -> OrderAnswer.Job? {
        let broker = try await broker(within: patience.connection)
        await publishFirst(id, to: broker)
        return try await give(UploadOrder(.jobs(verb, [id]), by: name), to: broker)?.jobs.first
    }

    /// A blocked broker may not even declare the queue for the answer, so this has a time limit.
    private func give(
        _ order: UploadOrder, to broker: UploadBroker, patience: Duration? = nil
    ) async throws(UploadError) -> OrderAnswer? {
        let patience = patience ?? self.patience.answer
        return try await TimeLimit.within(patience + .seconds(1), "did not confirm the order") {
            () throws(UploadError) in try await broker.order(order, patience: patience)
        }
    }

    /// Publishes the job first. It may wait in the outbox, or another program may be publishing it from there; the
    /// notifier has to know the job before the order.
    private func publishFirst(_ id: JobID, to broker: UploadBroker) async {
        let end = ContinuousClock.now + patience.confirm
        let isKept = {
            () -> Bool in
            Outbox.holds(id, inAreaAt: self.area.path)
        }
        while isKept(), ContinuousClock.now < end, !Task.isCancelled {
            await outboxPublisher(broker).publish(atMost: Self.outboxCountMaximum)
            if isKept() { try? await Task.sleep(for: Self.lookPause) }
        }
    }

    /// Asks for the state of 1 to `UploadOrder.jobsMaximum` jobs.
    /// - Returns: the jobs that the notifier knows; nil when no notifier answered in time.
    /// - Throws: `networkFailure` when the broker does not take the question.
    package func ask(_ jobs: [JobID]) async throws(UploadError) -> [JobID: JobReport]? {
        let broker = try await broker(within: patience.question)
        let order = UploadOrder(.ask(jobs), by: name)
        guard let answer = try await give(order, to: broker, patience: patience.question) else { return nil }
        let known = answer.jobs.compactMap { job in job.report.map { (job.id, $0) } }
        return Dictionary(known, uniquingKeysWith: { first, _ in first })
    }

    // MARK: Closing

    /// Idempotent.
    package func close() async {
        let (connecting, broker) = state.withLock { state in
            state.isClosed = true
            return (state.connecting, state.broker)
        }
        connecting?.cancel()
        await connecting?.value
        await broker?.close()
    }

    // MARK: Orders about many jobs

    /// Gives an order, which holds even when no worker or notifier runs at the moment.
    /// - Parameter jobs: the jobs of the order. They may wait in the outbox, or another program may be publishing them
    ///   from there; the notifier has to know them before the order.
    /// - Returns: the result; nil when no notifier answered in time.
    /// - Throws: `networkFailure` when the broker does not take the order or its jobs; it may be given again.
    package func order(
        _ command: UploadOrder.Command, about jobs: [JobID]
    ) async throws(UploadError) -> OrderAnswer? {
        let broker = try await broker(within: patience.connection)
        let end = ContinuousClock.now + patience.confirm
        while isAnyKept(of: jobs) {
            await outboxPublisher(broker).publish(atMost: Self.outboxCountMaximum)
            guard isAnyKept(of: jobs) else { break }
            guard ContinuousClock.now < end, !Task.isCancelled else {
                throw UploadError(.networkFailure, "the broker does not take the jobs of the outbox; try again later")
            }
            try? await Task.sleep(for: Self.lookPause)
        }
        return try await give(UploadOrder(command, by: name), to: broker)
    }

    private func isAnyKept(of jobs: [JobID]) -> Bool {
        jobs.contains { Outbox.holds($0, inAreaAt: area.path) }
    }
}
