public import Foundation
import GRDB
public import Uploads

extension Ledger {
    public func unclaimed(_ baton: Baton, _ cause: DeathCause, now: Date) async throws(UploadError) {
        try await write { [rows] db in
            var batch = LedgerBatch(db, rows, view: ControlView(), routes: [], now: now)
            try batch.unclaimed(baton, cause)
            try batch.save()
        }
    }

    public func heldQueues(after queue: QueueName?, now: Date, limit: Int) async throws(UploadError) -> HeldQueues {
        try await read { db in try HoldRows(db: db).queues(after: queue, now: now, limit: limit) }
    }

    public func release(
        _ queue: QueueName, hasWorker: Bool, view: ControlView, now: Date, limit: Int
    ) async throws(UploadError) -> [OwedAction] {
        try await write { [rows] db in
            let ids = try HoldRows(db: db).due(of: queue, hasWorker: hasWorker, now: now, limit: limit)
            guard !ids.isEmpty else { return [] }
            var batch = LedgerBatch(db, rows, view: view, routes: [], now: now)
            try batch.issueHeld(ids)
            try batch.save()
            return batch.owed
        }
    }
}
