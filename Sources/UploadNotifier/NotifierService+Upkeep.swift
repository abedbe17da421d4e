import Foundation
import Logging
import Uploads

extension NotifierService {
    /// Jobs that are forgotten in one transaction, so that recording never waits long.
    private static let pruneCountMaximum = 500

    /// Until cancelled: gives the control log its snapshots, and the ledger its end.
    func keepUp() async {
        while !Task.isCancelled {
            do { try await clock.sleep(for: configuration.snapshotInterval) } catch { return }
            do {
                try await appendSnapshot()
                try await prune()
            } catch {
                logger.warning(
                    "upkeep failed; it is tried again at the next interval", metadata: [LogKey.error: "\(error)"])
            }
        }
    }

    /// Whoever starts reads from here, so nothing may be appended between reading the log and this.
    private func appendSnapshot() async throws(UploadError) {
        let cutoff = clock.now().addingTimeInterval(-configuration.fenceRetention.seconds)
        try await gate.pass { () async throws(UploadError) in
            let current = try await bus.controlView()
            try await bus.append(.snapshot(ledger.relevant(current, endedBefore: cutoff)))
        }
    }

    private func prune() async throws(UploadError) {
        let cutoff = clock.now().addingTimeInterval(-configuration.retention.seconds)
        while try await ledger.prune(endedBefore: cutoff, limit: Self.pruneCountMaximum) == Self.pruneCountMaximum {
            guard !Task.isCancelled else { return }
        }
    }
}
