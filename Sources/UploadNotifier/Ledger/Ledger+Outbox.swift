package import Foundation
import GRDB
package import Uploads

extension Ledger: DeliveryOutbox {
    package func due(
        for delegate: String, ordered: Bool, now: Date, excluding: Set<DelegateDelivery.ID>, limit: Int
    ) async throws(UploadError) -> [DelegateDelivery] {
        let excluded = Self.list(excluding)
        while true {
            let (found, damaged) = try await due(for: delegate, ordered: ordered, now: now, excluded, limit: limit)
            guard !damaged.isEmpty else { return found }
            // Otherwise these deliveries would be due for ever, and the deliveries behind them never.
            try await write { db in
                for damage in damaged {
                    try db.cachedStatement(sql: "UPDATE deliveries SET given_up = ?, error = ? WHERE id = ?")
                        .execute(arguments: [now.timeIntervalSince1970, damage.value.text, damage.key])
                }
            }
        }
    }

    /// - Returns: the due deliveries, and those whose events cannot be read.
    private func due(
        for delegate: String, ordered: Bool, now: Date, _ excluded: String, limit: Int
    ) async throws(UploadError) -> (found: [DelegateDelivery], damaged: [DelegateDelivery.ID: DamagedRow]) {
        try await read { [rows, decoded] db in
            var found: [DelegateDelivery] = []
            var damaged: [DelegateDelivery.ID: DamagedRow] = [:]
            let due = try SQLRequest<Row>(
                sql: """
                    SELECT deliveries.id, attempts, due, failing, event, body
                    FROM deliveries INDEXED BY deliveries_due
                    LEFT JOIN events ON events.seq = event AND events.job = deliveries.job
                    WHERE \(Self.isOpen(ordered: ordered)) AND due <= ?
                    ORDER BY due, deliveries.id LIMIT ?
                    """, arguments: [delegate, excluded, now.timeIntervalSince1970, limit], cached: true
            ).fetchAll(db)
            for row in due {
                let id: DelegateDelivery.ID = row["id"]
                do throws(DamagedRow) {
                    let (sequence, body): (Int64, Data?) = (row["event"], row["body"])
                    let known = body.flatMap { decoded.events.value(of: sequence, $0) }
                    let event =
                        if let known { known } else {
                            try DamagedRows.value(UploadEvent.self, from: body, "events", sequence)
                        }
                    found.append(
                        DelegateDelivery(
                            id: id, delegate: delegate, event: event.told, attempts: row["attempts"],
                            dueAt: Date(timeIntervalSince1970: row["due"]),
                            failingSince: (row["failing"] as Double?).map { Date(timeIntervalSince1970: $0) }))
                } catch {
                    rows.say(error)
                    damaged[id] = error
                }
            }
            return (found, damaged)
        }
    }

    package func nextDue(
        for delegate: String, ordered: Bool, excluding: Set<DelegateDelivery.ID>
    ) async throws(UploadError) -> Date? {
        let excluded = Self.list(excluding)
        return try await read { db in
            // Not min(due), which would read all of a long backlog: the first row of the index is enough.
            try SQLRequest<Double>(
                sql:
                    "SELECT due FROM deliveries INDEXED BY deliveries_due WHERE \(Self.isOpen(ordered: ordered)) ORDER BY due LIMIT 1",
                arguments: [delegate, excluded], cached: true
            ).fetchOne(db).map { Date(timeIntervalSince1970: $0) }
        }
    }

    package func delivered(
        _ ids: [DelegateDelivery.ID], at time: Date, attempt: DeliveryAttempt?
    ) async throws(UploadError) {
        try await deliveries.add(Delivered(ids: ids, time: time, attempt: attempt)) { all throws(UploadError) in
            try await self.write { db in
                let statement = try db.cachedStatement(
                    sql: """
                        UPDATE deliveries SET delivered = ?, error = NULL, failing = NULL, given_up = NULL WHERE id = ?
                        """)
                for delivered in all {
                    for id in delivered.ids {
                        try statement.execute(arguments: [delivered.time.timeIntervalSince1970, id])
                        if let attempt = delivered.attempt { try self.store(db).log(attempt, of: id) }
                    }
                }
            }
        }
    }

    /// Deliveries that succeeded at one time.
    struct Delivered: Sendable {
        var ids: [DelegateDelivery.ID]
        var time: Date
        var attempt: DeliveryAttempt?
    }

    package func failed(
        _ ids: [DelegateDelivery.ID], attempt: DeliveryAttempt, dueAt: Date
    ) async throws(UploadError) {
        try await write { db in
            for id in ids { try self.store(db).fail(id, attempt, dueAt: dueAt) }
        }
    }

    package func pause(
        _ delegate: String, reason: String, at time: Date, held: Bool
    ) async throws(UploadError) {
        try await write { db in try self.store(db).pause(delegate, reason: reason, at: time, held: held) }
    }

    package func resume(_ delegate: String, at time: Date) async throws(UploadError) {
        try await write { db in
            try db.execute(sql: "DELETE FROM delegates WHERE name = ?", arguments: [delegate])
            // Deliveries that had used up their attempts begin anew; otherwise the first failure would pause the delegate again.
            try db.execute(
                sql: """
                    UPDATE deliveries INDEXED BY deliveries_due SET due = min(due, ?), attempts = 0, failing = NULL
                    WHERE delegate = ? AND delivered IS NULL AND given_up IS NULL
                    """,
                arguments: [time.timeIntervalSince1970, delegate])
        }
    }

    package func status(of delegate: String) async throws(UploadError) -> DelegateStatus {
        try await read { db in try Self.status(of: delegate, in: db) }
    }

    // MARK: Rows

    /// The condition of deliveries that are still to be made; its arguments are the delegate and the excluded ids.
    private static func isOpen(ordered: Bool) -> String {
        var condition = """
            delegate = ? AND delivered IS NULL AND given_up IS NULL
            AND deliveries.id NOT IN (SELECT value FROM json_each(?))
            AND NOT EXISTS (SELECT 1 FROM delegates WHERE name = delegate)
            """
        if ordered {
            // The plus signs keep SQLite from using an index of the delegate's deliveries: those of the job are few.
            condition += """
                 AND NOT EXISTS (
                    SELECT 1 FROM deliveries AS earlier WHERE earlier.job = deliveries.job
                    AND +earlier.delegate = deliveries.delegate AND +earlier.id < deliveries.id
                    AND earlier.delivered IS NULL AND earlier.given_up IS NULL)
                """
        }
        return condition
    }

    static func status(of delegate: String, in db: Database) throws -> DelegateStatus {
        let backlog = try Int.fetchOne(
            db,
            sql: """
                SELECT count(*) FROM deliveries INDEXED BY deliveries_due
                WHERE delegate = ? AND delivered IS NULL AND given_up IS NULL
                """, arguments: [delegate])
        let failed = try Int.fetchOne(
            db,
            sql:
                "SELECT count(*) FROM deliveries INDEXED BY deliveries_given_up WHERE delegate = ? AND given_up IS NOT NULL",
            arguments: [delegate])
        let row = try Row.fetchOne(
            db, sql: "SELECT paused, reason, held FROM delegates WHERE name = ?", arguments: [delegate])
        return DelegateStatus(
            delegate: delegate, backlog: backlog ?? 0, failed: failed ?? 0,
            pausedSince: row.map { Date(timeIntervalSince1970: $0["paused"]) }, reason: row.map { $0["reason"] },
            isHeld: row.map { $0["held"] } ?? false)
    }

    private static func list(_ ids: Set<DelegateDelivery.ID>) -> String {
        "[\(ids.map(String.init).joined(separator: ","))]"
    }
}
