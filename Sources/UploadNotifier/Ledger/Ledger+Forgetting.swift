package import Foundation
import GRDB
package import Uploads

extension Ledger {
    /// The largest ledger, in bytes, that is rewritten whole after an order to forget, which holds up recording for a second or so: 64 MiB.
    static let rewritingBytesMaximum = 64 << 20

    package func acceptedForgetting() async throws(UploadError) -> [UploadOrder] {
        try await read { [rows] db in
            var orders: [UploadOrder] = []
            let found = try Row.fetchCursor(db, sql: "SELECT id, body, progress FROM orders ORDER BY at")
            while let row = try found.next() {
                let id: String = row["id"]
                guard let order = rows.value(UploadOrder.self, from: row["body"], "orders", id),
                    order.command.isForgetting,
                    let progress = rows.value(OrderProgress.self, from: row["progress"], "orders", id),
                    !progress.isDone
                else { continue }
                orders.append(order)
            }
            return orders
        }
    }

    package func forget(
        endedBefore: Date, after job: JobID?, at now: Date, limit: Int
    ) async throws(UploadError) -> ForgottenPage {
        try await strikeOff()
        // A reader looks for the jobs, so that recording waits only while they are changed.
        let found = try await read { db in
            try String.fetchAll(
                db,
                sql: """
                    SELECT id FROM jobs WHERE status IN ('completed', 'failed', 'cancelled') AND since < ? AND id > ?
                    AND id NOT IN (SELECT id FROM jobs WHERE forgotten IS NOT NULL)
                    AND NOT EXISTS (
                        SELECT 1 FROM deliveries WHERE job = jobs.seq AND delivered IS NULL AND given_up IS NULL)
                    AND NOT EXISTS (SELECT 1 FROM owed WHERE job = jobs.id)
                    AND CASE WHEN json_valid(plain(record))
                    THEN json_extract(plain(record), '$.baton.state') IS NULL
                    AND json_extract(plain(record), '$.wish') IS NULL END
                    ORDER BY id LIMIT ?
                    """, arguments: [endedBefore.timeIntervalSince1970, job?.rawValue ?? "", limit]
            ).compactMap { JobID($0) }
        }
        guard let last = found.last else { return ForgottenPage(count: 0, next: nil) }
        let count = try await forgetNames(of: found, at: now)
        return ForgottenPage(count: count, next: found.count == limit ? last : nil)
    }

    package func pruneLogs(
        triedBefore: Date, lettersBefore: Date?, limit: Int
    ) async throws(UploadError) -> Int {
        try await write { db in
            // The numbers of attempts rise with time, so the oldest are found without an index by time.
            try db.execute(
                sql: "DELETE FROM attempts WHERE id IN (SELECT id FROM attempts ORDER BY id LIMIT ?) AND at < ?",
                arguments: [limit, triedBefore.timeIntervalSince1970])
            var count = db.changesCount
            try db.execute(
                sql: """
                    UPDATE deliveries SET error = NULL WHERE id IN (
                        SELECT id FROM deliveries WHERE given_up < ? AND error IS NOT NULL LIMIT ?)
                    """, arguments: [triedBefore.timeIntervalSince1970, limit])
            count = max(count, db.changesCount)
            if let lettersBefore {
                try db.execute(
                    sql: "DELETE FROM unreadable WHERE id IN (SELECT id FROM unreadable WHERE at < ? LIMIT ?)",
                    arguments: [lettersBefore.timeIntervalSince1970, limit])
                count = max(count, db.changesCount)
            }
            return count
        }
    }

    package func scrub(rewriting: Bool) async throws(UploadError) {
        do {
            // The barrier waits for all readers, since a reader that is under way keeps the log.
            try await pool.barrierWriteWithoutTransaction { db in
                if rewriting {
                    let pages = try Int.fetchOne(db, sql: "PRAGMA page_count") ?? 0
                    let bytes = try Int.fetchOne(db, sql: "PRAGMA page_size") ?? 0
                    if bytes > 0, pages <= Self.rewritingBytesMaximum / bytes {
                        try db.execute(sql: "INSERT INTO jobs_text (jobs_text) VALUES ('optimize')")
                        try db.execute(sql: "VACUUM")
                    }
                }
                _ = try db.checkpoint(.truncate)
            }
        } catch {
            throw SQLiteFailure.describe(error, path: path)
        }
        try files.check()
    }
}
