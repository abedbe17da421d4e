package import Foundation
import GRDB
package import Uploads

extension Ledger {
    package func note(_ entry: AuditEntry) async throws(UploadError) {
        try await write { db in try Self.note(entry, in: db) }
    }

    /// A second entry of an order, of another shard's part or of its end, adds its numbers.
    static func note(_ entry: AuditEntry, in db: Database) throws {
        try db.cachedStatement(
            sql: """
                INSERT INTO audit (order_id, at, by, verb, subject, job, matched, done, reason)
                VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
                ON CONFLICT (order_id) DO UPDATE SET
                matched = CASE WHEN done IS NULL THEN excluded.matched ELSE matched + excluded.matched END,
                done = coalesce(done, 0) + excluded.done, reason = coalesce(reason, excluded.reason)
                WHERE excluded.done IS NOT NULL
                """
        ).execute(arguments: [
            entry.order.text, entry.at.timeIntervalSince1970, entry.by, entry.verb, entry.subject,
            entry.job?.rawValue, entry.matched, entry.done, entry.reason,
        ])
    }

    package func pruneAudit(before time: Date) async throws(UploadError) {
        try await write { db in
            try db.execute(sql: "DELETE FROM audit WHERE at < ?", arguments: [time.timeIntervalSince1970])
        }
    }

    package func audit(_ listing: AuditListing) async throws(UploadError) -> [AuditRecord] {
        try await read { db in
            var conditions = [JobCondition("id < ?", [listing.before ?? Int64.max])]
            if let by = listing.by { conditions.append(JobCondition("instr(lower(by), lower(?)) > 0", [by])) }
            if let verb = listing.verb { conditions.append(JobCondition("verb = ?", [verb])) }
            if let since = listing.since {
                conditions.append(JobCondition("at >= ?", [since.timeIntervalSince1970]))
            }
            if let until = listing.until { conditions.append(JobCondition("at < ?", [until.timeIntervalSince1970])) }
            return try Row.fetchAll(
                db,
                sql: """
                    SELECT id, order_id, at, by, verb, subject, job, matched, done, reason FROM audit
                    \(JobCondition.clause(conditions)) ORDER BY id DESC LIMIT ?
                    """, arguments: JobCondition.arguments(conditions) + [listing.limit]
            ).compactMap { row in
                guard let order = UUID(uuidString: row["order_id"]) else { return nil }
                return AuditRecord(
                    id: row["id"],
                    entry: AuditEntry(
                        order: order, at: Date(timeIntervalSince1970: row["at"]), by: row["by"], verb: row["verb"],
                        subject: row["subject"], job: (row["job"] as String?).flatMap { JobID($0) },
                        matched: row["matched"], done: row["done"], reason: row["reason"]))
            }
        }
    }
}
