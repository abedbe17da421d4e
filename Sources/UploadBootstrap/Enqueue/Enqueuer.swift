import Logging
import UploadClient
import UploadSources
import Uploads
import UploadsRabbitMQ

/// Carries out a plan: stages, publishes, waits. Nothing that was confirmed is ever taken back. What was not, because the
/// broker is away, is kept in the outbox; what was refused leaves no copy behind.
struct Enqueuer {
    /// Jobs of others that are published in passing.
    static let outboxCountMaximum = 100
    /// The longest that they may hold up the command.
    static let outboxPatience = Duration.seconds(5)
    /// The longest that the queues of a watch may take to be deleted; without it they expire.
    private static let watchPatience = Duration.seconds(1)

    let request: EnqueueRequest
    let plan: EnqueuePlan
    let configuration: UploadConfiguration
    /// Or why there is none.
    let broker: Result<UploadBroker, UploadError>
    /// When a broker that has not answered counts as away.
    let deadline: ContinuousClock.Instant
    let interruption: Interruption
    let logger: Logger

    /// What is published to and listened to, while the broker is there.
    private struct Link: Sendable {
        let broker: UploadBroker
        let submitter: UploadSubmitter
        let watch: OutcomeWatch?
    }

    func run() async throws -> ExitCode {
        let uploads = plan.uploads
        do {
            let link = try await link()
            // Staging may take as long as it likes.
            let left = patience
            let watch = (try? link.get())?.watch
            let maker = JobMaker(
                request: request, area: try await area(isAway: link.failure != nil),
                namespace: configuration.namespace)
            let jobs = try await interruption.cancelling { try await maker.jobs(for: uploads) }
            let display = WaitDisplay(printsJSON: request.printsJSON)
            for (upload, job) in zip(uploads, jobs) { display.add(upload, job) }
            let waiting = Waiting(display: display, interruption: interruption)
            // Events are read from now on, so that the queue that collects them does not run over meanwhile.
            let listening = watch.map { waiting.listen(to: $0) }
            let fates = await publish(jobs, maker, link, within: left)
            for (job, fate) in zip(jobs, fates) {
                if case .confirmed = fate {} else { display.remove(job.id) }
            }
            let isTaken = fates.allSatisfy { if case .confirmed = $0 { true } else { false } }
            let failure = try await settle(fates, jobs, maker, away: link.failure)
            // A broker that did not take these would not take those either.
            if failure == nil, isTaken, let broker = (try? link.get())?.broker { await publishOutbox(to: broker) }
            var code = ExitCode.done
            if let listening, !display.board.entries.isEmpty { code = try await waiting.finish(listening) }
            listening?.cancel()
            // A broker that did not take the jobs would not take the queues' end either, and lets them expire.
            if isTaken { await watch?.close(within: Self.watchPatience) }
            if let failure { throw failure }
            return code
        } catch let error as UploadError {
            // Whatever was published is dealt with above: these errors come before the first publish.
            throw ProgramError(ProgramError(error).exitCode, "\(error.message); nothing was enqueued")
        }
    }

    /// Declares what is published to. A broker that is away is a failure that the outbox makes good.
    private func link() async throws(UploadError) -> Result<Link, UploadError> {
        do throws(UploadError) {
            let broker = try broker.get()
            return .success(
                try await TimeLimit.within(patience, "did not answer") { [request] () throws(UploadError) in
                    Link(
                        broker: broker, submitter: try await broker.submitter(for: request.queue),
                        watch: request.waits ? try await broker.watch(request.queue) : nil)
                })
        } catch {
            guard error.code == .networkFailure, request.usesOutbox else { throw error }
            return .failure(error)
        }
    }

    /// What is left of it: at least a second, for each job that is published later.
    private var patience: Duration {
        max(.seconds(1), min(deadline - .now, .seconds(configuration.brokerPatience)))
    }

    /// What others left in the outbox while the broker was away, in passing: a bounded number, in bounded time.
    private func publishOutbox(to broker: UploadBroker) async {
        let publisher = OutboxPublisher(staging: configuration.staging, broker: broker, logger: logger)
        let passing = Task { await publisher.publish(atMost: Self.outboxCountMaximum) }
        let limit = Task { [patience] in
            try? await Task.sleep(for: min(Self.outboxPatience, patience))
            passing.cancel()
        }
        _ = await passing.value
        limit.cancel()
    }

    /// The staging area, where anything has to be staged, kept or registered.
    private func area(isAway: Bool) async throws(UploadError) -> StagingArea? {
        let isStaged = request.stages && plan.uploads.contains { !$0.isInline && !$0.isElsewhere }
        let isKeyed = plan.uploads.contains { $0.idempotencyKey != nil }
        guard isStaged || isAway || isKeyed else { return nil }
        return try await StagingArea.open(at: configuration.staging, group: configuration.stagingGroup)
    }

    private func publish(
        _ jobs: [UploadJob], _ maker: JobMaker, _ link: Result<Link, UploadError>, within patience: Duration
    ) async -> [Publication.Fate] {
        guard case .success(let link) = link else { return jobs.map { _ in .untried } }
        let uploads = plan.uploads
        let submitter = link.submitter
        let window = request.serial == nil ? Publication.windowMaximum : 1
        let publication = Publication(window: window, patience: patience) { job, isRepeat, left throws(UploadError) in
            try await submitter.submit(job, maybeRepeated: isRepeat, within: min(UploadSubmitter.confirmLimit, left))
        }
        return await publication.publish(
            count: jobs.count,
            load: { index throws(UploadError) in try maker.loaded(jobs[index], uploads[index]) },
            shouldStop: { interruption.wasInterrupted },
            confirmed: { index in if !request.printsJSON || !request.waits { printID(of: jobs[index], at: index) } })
    }

    private func printID(of job: UploadJob, at index: Int) {
        Console.output(
            line: request.printsJSON
                ? EnqueuedLine(plan.uploads[index], id: job.id, size: job.size).text : job.id.rawValue)
    }

    /// Keeps in the outbox what the broker was not there for, tidies up after what else was not published, and says what was
    /// and what was not.
    private func settle(
        _ published: [Publication.Fate], _ jobs: [UploadJob], _ maker: JobMaker, away: UploadError?
    ) async throws -> ProgramError? {
        var fates = published
        var kept: [Int] = []
        if request.usesOutbox, let reason = away ?? Self.passingFailure(in: fates) {
            let wanted = fates.indices.filter { index in
                switch fates[index] {
                case .unknown: true
                case .untried: !interruption.wasInterrupted
                case .confirmed, .refused, .kept: false
                }
            }
            kept = await keep(wanted, of: jobs, maker, in: &fates)
            if !kept.isEmpty { tellKept(kept, of: jobs, reason) }
        }
        let result = EnqueueResult(fates)
        guard result.enqueuedCount < jobs.count else {
            guard request.waits, !kept.isEmpty else { return nil }
            return ProgramError(
                .unavailable, "nobody can be waited for while the broker is away; ask for the ids when it is back")
        }
        // What may have arrived keeps its copy.
        await maker.discard(result.absent.map { jobs[$0] })
        return result.problem(paths: plan.uploads.map(\.path))
    }

    /// Writes jobs into the outbox and prints their ids.
    /// - Returns: the indices of those that are durable there.
    private func keep(
        _ indices: [Int], of jobs: [UploadJob], _ maker: JobMaker, in fates: inout [Publication.Fate]
    ) async -> [Int] {
        guard !indices.isEmpty else { return [] }
        let uploads = plan.uploads
        let keepings: [Outbox.Keeping]
        do throws(UploadError) {
            let area =
                try await StagingArea.open(at: configuration.staging, group: configuration.stagingGroup)
            keepings = try await area.outbox().keep(count: indices.count) { position throws(UploadError) in
                try maker.loaded(jobs[indices[position]], uploads[indices[position]])
            }
        } catch {
            let problem = error
            keepings = indices.map { _ in .refused(problem) }
        }
        var kept: [Int] = []
        for (index, keeping) in zip(indices, keepings) {
            switch keeping {
            case .kept:
                fates[index] = .kept
                kept.append(index)
                printID(of: jobs[index], at: index)
            case .refused(let error): if case .untried = fates[index] { fates[index] = .refused(error) }
            // It is published as long as its file is there, and needs its copy then.
            case .unknown(let error): if case .untried = fates[index] { fates[index] = .unknown(error) }
            }
        }
        return kept
    }

    private func tellKept(_ kept: [Int], of jobs: [UploadJob], _ reason: UploadError) {
        let jobs = kept.count == 1 ? "1 job is" : "\(kept.count) jobs are"
        Console.error(
            line: """
                enqueue-upload: \(reason.message); \(jobs) kept in \(configuration.staging)/\(Outbox.name), and published by \
                whichever of upload-worker, upload-notifier and enqueue-upload next reaches the broker from this staging area
                """)
    }

    private static func passingFailure(in fates: [Publication.Fate]) -> UploadError? {
        for case .unknown(let error) in fates where error.mayPass { return error }
        return nil
    }
}

extension Result {
    fileprivate var failure: Failure? { if case .failure(let error) = self { error } else { nil } }
}
