import Foundation
import Logging
import Synchronization
import Uploads

extension NotifierService {
    /// Jobs that are removed in one transaction, so that recording never waits long.
    private static let pruneCountMaximum = 500
    /// Jobs whose names are forgotten in one transaction.
    private static let forgettingCountMaximum = 100

    /// Appends snapshots to the control log and prunes the ledger at intervals, until the task is cancelled.
    func keepUp() async {
        while !Task.isCancelled {
            do { try await clock.sleep(for: configuration.snapshotInterval) } catch { return }
            do {
                try await prune(besides: isFirst ? appendSnapshot() : bus.controlView())
                try await forgetNames()
            } catch {
                logger.warning(
                    "upkeep failed; it is tried again at the next interval", metadata: [LogKey.error: "\(error)"])
            }
        }
    }

    /// Removes fences that are no longer needed from the control log, and appends a snapshot of the rest.
    ///
    /// The removed fences have an entry of their own, since a snapshot does not lower the fences that a reader knows already. A round that
    /// begins meanwhile has a higher fence, which stays.
    /// - Returns: the view of the log afterwards.
    private func appendSnapshot() async throws(UploadError) -> ControlView {
        var current = try await bus.controlView()
        for page in current.pages {
            let outlived = try await ledger.outlived(Array(page.keys), at: clock.now())
            guard !outlived.isEmpty else { continue }
            let gone = ControlEntry.forget(
                Dictionary(outlived.compactMap { job in page[job].map { (job, $0) } }, uniquingKeysWith: max))
            try await bus.append(gone)
            view.withLock { $0.apply(gone) }
            current.apply(gone)
        }
        try await bus.appendSnapshot()
        return current
    }

    private func prune(besides named: ControlView) async throws(UploadError) {
        let (keep, now) = (configuration.keep, clock.now())
        let cutoff = now.addingTimeInterval(-keep.jobs)
        while try await ledger.prune(endedBefore: cutoff, besides: named, limit: Self.pruneCountMaximum)
            == Self.pruneCountMaximum
        {
            guard !Task.isCancelled else { return }
        }
        while try await ledger.pruneLogs(
            triedBefore: now - keep.deliveries, lettersBefore: keep.deadLetters.map { now - $0 },
            limit: Self.pruneCountMaximum) == Self.pruneCountMaximum
        {
            guard !Task.isCancelled else { return }
        }
        try await ledger.pruneAudit(before: now - keep.audit)
    }

    /// Forgets the names of jobs that ended long ago, as an operator's order (``Verb/forget``) would.
    private func forgetNames() async throws(UploadError) {
        let (keep, now) = (configuration.keep, clock.now())
        var count = 0
        var last: JobID?
        while keep.names < keep.jobs, !Task.isCancelled {
            let page = try await ledger.forget(
                endedBefore: now - keep.names, after: last, at: now, limit: Self.forgettingCountMaximum)
            count += page.count
            last = page.next
            if last == nil { break }
        }
        if count > 0 { logger.info("forgot the names of ended jobs", metadata: [LogKey.count: "\(count)"]) }
        if count > 0 || isScrubOwed.load(ordering: .relaxed) { await scrub(rewriting: false) }
    }
}
