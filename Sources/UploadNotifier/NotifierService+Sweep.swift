import Logging
import Synchronization
import Uploads

extension NotifierService {
    /// Sweeps at intervals until the task is cancelled, with jitter, so that the notifiers of several pools do not sweep all at once.
    func keepSwept() async {
        guard sweeper != nil || stagingSweeper != nil else { return }
        while !Task.isCancelled {
            let interval = configuration.sweepInterval * Double.random(in: 0.75...1.25)
            do { try await clock.sleep(for: interval) } catch { return }
            if configuration.sweepsDestinations {
                await sweeper?.sweep(now: clock.now()) { await self.isUpToDate() }
            }
            await stagingSweeper?.sweep(now: clock.now()) { await self.isUpToDate() }
        }
    }

    /// Makes the ordered sweeps, one at a time, until the task is cancelled.
    func obeySweepOrders() async {
        for await sweep in sweepOrders.all {
            let answer: OrderAnswer
            do throws(UploadError) {
                answer = OrderAnswer(order: sweep.order.id, sweep: try await report(of: sweep.order))
            } catch {
                answer = OrderAnswer(order: sweep.order.id, notSwept: error)
            }
            logger.notice(
                "an operator's order is carried out",
                metadata: [
                    LogKey.order: "\(sweep.order.id)", LogKey.by: "\(sweep.order.by)",
                    LogKey.verb: "\(sweep.order.command.verb)",
                    LogKey.matched: "\(answer.matched)", LogKey.count: "\(answer.done)",
                ])
            if let replyTo = sweep.replyTo { await bus.answer(answer, to: replyTo) }
        }
    }

    private func report(of order: UploadOrder) async throws(UploadError) -> SweepReport {
        switch order.command {
        case .sweepDestination(let name, let olderThan, let dryRun):
            guard let sweeper else { throw Self.cannotSweep }
            return try await sweeper.sweep(name, olderThan: olderThan, dryRun: dryRun, now: clock.now()) {
                await self.isUpToDate()
            }
        case .sweepStaging(let dryRun):
            guard let stagingSweeper else { throw Self.cannotSweep }
            return try await stagingSweeper.sweep(dryRun: dryRun, now: clock.now()) { await self.isUpToDate() }
        case .jobs, .matching, .move, .stopQueues, .startQueues, .ask: return SweepReport(dryRun: true)
        }
    }

    private static var cannotSweep: UploadError {
        UploadError(.misconfigured, "this notifier sweeps nothing: ask one that has the configuration of the workers")
    }

    /// Sends a marker through the notifiers' queue and waits until it arrives. Only the notifier that consumes the queue receives
    /// it, after all earlier messages: a stand-by waits in vain.
    func isUpToDate() async -> Bool {
        // No job has this id, so the marker grants nothing to its reader.
        let marker = IssueMarker(job: JobID(), round: 1, generation: 1)
        let (seen, signal) = AsyncStream.makeStream(of: Void.self)
        awaited.withLock { $0[marker.id] = signal }
        defer { awaited.withLock { $0[marker.id] = nil } }
        do {
            try await bus.mark(marker)
        } catch {
            logger.debug("a marker could not be sent", metadata: [LogKey.error: "\(error)"])
            return false
        }
        return await withTaskGroup(of: Bool.self) { [clock, configuration] group in
            group.addTask {
                for await _ in seen { return true }
                return false
            }
            group.addTask {
                try? await clock.sleep(for: configuration.sweepPatience)
                return false
            }
            let result = await group.next() ?? false
            group.cancelAll()
            return result
        }
    }

    /// Wakes the sweeps that wait for the markers of a recorded batch.
    func noteMarkers(in batch: [NotifierMessage]) {
        for case .marker(let marker) in batch { _ = awaited.withLock { $0[marker.id] }?.yield() }
    }
}
