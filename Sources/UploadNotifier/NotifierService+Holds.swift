import Foundation
import Logging
import Synchronization
import Uploads

/// Issues jobs again whose message the broker has lost before a worker began it: no lane existed, or a policy dropped the message.
extension NotifierService {
    /// Queues whose lanes are looked for at once. Any program that may publish a job can name a queue that will never exist, so this
    /// bounds the broker's work for such names: with more of them, each is looked for less often.
    private static let queueCountMaximum = 50
    /// Jobs of a queue that are issued at once, so that recording never waits long.
    private static let jobCountMaximum = 500
    /// Seconds between two warnings about the same cause.
    private static let warningInterval: TimeInterval = 60

    /// Issues held jobs when their time has come and a lane takes them, until the task is cancelled.
    func keepReleasing() async {
        var last: QueueName?
        while !Task.isCancelled {
            do { try await clock.sleep(for: configuration.holdInterval) } catch { return }
            do throws(UploadError) {
                last = try await releaseHolds(after: last)
            } catch {
                logger.debug(
                    "held jobs cannot be issued; it is tried again in a moment", metadata: [LogKey.error: "\(error)"])
            }
        }
    }

    /// - Returns: the queue after which to go on the next time; nil: at the beginning.
    private func releaseHolds(after last: QueueName?) async throws(UploadError) -> QueueName? {
        let held = try await ledger.heldQueues(after: last, now: clock.now(), limit: Self.queueCountMaximum)
        guard !held.due.isEmpty else { return held.next }
        let depths = try await bus.depths(of: held.due)
        for queue in held.due {
            guard let lanes = depths[queue] else { continue }
            let view = try await controlView()
            // Without a worker, a policy that dropped a job would drop it again.
            let hasWorker = lanes.values.contains { $0.consumers > 0 } && !view.stoppedQueues.contains(queue)
            try await publish(
                ledger.release(
                    queue, hasWorker: hasWorker, view: view, now: clock.now(), limit: Self.jobCountMaximum))
        }
        return held.next
    }

    /// Warns of policies that drop jobs: only an operator can correct them.
    func warnOfPolicies(in batch: [NotifierMessage]) {
        var count: [DeathCause: Int] = [:]
        for case .deadBaton(_, let cause) in batch where cause.isPolicy { count[cause, default: 0] += 1 }
        let now = clock.now()
        for (cause, count) in count {
            let isDue = warned.withLock { warned in
                // There are as many causes as lanes and policies. A program that writes other names into headers only makes the notifier
                // forget its warnings.
                if warned.count > 1000 { warned = [:] }
                if let last = warned[cause], now < last + Self.warningInterval { return false }
                warned[cause] = now
                return true
            }
            guard isDue else { continue }
            logger.warning(
                "the broker drops jobs; they are issued again after a pause",
                metadata: [LogKey.reason: "\(cause.reason)", LogKey.count: "\(count)"])
        }
    }
}
