import Foundation
import GRDB
package import Uploads

extension Ledger: DeliveryTransactions {
    package func deliveryTransaction<Value: Sendable>(
        _ body: @escaping @Sendable (any DeliveryStore) throws -> Value
    ) async throws(UploadError) -> Value {
        try await write { db in try body(self.store(db)) }
    }
}

extension SQLiteStore: DeliveryStore {
    func fail(_ delivery: DelegateDelivery.ID, _ attempt: DeliveryAttempt, dueAt: Date) throws {
        try db.cachedStatement(
            sql: """
                UPDATE deliveries SET attempts = min(max(attempts, 0), \(WireLimits.countMaximum - 1)) + 1, due = ?,
                error = ?, failing = coalesce(failing, ?) WHERE id = ?
                """
        ).execute(arguments: [
            dueAt.timeIntervalSince1970, attempt.error, attempt.at.timeIntervalSince1970, delivery,
        ])
        try log(attempt, of: delivery)
    }

    func log(_ attempt: DeliveryAttempt, of delivery: DelegateDelivery.ID) throws {
        // A delivery that was pruned meanwhile has no log.
        try db.cachedStatement(
            sql: """
                INSERT INTO attempts (delivery, at, seconds, status, answer, error)
                SELECT id, ?, ?, ?, ?, ? FROM deliveries WHERE id = ?
                """
        ).execute(arguments: [
            attempt.at.timeIntervalSince1970, attempt.seconds, attempt.status, attempt.answer, attempt.error, delivery,
        ])
        try db.cachedStatement(
            sql: """
                DELETE FROM attempts WHERE delivery = ?1 AND id <= (
                    SELECT id FROM attempts WHERE delivery = ?1 ORDER BY id DESC LIMIT 1
                    OFFSET \(Ledger.attemptsKept))
                """
        ).execute(arguments: [delivery])
    }

    func hasDelivered(to delegate: String, since time: Date) throws -> Bool {
        try Bool.fetchOne(
            db, sql: "SELECT EXISTS (SELECT 1 FROM deliveries WHERE delegate = ? AND delivered >= ?)",
            arguments: [delegate, time.timeIntervalSince1970]) ?? false
    }

    func giveUp(_ delivery: DelegateDelivery.ID, at time: Date) throws {
        try db.execute(
            sql: "UPDATE deliveries SET given_up = ? WHERE id = ?", arguments: [time.timeIntervalSince1970, delivery])
    }

    func pause(_ delegate: String, reason: String, at time: Date, held: Bool) throws {
        try db.execute(
            sql: """
                INSERT INTO delegates (name, paused, reason, held) VALUES (?, ?, ?, ?)
                ON CONFLICT (name) DO UPDATE SET held = 1, reason = excluded.reason WHERE excluded.held AND NOT held
                """, arguments: [delegate, time.timeIntervalSince1970, reason, held])
    }

    func endedJobs(from: Date, to: Date, after place: Int64, limit: Int) throws -> [EndedJob] {
        try Row.fetchAll(
            db.cachedStatement(
                sql: """
                    SELECT seq, id, since, record FROM jobs
                    WHERE status IN ('completed', 'failed', 'cancelled') AND since >= ? AND since < ? AND seq > ?
                    ORDER BY seq LIMIT ?
                    """), arguments: [from.timeIntervalSince1970, to.timeIntervalSince1970, place, limit]
        ).map { row in
            EndedJob(
                place: row["seq"], at: Date(timeIntervalSince1970: row["since"]),
                job: stored(row["record"], id: row["id"]))
        }
    }

    func add(_ delivery: LedgerChanges.Delivery, due: Date, created: Date) throws -> Bool {
        guard let row = try numbers.number(of: delivery.job) else { return false }
        let job = delivery.job.rawValue
        try db.cachedStatement(
            sql: """
                INSERT INTO deliveries (delegate, outcome, job, event, due, created)
                VALUES (?1, ?2, ?3, coalesce((SELECT seq FROM events WHERE job = ?3 AND name = ?4), 0), ?5, ?6)
                ON CONFLICT (job, outcome, delegate) DO NOTHING
                """
        ).execute(arguments: [
            delivery.delegate, RowEventID.stored(delivery.outcome, of: job), row,
            RowEventID.stored(delivery.event, of: job), due.timeIntervalSince1970, created.timeIntervalSince1970,
        ])
        return db.changesCount > 0
    }
}
