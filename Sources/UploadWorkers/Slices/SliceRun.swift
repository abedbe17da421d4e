import Foundation
import Logging
import Synchronization
import Uploads

/// One slice under way: does what its ``SliceMachine`` decides and tells it what came of it.
final class SliceRun: Sendable {
    /// What is open, to be closed on every path.
    private struct Open: Sendable {
        var destination: (any Destination)?
        var source: (any UploadSource)?
        var session: (any UploadSession)?
        var missing: [Part] = []
        var isStartedTold = false
    }

    private let claimed: any ClaimedBaton
    private let baton: Baton
    private let runner: SliceRunner
    private let meter = ProgressMeter()
    private let requests = Requests()
    private let open = Mutex(Open())
    private let facts: AsyncStream<SliceFact>
    private let mailbox: AsyncStream<SliceFact>.Continuation

    init(_ claimed: any ClaimedBaton, runner: SliceRunner) {
        self.claimed = claimed
        self.baton = claimed.baton
        self.runner = runner
        (facts, mailbox) = AsyncStream.makeStream(of: SliceFact.self)
    }

    func tell(_ fact: SliceFact) { mailbox.yield(fact) }

    func run() async -> SettledSlice {
        let startedAt = runner.now()
        var machine = SliceMachine(baton: baton, rules: runner.rules)
        var settlement: Settlement?
        await withDiscardingTaskGroup { group in
            group.addTask { await self.watchLoss() }
            group.addTask { await self.watchTime() }
            group.addTask { await self.tellStartedInTime() }
            tell(.begun)
            var facts = facts.makeAsyncIterator()
            while settlement == nil {
                // The stream ends only when the worker is cancelled: what can be handed over is.
                let fact = await facts.next() ?? .graceUsedUp
                for action in machine.handle(fact, at: runner.now()) {
                    switch action {
                    case .settle(let settled): settlement = settled
                    case .cancelRequests: requests.cancelAll()
                    default:
                        group.addTask {
                            if let fact = await self.perform(action) { self.tell(fact) }
                        }
                    }
                }
            }
            group.cancelAll()
        }
        await close()
        // The machine always settles; an unsettled slice would be delivered again and become a suspect.
        let settled = settlement ?? .abandoned
        return SettledSlice(settled, report: report(settled, startedAt: startedAt, hasStarted: machine.hasStarted))
    }

    private func report(_ settlement: Settlement, startedAt: Date, hasStarted: Bool) -> SliceReport {
        var report = SliceReport(bytesSent: meter.sent)
        if case .handOver = settlement, !hasStarted { return report }
        report.startedAt = startedAt
        report.activeSeconds = max(0, runner.now().timeIntervalSince(startedAt))
        return report
    }

    private func close() async {
        mailbox.finish()
        let left = open.withLock { open in
            defer { open = Open() }
            return open
        }
        await left.session?.close()
        await left.source?.close()
    }
}

// What the machine asks for.
extension SliceRun {
    private func perform(_ action: SliceAction) async -> SliceFact? {
        switch action {
        case .checkStanding: return .standing(await claimed.standing())
        case .tellStarted(let state): return await tellStarted(state)
        case .findDestination: return findDestination()
        case .claimSource: return await claimSource()
        case .sendPart(let index): return await sendPart(index)
        case .waitToRetry(let index, let milliseconds):
            guard (try? await runner.clock.sleep(for: .milliseconds(milliseconds))) != nil else { return nil }
            return .retryDue(index)
        case .complete(let condition): return await requests.run { await self.complete(condition) }
        case .removeStagedCopy:
            return await answer { () throws(UploadError) in
                try await self.runner.sources.removeStagedCopy(of: self.baton.job)
                return .stagedCopyRemoved
            }
        case .probe(let state):
            return await atDestination { destination throws(UploadError) in
                .probed(try await destination.probe(self.baton.job, state: state))
            }
        case .open(let state, let condition):
            return await atDestination { destination throws(UploadError) in
                try await self.openSession(at: destination, resuming: state, condition: condition)
            }
        case .discard(let state):
            return await atDestination { destination throws(UploadError) in
                try await destination.discard(state, of: self.baton.job)
                return .discarded
            }
        case .cancelRequests, .settle: return nil
        }
    }

    private func answer(_ step: () async throws(UploadError) -> SliceFact) async -> SliceFact {
        do {
            return try await step()
        } catch {
            return .failed(error)
        }
    }

    private func atDestination(
        _ step: (any Destination) async throws(UploadError) -> SliceFact
    ) async -> SliceFact? {
        guard let destination = open.withLock({ $0.destination }) else { return nil }
        do {
            return try await step(destination)
        } catch {
            return .failed(error)
        }
    }

    private func tellStarted(_ state: UploadState?) async -> SliceFact {
        open.withLock { $0.isStartedTold = true }
        return await answer { () throws(UploadError) in
            try await self.claimed.started(state: state)
            return .toldStarted
        }
    }

    private func findDestination() -> SliceFact {
        do {
            guard let destination = try runner.destinations.destination(for: baton.job.destination) else {
                return .destinationUnknown
            }
            open.withLock { $0.destination = destination }
            return .destinationFound(
                DestinationFacts(
                    driver: destination.driver, canYield: destination.canYield(baton.job),
                    parts: destination.limits.parts))
        } catch {
            return .failed(error)
        }
    }

    private func claimSource() async -> SliceFact {
        do {
            switch try await runner.sources.claim(baton.job) {
            case .claimed(let source):
                open.withLock { $0.source = source }
                return .sourceClaimed
            case .busy: return .sourceBusy
            case .gone: return .sourceGone
            case .unknownArea(let area): return .sourceAreaUnknown(area)
            }
        } catch {
            return .failed(error)
        }
    }

    private func openSession(
        at destination: any Destination, resuming state: UploadState?, condition: WriteCondition
    ) async throws(UploadError) -> SliceFact {
        let session = try await destination.open(baton.job, resuming: state)
        session.prepare(for: condition)
        let missing = session.missing
        let former = open.withLock { open in
            defer {
                open.session = session
                open.missing = missing
            }
            return open.session
        }
        await former?.close()
        meter.begin(held: session.plan.size - missing.reduce(0) { $0 + $1.size })
        return .opened(
            SessionFacts(state: session.state, partCount: session.plan.count, missingCount: missing.count))
    }

    private func sendPart(_ index: Int) async -> SliceFact? {
        let standing = await claimed.standing()
        if standing != .holds { tell(.lost(standing)) }
        guard standing == .holds || standing == .paused else { return nil }
        let (session, source, part) = open.withLock { ($0.session, $0.source, $0.missing[index]) }
        guard let session, let source else { return nil }
        return await requests.run { [meter] in
            do throws(UploadError) {
                try await session.upload(part, from: source) { meter.add($0, part: part.number) }
                meter.accept(part)
                return .partAccepted(index, session.state)
            } catch {
                meter.reject(part)
                return .partFailed(index, error)
            }
        }
    }

    private func complete(_ condition: WriteCondition) async -> SliceFact {
        let (session, source) = open.withLock { ($0.session, $0.source) }
        guard let session, let source else {
            return .failed(UploadError(.unknown, "an upload was to be completed without an open session"))
        }
        do {
            try await source.verifyUnchanged()
            return .completed(try await session.complete(condition))
        } catch {
            return .failed(error)
        }
    }
}

// What comes at any time.
extension SliceRun {
    private func watchLoss() async {
        var standing = await claimed.loss()
        guard !Task.isCancelled else { return }
        tell(.lost(standing))
        // A paused slice may still have an uncut step to finish; `loss` would return at once from now on.
        while standing == .paused {
            guard (try? await runner.clock.sleep(for: .seconds(1))) != nil else { return }
            standing = await claimed.standing()
            if standing != .paused { tell(.lost(standing)) }
        }
    }

    private func tellStartedInTime() async {
        guard (try? await runner.clock.sleep(for: runner.startedAfter)) != nil else { return }
        let (isTold, session) = open.withLock { open in
            defer { open.isStartedTold = true }
            return (open.isStartedTold, open.session)
        }
        guard !isTold else { return }
        do {
            try await claimed.started(state: session?.state ?? baton.state)
        } catch {
            runner.logger.debug(
                "The start of a slice was not confirmed",
                metadata: baton.logMetadata.merging(
                    [LogKeys.code: "\(error.code)"], uniquingKeysWith: { $1 }))
        }
    }

    /// One sleeper for all times of the slice.
    private func watchTime() async {
        let configuration = runner.configuration
        var alarms: [(at: Duration, fact: SliceFact)] = [
            (configuration.slice, .sliceTimeReached), (configuration.uncutMaximum, .uncutTimeReached),
        ]
        alarms.sort { $0.at < $1.at }
        var elapsed = Duration.zero
        var nextReport = configuration.progressInterval
        var last = (at: runner.now(), done: Int64?.none)
        while true {
            let wake = min(nextReport, alarms.first?.at ?? nextReport)
            guard (try? await runner.clock.sleep(for: wake - elapsed)) != nil else { return }
            elapsed = wake
            while let alarm = alarms.first, alarm.at <= elapsed {
                alarms.removeFirst()
                tell(alarm.fact)
            }
            guard elapsed >= nextReport else { continue }
            nextReport = elapsed + configuration.progressInterval
            guard let done = meter.done else { continue }
            let now = runner.now()
            let seconds = now.timeIntervalSince(last.at)
            let rate = seconds > 0 ? max(0, Double(done - (last.done ?? done)) / seconds) : 0
            claimed.progress(bytesDone: done, bytesPerSecond: rate)
            last = (now, done)
        }
    }
}
