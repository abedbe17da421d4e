public import Foundation
public import Logging
public import Metrics
public import ServiceLifecycle
import Synchronization
public import Uploads

/// The engine: takes batons from a queue, carries each for a slice and settles it.
///
/// `run` works until the graceful shutdown of its service group, its task's cancellation, or, where configured, until there is
/// nothing left to do; then it hands over what is under way within the configured grace, and returns.
public final class UploadWorker: Service {
    private struct State: Sendable {
        var nextID: UInt64 = 0
        var held = 0
        var isDraining = false
    }

    private let queue: any JobQueue
    private let runner: SliceRunner
    private let slices = RunningSlices()
    private let gate: SlotGate
    private let metrics: WorkerMetrics
    private let destinationMonitor: DestinationMonitor?
    private let reporter: (any WorkerReporter)?
    private let state = Mutex(State())

    /// - Parameters:
    ///   - clock: measures slices, grace and waits.
    ///   - now: the time of day, which is compared with the jobs' times.
    ///   - witnesses: other clocks that confirm the clock that `now` reads; until one of them does, no job expires.
    ///   - reporter: publishes the state of this worker and of its destinations; nil: nothing is published.
    public init(
        queue: any JobQueue, destinations: any DestinationProvider, sources: any SourceProvider,
        configuration: WorkerConfiguration = WorkerConfiguration(), logger: Logger,
        clock: any Clock<Duration> = ContinuousClock(), now: @escaping @Sendable () -> Date = { Date() },
        witnesses: ClockWitnesses = .shared, metrics: any MetricsFactory = MetricsSystem.factory,
        reporter: (any WorkerReporter)? = nil
    ) {
        self.queue = queue
        let workerMetrics = WorkerMetrics(factory: metrics)
        let gate = SlotGate(
            concurrency: configuration.concurrency, limitPatience: configuration.limitPatience,
            slotPatience: min(configuration.slotPatience, (configuration.consumerTimeout ?? .seconds(1800)) / 6),
            lonePatience: configuration.uncutMaximum ?? .seconds(1500),
            crowdPatience: configuration.crowdPatience, clock: clock,
            preempt: slices.preempt, resize: queue.setJobsAtOnce)
        self.gate = gate
        runner = SliceRunner(
            destinations: destinations, sources: sources, configuration: configuration,
            rules: configuration.rules,
            circuits: Circuits(
                rules: configuration.circuit, metrics: workerMetrics, logger: logger,
                now: { [elapsed = RateLimiter.stopwatch(clock), start = Date()] in start + elapsed() / .seconds(1) }),
            paces: TransferPaces(destinations: destinations, clock: clock) { gate.note(isWaiting: $1, at: $0) },
            seats: OriginSeats(clock: clock) { (try? destinations.destination(for: $0))?.limits.jobs },
            gate: gate,
            clock: clock, alarms: Alarms(clock: clock), now: now, witnesses: witnesses, logger: logger)
        self.reporter = reporter
        destinationMonitor = reporter.map { [runner] in
            DestinationMonitor(worker: configuration.name, runner: runner, reporter: $0)
        }
        self.metrics = workerMetrics
    }

    /// Deliveries that the worker holds at this moment, running or waiting for a slot.
    public var heldCount: Int { state.withLock { $0.held } }

    /// A worker that is on its way out is draining, whatever operators want of it.
    private var reported: WorkerReport.State { state.withLock { $0.isDraining } ? .draining : queue.workerState }

    /// - Throws: the error of a queue that cannot go on.
    public func run() async throws {
        try await withThrowingTaskGroup(of: Bool.self) { group in
            group.addTask {
                try await self.queue.consume(self)
                return true
            }
            group.addTask {
                guard (try? await gracefulShutdown()) != nil else { return false }
                return await self.leave()
            }
            if let destinationMonitor {
                group.addTask {
                    await destinationMonitor.run()
                    return false
                }
            }
            if let reporter {
                group.addTask {
                    await WorkerMonitor(
                        runner: self.runner, slices: self.slices, state: { self.reported }, reporter: reporter
                    ).run()
                    return false
                }
            }
            if let idle = runner.configuration.exitWhenIdle {
                group.addTask {
                    await self.waitUntilIdle(for: idle)
                    return await self.leave()
                }
            }
            while let isOver = try await group.next(), !isOver {}
            group.cancelAll()
        }
    }

    /// Drains, and waits for the end of the grace.
    /// - Returns: true when the grace is over; false if the worker drains already, or has ended before.
    private func leave() async -> Bool {
        guard await cutSlices(), (try? await runner.clock.sleep(for: runner.configuration.cutMargin)) != nil else {
            return false
        }
        runner.logger.warning("The grace is used up: what the broker does not take now, it delivers again")
        return true
    }

    /// Stops taking deliveries, asks every slice to hand over at its next part boundary, and cuts off the slices that still run when the
    /// grace is nearly used up. Returns when no slice is left to cut; `run` returns when all deliveries are settled, or when the grace is
    /// over and the queue leaves them.
    public func drain() async { _ = await cutSlices() }

    /// - Returns: false if the worker drains already, or the calling task was cancelled.
    private func cutSlices() async -> Bool {
        let isFirst = state.withLock { state in
            defer { state.isDraining = true }
            return !state.isDraining
        }
        guard isFirst else { return false }
        let configuration = runner.configuration
        runner.logger.info(
            "Draining", metadata: [LogKeys.held: "\(heldCount)", LogKeys.grace: "\(configuration.grace)"])
        slices.drain()
        gate.drain()
        // Runs beside the grace: a broker that does not answer must not delay its end.
        async let drained: Void = queue.drain()
        guard (try? await runner.clock.sleep(for: configuration.grace - configuration.cutMargin)) != nil else {
            return false
        }
        if slices.count > 0 {
            runner.logger.warning(
                "Cutting off slices at the end of the grace", metadata: [LogKeys.held: "\(slices.count)"])
        }
        slices.cut()
        await drained
        return true
    }

    private func waitUntilIdle(for duration: Duration) async {
        var quiet = 0
        var taken = UInt64.max
        while quiet < 4 {
            guard (try? await runner.clock.sleep(for: duration / 4)) != nil else { return }
            let (held, nextID) = state.withLock { ($0.held, $0.nextID) }
            quiet = held == 0 && nextID == taken ? quiet + 1 : 0
            taken = nextID
        }
    }
}

extension UploadWorker: JobHandler {
    public func accept(_ claimed: any ClaimedBaton) -> @Sendable () async -> SettledSlice {
        let request = request(for: claimed)
        slices.expect(request.id)
        // The slot is asked for here, in the order of delivery: when the tasks run, the second may overtake the first.
        gate.request(request)
        return { await self.handle(claimed, request) }
    }

    public func handle(_ claimed: any ClaimedBaton) async -> SettledSlice { await accept(claimed)() }

    private func request(for claimed: any ClaimedBaton) -> SlotRequest {
        let id = state.withLock { state in
            state.held += 1
            state.nextID += 1
            return state.nextID
        }
        let baton = claimed.baton
        let destination = try? runner.destinations.destination(for: baton.job.destination)
        return SlotRequest(
            id: id, queue: baton.job.queue, lane: claimed.lane, destination: baton.job.destination.label,
            limits: destination?.limits ?? TransferLimits(), size: baton.job.size,
            parts: min(runner.configuration.parts, destination?.limits.parts ?? .max),
            idleWaits: baton.idleWaits, runsAlone: baton.runsAlone,
            canYield: destination?.canYield(baton.job) ?? true)
    }

    private func handle(_ claimed: any ClaimedBaton, _ request: SlotRequest) async -> SettledSlice {
        defer {
            slices.remove(request.id)
            state.withLock { $0.held -= 1 }
        }
        let baton = claimed.baton
        runner.witnesses.note(baton.job.enqueuedAt, by: .producer, now: runner.now())
        let isKnown = (try? runner.destinations.destination(for: baton.job.destination)) != nil
        let settled: SettledSlice
        switch await gate.admission(for: request) {
        case .granted:
            metrics.sliceBegins(of: baton, at: runner.now())
            settled = await runner.run(claimed, id: request.id, among: slices)
            metrics.sliceEnds()
            gate.release(request, work: settled.work)
        case .limited:
            let refusal = await gate.giveBack(request)
            let reason = UploadError(limiting: request, refusal, in: runner.configuration.name)
            settled = SettledSlice(
                .wait(until: runner.now() + refusal.seconds, reason: .limited(reason), state: baton.state))
            runner.log(settled, of: baton)
        case .draining:
            settled = SettledSlice(.handOver(baton.state))
            runner.log(settled, of: baton)
        }
        metrics.settled(settled, of: baton, destination: isKnown ? request.destination : "unknown")
        watchClock()
        return settled
    }

    private func watchClock() {
        metrics.clock(isAhead: runner.witnesses.disagreement ?? 0)
        guard let seconds = runner.witnesses.takeWarning() else { return }
        runner.logger.warning(
            "This host's clock and another one differ; set both by NTP, for jobs' times end by them",
            metadata: [LogKeys.ahead: "\(Int(min(max(seconds, -1e9), 1e9)))"])
    }

    public func removeStagedCopy(of job: UploadJob) async {
        do {
            try await runner.sources.removeStagedCopy(of: job)
        } catch {
            runner.logger.warning(
                "A staged copy could not be removed",
                metadata: [LogKeys.job: "\(job.id)", LogKeys.queue: "\(job.queue)", LogKeys.error: "\(error)"])
        }
    }
}

extension SettledSlice {
    /// What the slice has done, in jobs of little size: a request takes about as long as 128 KiB.
    fileprivate var work: Double {
        let bytes = Double(report.bytesSent) / Double(128 << 10)
        return if case .ended(.completed) = settlement { 1 + bytes } else { bytes }
    }
}
