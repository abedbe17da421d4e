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
            guard isFirst else { continue }
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
            await send(answer, to: sweep.order, sweep.replyTo)
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
        case .jobs, .matching, .move, .stopQueues, .startQueues, .drainWorkers, .resumeWorkers, .ask:
            return SweepReport(dryRun: true)
        }
    }

    private static var cannotSweep: UploadError {
        UploadError(.misconfigured, "this notifier sweeps nothing: ask one that has the configuration of the workers")
    }

    /// Whether all events that were published before this call are in the ledger.
    func isUpToDate() async -> Bool {
        guard await bus.untilRecorded(within: configuration.sweepPatience) else { return false }
        // A notifier with another ledger may have recorded them, if an operator has just given the namespace to that one.
        do throws(UploadError) {
            try checkClaim(await bus.controlView())
            return true
        } catch {
            return false
        }
    }
}
