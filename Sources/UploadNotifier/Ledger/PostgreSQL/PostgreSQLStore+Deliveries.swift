import Foundation
import PostgreSQL
import Uploads

extension PostgreSQLStore: DeliveryStore {
    func fail(_ delivery: DelegateDelivery.ID, _ attempt: DeliveryAttempt, dueAt: Date) throws {
        try transaction.executeBlocking(
            [
                """
                UPDATE deliveries SET attempts = least(greatest(attempts, 0), \(Int64(WireLimits.countMaximum - 1))) + 1,
                due = \(dueAt.timeIntervalSince1970), error = \(attempt.error?.withoutNUL),
                failing = coalesce(failing, \(attempt.at.timeIntervalSince1970)) WHERE id = \(delivery)
                """
            ] + Self.log(attempt, of: [delivery]))
    }

    func log(_ attempt: DeliveryAttempt, of delivery: DelegateDelivery.ID) throws {
        try transaction.executeBlocking(Self.log(attempt, of: [delivery]))
    }

    /// Statements that note an attempt. A delivery that was pruned meanwhile has no log.
    static func log(_ attempt: DeliveryAttempt, of deliveries: [DelegateDelivery.ID]) -> [Statement] {
        [
            """
            INSERT INTO attempts (delivery, at, seconds, status, answer, error)
            SELECT id, \(attempt.at.timeIntervalSince1970), \(attempt.seconds), \(attempt.status.map(Int64.init)),
            \(attempt.answer?.withoutNUL), \(attempt.error?.withoutNUL) FROM deliveries WHERE id = ANY(\(deliveries))
            """,
            """
            DELETE FROM attempts WHERE id IN (
                SELECT id FROM (
                    SELECT id, row_number() OVER (PARTITION BY delivery ORDER BY id DESC) AS place FROM attempts
                    WHERE delivery = ANY(\(deliveries))
                ) AS numbered WHERE place > \(Int64(Ledger.attemptsKept)))
            """,
        ]
    }

    func hasDelivered(to delegate: String, since time: Date) throws -> Bool {
        try query(
            """
            SELECT EXISTS (SELECT 1 FROM deliveries WHERE delegate = \(delegate)
            AND delivered >= \(time.timeIntervalSince1970)) AS has
            """
        ).first?.get("has") ?? false
    }

    func giveUp(_ delivery: DelegateDelivery.ID, at time: Date) throws {
        _ = try query("UPDATE deliveries SET given_up = \(time.timeIntervalSince1970) WHERE id = \(delivery)")
    }

    func pause(_ delegate: String, reason: String, at time: Date, held: Bool) throws {
        _ = try query(
            """
            INSERT INTO delegates (name, paused, reason, held)
            VALUES (\(delegate), \(time.timeIntervalSince1970), \(reason.withoutNUL), \(held))
            ON CONFLICT (name) DO UPDATE SET held = true, reason = excluded.reason
            WHERE excluded.held AND NOT delegates.held
            """)
    }

    func endedJobs(from: Date, to: Date, after place: Int64, limit: Int) throws -> [EndedJob] {
        try query(
            """
            SELECT seq, id, since, record FROM jobs
            WHERE status IN ('completed', 'failed', 'cancelled') AND since >= \(from.timeIntervalSince1970)
            AND since < \(to.timeIntervalSince1970) AND seq > \(place) ORDER BY seq LIMIT \(Int64(limit))
            """
        ).map { row in
            EndedJob(
                place: try row.get("seq"), at: Date(timeIntervalSince1970: try row.get("since")),
                job: stored(try row.get("record"), id: try row.get("id")))
        }
    }

    func add(_ delivery: LedgerChanges.Delivery, due: Date, created: Date) throws -> Bool {
        try transaction.executeBlocking(deliveries([delivery], due: due, created: { _ in created }))
            .first?.affectedCount == 1
    }
}
