import Foundation
import Logging
import Synchronization
import Uploads

extension NotifierService {
    /// Jobs that are forgotten in one transaction, so that recording never waits long.
    private static let pruneCountMaximum = 500

    /// Until cancelled: gives the control log its snapshots, and the ledger its end.
    func keepUp() async {
        while !Task.isCancelled {
            do { try await clock.sleep(for: configuration.snapshotInterval) } catch { return }
            do {
                try await prune(besides: appendSnapshot())
            } catch {
                logger.warning(
                    "upkeep failed; it is tried again at the next interval", metadata: [LogKey.error: "\(error)"])
            }
        }
    }

    /// Whoever starts reads from here, so nothing may be appended between reading the log and this.
    /// - Returns: the jobs that the log still names.
    private func appendSnapshot() async throws(UploadError) -> Set<JobID> {
        let cutoff = clock.now().addingTimeInterval(-configuration.fenceRetention.seconds)
        var named: Set<JobID> = []
        try await gate.pass { () async throws(UploadError) in
            let current = try await bus.controlView()
            let kept = try await ledger.relevant(current, endedBefore: cutoff)
            // Told apart from the snapshot: what a reader knows already, a snapshot does not lower.
            let gone = ControlEntry.forget(
                current.fences.merging(current.pauses, uniquingKeysWith: max).filter {
                    kept.fences[$0.key] == nil && kept.pauses[$0.key] == nil
                })
            if gone != .forget([:]) {
                try await bus.append(gone)
                view.withLock { $0.apply(gone) }
            }
            try await bus.append(.snapshot(kept))
            named = Set(kept.fences.keys).union(kept.pauses.keys)
        }
        return named
    }

    private func prune(besides fenced: Set<JobID>) async throws(UploadError) {
        let cutoff = clock.now().addingTimeInterval(-configuration.retention.seconds)
        while try await ledger.prune(endedBefore: cutoff, besides: fenced, limit: Self.pruneCountMaximum)
            == Self.pruneCountMaximum
        {
            guard !Task.isCancelled else { return }
        }
    }
}
