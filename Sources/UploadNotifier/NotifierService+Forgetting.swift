import Logging
import Synchronization
import Uploads

extension NotifierService {
    /// Carries out orders to forget, one after the other, page by page between the batches that are recorded, until the task is cancelled.
    /// An order that a crash has interrupted goes on where it stopped.
    func obeyForgettingOrders() async {
        var accepted: [UploadOrder]?
        while accepted == nil {
            do throws(UploadError) {
                accepted = try await ledger.acceptedForgetting()
            } catch {
                guard await canRetry(error) else { return }
            }
        }
        for order in accepted ?? [] { await forget(SweepOrder(order: order, replyTo: nil)) }
        for await order in forgettingOrders.all { await forget(order) }
    }

    private func forget(_ accepted: SweepOrder) async {
        let order = accepted.order
        while !Task.isCancelled {
            do throws(UploadError) {
                let step = try await ledger.carryOut(
                    order, view: view.withLock { $0 }, routes: [], now: clock.now())
                guard let answer = step.answer else { continue }
                if answer.done > 0 { await scrub(rewriting: true) }
                return await end(accepted, answer)
            } catch {
                if LedgerFailure.isOfOne(error) {
                    let reason = "the ledger cannot carry out order \(order.id): \(error.message)"
                    return await end(accepted, OrderAnswer(order: order.id, notRecorded: reason))
                }
                guard await canRetry(error) else { return }
            }
        }
    }

    private func end(_ accepted: SweepOrder, _ answer: OrderAnswer) async {
        let order = accepted.order
        logger.notice(
            "an operator's order is carried out",
            metadata: [
                LogKey.order: "\(order.id)", LogKey.by: "\(order.by)", LogKey.verb: "\(order.command.verb)",
                LogKey.matched: "\(answer.matched)", LogKey.count: "\(answer.done)",
            ])
        await send(answer, to: order, accepted.replyTo)
    }

    /// Removes forgotten names from the ledger's files. If that fails, the upkeep tries it again.
    func scrub(rewriting: Bool) async {
        do throws(UploadError) {
            try await ledger.scrub(rewriting: rewriting)
            isScrubOwed.store(false, ordering: .relaxed)
        } catch {
            isScrubOwed.store(true, ordering: .relaxed)
            logger.warning(
                "forgotten names may still be in the ledger's files; they are cleaned at the next upkeep",
                metadata: [LogKey.error: "\(error)"])
        }
    }

    /// - Returns: whether to go on, after a pause.
    private func canRetry(_ error: UploadError) async -> Bool {
        logger.warning("the ledger cannot forget; it tries again", metadata: [LogKey.error: "\(error)"])
        do { try await clock.sleep(for: configuration.retryDelayMaximum) } catch { return false }
        return !Task.isCancelled
    }
}
