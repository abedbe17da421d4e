package import Foundation
import PostgreSQL
package import Uploads

extension PostgreSQLLedger {
    package func note(_ entry: AuditEntry) async throws(UploadError) {
        _ = try await query(PostgreSQLStore.note(entry))
    }

    package func pruneAudit(before time: Date) async throws(UploadError) {
        _ = try await query("DELETE FROM audit WHERE at < \(time.timeIntervalSince1970)")
    }

    package func audit(_ listing: AuditListing) async throws(UploadError) -> [AuditRecord] {
        var conditions: [Statement] = ["id < \(listing.before ?? Int64.max)"]
        if let by = listing.by { conditions.append("strpos(lower(by), lower(\(by.withoutNUL))) > 0") }
        if let verb = listing.verb { conditions.append("verb = \(verb.withoutNUL)") }
        if let since = listing.since { conditions.append("at >= \(since.timeIntervalSince1970)") }
        if let until = listing.until { conditions.append("at < \(until.timeIntervalSince1970)") }
        let found = try await query(
            """
            SELECT id, order_id, at, by, verb, subject, job, matched, done, reason FROM audit
            WHERE \(PostgreSQLStore.all(conditions)) ORDER BY id DESC LIMIT \(Int64(listing.limit))
            """)
        return try map(found) { row in
            guard let order = UUID(uuidString: try row.get("order_id")) else { return nil }
            return AuditRecord(
                id: try row.get("id"),
                entry: AuditEntry(
                    order: order, at: Date(timeIntervalSince1970: try row.get("at")), by: try row.get("by"),
                    verb: try row.get("verb"), subject: try row.get("subject"),
                    job: try row.getIfPresent("job", as: String.self).flatMap { JobID($0) },
                    matched: Int(clamping: try row.get("matched", as: Int64.self)),
                    done: try row.getIfPresent("done", as: Int64.self).map { Int(clamping: $0) },
                    reason: try row.getIfPresent("reason")))
        }
    }
}
