import Logging
import Synchronization
import UploadClient
import UploadSources
import Uploads
import UploadsRabbitMQ

/// Carries out a plan: stages, publishes, waits. A confirmed job is never taken back. A job that is not confirmed because the broker is
/// unreachable goes to the outbox; a refused job leaves no staged copy behind.
struct Enqueuer {
    /// The most jobs of other programs that the command publishes from the outbox.
    static let outboxCountMaximum = 100
    /// The longest time that publishing them may delay the command.
    static let outboxPatience = Duration.seconds(5)
    /// The jobs that are written into the outbox between two flushes.
    private static let keptAtOnce = 1000
    /// The longest wait for the deletion of a watch's queues; queues that are not deleted expire.
    private static let watchPatience = Duration.seconds(1)

    let plan: EnqueuePlan
    let configuration: UploadConfiguration
    /// The broker, or the reason why it is unreachable.
    let broker: Result<UploadBroker, UploadError>
    /// When a broker that has not answered counts as unreachable.
    let deadline: ContinuousClock.Instant
    let staging: EnqueueStaging
    let interruption: Interruption
    let results: ResultWriter
    let logger: Logger

    private var request: EnqueueRequest { plan.request }

    /// The connection's parts for publishing jobs and for listening to events.
    private struct Link: Sendable {
        let broker: UploadBroker
        let submitter: UploadSubmitter
        let watch: OutcomeWatch?
    }

    func run() async throws -> ExitCode {
        do {
            let link = try await link()
            // Read now, because the time that staging takes does not count.
            let left = patience
            let watch = (try? link.get())?.watch
            let isAway = link.failure != nil
            let area = plan.isStaged || isAway || plan.isKeyed ? try await staging.spool() : nil
            var maker = JobMaker(
                plan: plan, copies: try plan.isStaged ? area.flatMap(staging.copies) : nil, area: area,
                namespace: configuration.namespace)
            let copying = plan.isStaged && Console.canDrawErrors ? CopyingDisplay(of: try plan.file.copiesTotal()) : nil
            copying?.begin()
            defer { copying?.end() }
            maker.display = copying
            let copies = PlannedCopies(maker, interruption)
            try await copies.begin(isAway: isAway)
            let display = WaitDisplay(plan: plan, json: request.printsJSON ? results : nil)
            let waiting = Waiting(display: display, interruption: interruption, id: maker.id)
            // The task reads events from now on, so that the queue that collects them does not overflow meanwhile.
            let listening = watch.map { waiting.listen(to: $0) }
            let originals = MovedOriginals(plan: plan)
            async let unmoved = originals.remove()
            defer { originals.finish() }
            let fates = await publish(maker, copies, link, listening == nil ? nil : display, originals, within: left)
            let isTaken = fates.allSatisfy { if case .confirmed = $0 { true } else { false } }
            if listening != nil { forget(fates, maker, display) }
            let problem = try await settle(fates, maker, copies, originals, away: link.failure)
            originals.finish()
            copying?.end()
            let failure = ProgramError(joining: [problem, await unmoved].compactMap { $0 })
            // If the broker did not take these jobs, it would not take those of the outbox either.
            if failure == nil, isTaken, let broker = (try? link.get())?.broker { await publishOutbox(to: broker) }
            var code = ExitCode.done
            if let listening, display.awaited({ $0.count }) > 0 { code = try await waiting.finish(listening) }
            listening?.cancel()
            // If the broker did not take the jobs, it would not answer the deletion of the watch's queues either; they expire.
            if isTaken { await watch?.close(within: Self.watchPatience) }
            if let failure { throw failure }
            return code
        } catch let error as UploadError {
            // Failures after the first publish are handled above, so these errors come before it.
            throw ProgramError(ProgramError(error).exitCode, "\(error.message); nothing was enqueued")
        }
    }

    /// Declares the queue and, with `--wait`, the watch. An unreachable broker is a failure value, which the outbox makes good.
    private func link() async throws(UploadError) -> Result<Link, UploadError> {
        do throws(UploadError) {
            let broker = try broker.get()
            return .success(
                try await TimeLimit.within(patience, "did not answer") { [request] () throws(UploadError) in
                    Link(
                        broker: broker, submitter: try await broker.submitter(for: request.queue),
                        watch: request.waits ? try await broker.watch(request.queue, pauses: true) : nil)
                })
        } catch {
            guard error.code == .networkFailure, request.usesOutbox else { throw error }
            return .failure(error)
        }
    }

    /// The time that is left for the broker's answers: at least a second for each later step.
    private var patience: Duration {
        max(.seconds(1), min(deadline - .now, .seconds(configuration.brokerPatience)))
    }

    /// Publishes jobs that other programs left in the outbox while the broker was unreachable: a bounded number, in bounded time.
    private func publishOutbox(to broker: UploadBroker) async {
        let publisher = OutboxPublisher(spool: configuration.spool, broker: broker, logger: logger)
        let passing = Task { await publisher.publish(atMost: Self.outboxCountMaximum) }
        let limit = Task { [patience] in
            try? await Task.sleep(for: min(Self.outboxPatience, patience))
            passing.cancel()
        }
        _ = await passing.value
        limit.cancel()
    }

    /// - Parameter display: learns of each job before the job is published; nil without `--wait`.
    private func publish(
        _ maker: JobMaker, _ copies: PlannedCopies, _ link: Result<Link, UploadError>, _ display: WaitDisplay?,
        _ originals: MovedOriginals, within patience: Duration
    ) async -> [Publication.Fate] {
        guard case .success(let link) = link else { return Array(repeating: .untried, count: plan.count) }
        let submitter = link.submitter
        let trace = ProgramTelemetry.parent(configuration.environment)
        let window = request.serial == nil ? Publication.windowMaximum : 1
        let publication = Publication(window: window, patience: patience) { job, isRepeat, left throws(UploadError) in
            try await submitter.submit(
                job, maybeRepeated: isRepeat, within: min(UploadSubmitter.confirmLimit, left), traceParent: trace)
        }
        let lines = Mutex<[Int: String]>([:])
        return await publication.publish(
            count: plan.count,
            load: { index async throws(UploadError) in
                try await copies.begin(index)
                let loaded = try maker.load(at: index)
                let job = loaded.job
                originals.note(loaded, at: index)
                display?.add(job, at: index)
                let line = try line(of: job, at: index)
                lines.withLock { $0[index] = line }
                return job
            },
            complete: { index async throws(UploadError) in try await copies.finish(index) },
            shouldStop: { interruption.wasInterrupted },
            confirmed: { index in
                originals.accept(index)
                // With JSON and `--wait`, the line is printed when the upload has ended.
                let line = lines.withLock { $0.removeValue(forKey: index) }
                if let line, !request.printsJSON || !request.waits { results.write(line) }
            })
    }

    /// The line that reports an enqueued job.
    private func line(of job: UploadJob, at index: Int) throws(UploadError) -> String {
        request.printsJSON
            ? EnqueuedListing(try plan.upload(at: index), id: job.id, size: job.size).text : job.id.rawValue
    }

    /// Removes the jobs without a confirm from those that the command waits for.
    private func forget(_ fates: [Publication.Fate], _ maker: JobMaker, _ display: WaitDisplay) {
        for (index, fate) in fates.enumerated() {
            switch fate {
            case .confirmed, .untried, .kept: break
            case .incomplete, .unknown, .refused:
                if let upload = try? plan.upload(at: index) { display.remove(maker.id(of: upload)) }
            }
        }
    }

    /// Puts jobs into the outbox that an unreachable broker did not take, and removes the staged copies of the other unpublished jobs.
    /// - Returns: the error that lists the jobs that were not enqueued; nil if all were.
    private func settle(
        _ published: [Publication.Fate], _ maker: JobMaker, _ copies: PlannedCopies, _ originals: MovedOriginals,
        away: UploadError?
    ) async throws -> ProgramError? {
        var fates = published
        var keptCount = 0
        if request.usesOutbox, let reason = away ?? Self.passingFailure(in: fates) {
            let wanted = fates.indices.filter { index in
                switch fates[index] {
                case .unknown: true
                case .untried: !interruption.wasInterrupted
                case .confirmed, .incomplete, .refused, .kept: false
                }
            }
            let whole = await complete(wanted, maker, copies, in: &fates)
            keptCount = await keep(whole, maker, originals, in: &fates)
            if keptCount > 0 { tellKept(keptCount, reason) }
        }
        // A job that may have arrived needs its whole copy.
        for (index, fate) in fates.enumerated() {
            if case .unknown = fate { try? await copies.finish(index) }
        }
        // It may lie further on than the jobs that were tried.
        if let failure = copies.failure, failure.error.code != .interrupted, case .untried = fates[failure.position] {
            fates[failure.position] = .refused(failure.error)
        }
        let result = EnqueueResult(fates)
        guard result.enqueuedCount < plan.count else {
            guard request.waits, keptCount > 0 else { return nil }
            return ProgramError(
                .unavailable,
                "no outcomes arrive while the broker is away; when it is back, 'uploadctl wait ID…' waits for them")
        }
        // A job that may have arrived keeps its staged copy.
        await copies.cancel(result.absent)
        await maker.discard(result.absent)
        return result.problem(path: plan.name)
    }

    /// Completes the copies of files whose jobs are to be kept.
    /// - Returns: the jobs whose bytes are all durable.
    private func complete(
        _ indices: [Int], _ maker: JobMaker, _ copies: PlannedCopies, in fates: inout [Publication.Fate]
    ) async -> [Int] {
        var whole: [Int] = []
        for index in indices {
            do {
                try await copies.finish(index)
                try await interruption.cancelling { try await maker.makeWhole(at: index) }
                whole.append(index)
            } catch {
                guard let error = error as? UploadError, case .untried = fates[index] else { continue }
                if error.code != .interrupted { fates[index] = .refused(error) }
            }
        }
        return whole
    }

    /// Writes jobs into the outbox and prints their ids.
    /// - Returns: how many jobs the outbox holds durably.
    private func keep(
        _ indices: [Int], _ maker: JobMaker, _ originals: MovedOriginals, in fates: inout [Publication.Fate]
    ) async -> Int {
        var count = 0
        for start in stride(from: 0, to: indices.count, by: Self.keptAtOnce) {
            let some = indices[start..<min(start + Self.keptAtOnce, indices.count)]
            count += await keep(some, maker, originals, in: &fates)
        }
        return count
    }

    private func keep(
        _ indices: ArraySlice<Int>, _ maker: JobMaker, _ originals: MovedOriginals,
        in fates: inout [Publication.Fate]
    ) async -> Int {
        let keepings: [Outbox.Keeping]
        do throws(UploadError) {
            let area = try await staging.spool()
            let first = indices.startIndex
            keepings = try await area.outbox().keep(count: indices.count) { position throws(UploadError) in
                let loaded = try maker.load(at: indices[first + position])
                originals.note(loaded, at: indices[first + position])
                return loaded.job
            }
        } catch {
            let problem = error
            keepings = indices.map { _ in .refused(problem) }
        }
        var count = 0
        for (index, keeping) in zip(indices, keepings) {
            switch keeping {
            case .kept:
                fates[index] = .kept
                originals.accept(index)
                count += 1
                tellKept(index, maker)
            case .refused(let error): if case .untried = fates[index] { fates[index] = .refused(error) }
            // Any program publishes the job as long as its file is in the outbox, and its worker then needs the copy.
            case .unknown(let error): if case .untried = fates[index] { fates[index] = .unknown(error) }
            }
        }
        return count
    }

    private func tellKept(_ index: Int, _ maker: JobMaker) {
        do throws(UploadError) {
            results.write(try line(of: maker.bareJob(at: index), at: index))
        } catch {
            Console.error(
                line:
                    "enqueue-upload: \(plan.name(at: index)): it is kept, but its id cannot be printed: \(error.message)"
            )
        }
    }

    private func tellKept(_ count: Int, _ reason: UploadError) {
        let jobs = count == 1 ? "1 job is" : "\(count) jobs are"
        let place = configuration.staging.directory == nil ? "on this host" : "with this staging area"
        Console.error(
            line: """
                enqueue-upload: \(reason.message); \(jobs) kept in \(configuration.spool)/\(Outbox.name), and published by \
                whichever of upload-worker, upload-notifier and enqueue-upload \(place) reaches the broker next
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
