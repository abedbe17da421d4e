package import Foundation
import GRDB
package import Uploads

extension Ledger {
    /// Jobs that are examined in one transaction, so that recording never waits long.
    private static let pastCountMaximum = 500

    package func deliverPast(
        _ route: DeliveryRoute, from: Date, to: Date, at time: Date
    ) async throws(UploadError) -> Int {
        var count = 0
        var last: Int64 = 0
        while true {
            let after = last
            let page = try await write { [rows] db in
                try Self.deliverPast(route, from: from, to: to, at: time, after: after, in: db, rows)
            }
            count += page.count
            guard let end = page.last else { return count }
            last = end
        }
    }

    /// Adds deliveries for one page of jobs, in the order of their first recording, which later records do not change.
    /// - Returns: the number of added deliveries, and the place at which the next page begins; nil after the last page.
    private static func deliverPast(
        _ route: DeliveryRoute, from: Date, to: Date, at time: Date, after: Int64, in db: Database,
        _ damaged: DamagedRows
    ) throws -> (count: Int, last: Int64?) {
        let rows = try Row.fetchAll(
            db.cachedStatement(
                sql: """
                    SELECT seq, id, since, record FROM jobs
                    WHERE status IN ('completed', 'failed', 'cancelled') AND since >= ? AND since < ? AND seq > ?
                    ORDER BY seq LIMIT \(pastCountMaximum)
                    """),
            arguments: [from.timeIntervalSince1970, to.timeIntervalSince1970, after])
        let insert = try db.cachedStatement(
            sql: """
                INSERT OR IGNORE INTO deliveries (delegate, outcome, job, event, due, created)
                VALUES (?, ?, ?, ?, ?, ?)
                """)
        var count = 0
        for row in rows {
            guard let job = damaged.job(row["record"], id: row["id"]), job.forgottenAt == nil, let end = job.end,
                let body = try Data.fetchOne(
                    db.cachedStatement(sql: "SELECT body FROM events WHERE id = ?"), arguments: [end.event]),
                let outcome = damaged.value(UploadEvent.self, from: body, "events", end.event)?.told
            else { continue }
            guard route.takes(outcome) else { continue }
            try insert.execute(arguments: [
                route.delegate, outcome.id, outcome.job.id.rawValue, end.event, time.timeIntervalSince1970,
                row["since"] as Double,
            ])
            count += db.changesCount
        }
        return (count, rows.count == pastCountMaximum ? rows.last?["seq"] : nil)
    }
}
