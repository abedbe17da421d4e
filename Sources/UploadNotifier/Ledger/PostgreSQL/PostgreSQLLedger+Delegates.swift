package import Foundation
import PostgreSQL
package import Uploads

extension PostgreSQLLedger: DelegateRegister {
    package func registrations() async throws(UploadError) -> [DelegateRegistration] {
        let (known, found) = try await read { transaction in
            let answers = try await transaction.execute([
                "SELECT delegates FROM identity", "SELECT * FROM registered ORDER BY name",
            ])
            return (try answers[0].first?.get("delegates") as Int64?, answers[1])
        }
        delegatesRead.note(known)
        return try map(found) { row in
            DelegateRegistration(
                name: try row.get("name"), definition: try row.get("definition"),
                createdAt: Date(timeIntervalSince1970: try row.get("created")),
                changedAt: Date(timeIntervalSince1970: try row.get("changed")),
                removedAt: try row.getIfPresent("removed", as: Double.self).map { Date(timeIntervalSince1970: $0) })
        }
    }

    package func register(_ registration: DelegateRegistration) async throws(UploadError) {
        try await changeDelegates { store in
            let added = try store.query(
                """
                INSERT INTO registered (name, definition, created, changed) VALUES (\(registration.name),
                \(registration.definition), \(registration.createdAt.timeIntervalSince1970),
                \(registration.changedAt.timeIntervalSince1970)) ON CONFLICT (name) DO NOTHING
                """)
            guard added.affectedCount == 1 else {
                throw UploadError(
                    .rejected,
                    "a delegate '\(registration.name)' is registered already; change it, or take another name")
            }
        }
    }

    package func redefine(_ name: String, _ definition: Data, at time: Date) async throws(UploadError) {
        try await changeDelegates { store in
            let changed = try store.query(
                """
                UPDATE registered SET definition = \(definition), changed = \(time.timeIntervalSince1970)
                WHERE name = \(name) AND removed IS NULL
                """)
            guard changed.affectedCount == 1 else { throw Self.unregistered(name) }
        }
    }

    package func news() async throws(UploadError) -> LedgerNews {
        let found = try await query(
            """
            SELECT coalesce((SELECT max(id) FROM deliveries), 0) AS last, (SELECT delegates FROM identity) AS delegates
            """)
        return try map(found) { row in
            let last = delegatesRead.last
            return LedgerNews(
                lastDelivery: try row.get("last"), hasOtherDelegates: try last != nil && row.get("delegates") != last)
        }.first ?? LedgerNews()
    }

    /// Makes a transaction that changes the registered delegates. It waits for the transactions of all shards and holds up the next ones, so that
    /// each outcome is recorded for the delegates before the change or for those after it; the notifiers of other shards then notice that they
    /// know the delegates of an earlier change.
    private func changeDelegates<Value: Sendable>(
        _ body: @escaping @Sendable (PostgreSQLStore) throws -> Value
    ) async throws(UploadError) -> Value {
        try await write(locksAll: true) { store in
            let value = try body(store)
            try store.countDelegatesChange()
            return value
        }
    }

    package func unregister(
        _ name: String, discarding: Bool, at time: Date
    ) async throws(UploadError) -> Int {
        try await changeDelegates { store in
            guard try store.registration(of: name) != .unknown else { throw Self.unregistered(name) }
            let status = try Self.status(Self.statusRow(try store.query(Self.status(of: [name])), name))
            let count = status.backlog + status.failed
            guard count == 0 || discarding else { return count }
            _ = try store.query(
                """
                UPDATE registered SET removed = coalesce(removed, \(time.timeIntervalSince1970)) WHERE name = \(name)
                """)
            return count
        }
    }

    private static func unregistered(_ name: String) -> UploadError {
        UploadError(.rejected, "no delegate '\(name)' is registered")
    }

    private static func statusRow(_ rows: Rows, _ name: String) throws -> Row {
        guard let row = rows.first else { throw PostgreSQLError(.serverFailed, "no status of \(name)") }
        return row
    }

    /// One row for each name.
    static func status(of names: [String]) -> Statement {
        """
        SELECT asked.name, (
            SELECT count(*) FROM deliveries WHERE delegate = asked.name AND delivered IS NULL AND given_up IS NULL
        ) AS backlog, (
            SELECT count(*) FROM deliveries WHERE delegate = asked.name AND given_up IS NOT NULL
        ) AS failed, paused, reason, held
        FROM unnest(\(names)) WITH ORDINALITY AS asked (name, place) LEFT JOIN delegates ON delegates.name = asked.name
        ORDER BY place
        """
    }

    static func status(_ row: Row) throws -> DelegateStatus {
        DelegateStatus(
            delegate: try row.get("name"), backlog: Int(clamping: try row.get("backlog", as: Int64.self)),
            failed: Int(clamping: try row.get("failed", as: Int64.self)),
            pausedSince: try row.getIfPresent("paused", as: Double.self).map { Date(timeIntervalSince1970: $0) },
            reason: try row.getIfPresent("reason"), isHeld: try row.getIfPresent("held") ?? false)
    }
}

extension PostgreSQLLedger: DeliveryOutbox {
    package func due(
        for delegate: String, ordered: Bool, now: Date, excluding: Set<DelegateDelivery.ID>, limit: Int
    ) async throws(UploadError) -> [DelegateDelivery] {
        while true {
            let due = try await query(
                """
                SELECT deliveries.id, attempts, due, failing, event, body FROM deliveries
                LEFT JOIN events ON events.seq = event AND events.job = deliveries.job
                WHERE \(Self.isOpen(delegate, ordered: ordered, excluding)) AND due <= \(now.timeIntervalSince1970)
                ORDER BY due, deliveries.id LIMIT \(Int64(limit))
                """)
            var damaged: [DelegateDelivery.ID: DamagedRow] = [:]
            let found = try map(due) { row -> DelegateDelivery? in
                let (id, sequence): (Int64, Int64) = (try row.get("id"), try row.get("event"))
                let body: Data? = try row.getIfPresent("body")
                do throws(DamagedRow) {
                    let known = body.flatMap { decoded.events.value(of: sequence, $0) }
                    let event =
                        if let known { known } else {
                            try DamagedRows.value(UploadEvent.self, from: body, "events", sequence)
                        }
                    return DelegateDelivery(
                        id: id, delegate: delegate, event: event.told,
                        attempts: Int(clamping: (try? row.get("attempts", as: Int64.self)) ?? 0),
                        dueAt: Date(timeIntervalSince1970: (try? row.get("due")) ?? 0),
                        failingSince: (try? row.getIfPresent("failing", as: Double.self)).flatMap { $0 }.map {
                            Date(timeIntervalSince1970: $0)
                        })
                } catch {
                    rows.say(error)
                    damaged[id] = error
                    return nil
                }
            }
            guard !damaged.isEmpty else { return found }
            // Otherwise these deliveries would be due for ever, and the deliveries behind them never.
            for (id, damage) in damaged {
                try await query(
                    """
                    UPDATE deliveries SET given_up = \(now.timeIntervalSince1970), error = \(damage.text.withoutNUL)
                    WHERE id = \(id)
                    """)
            }
        }
    }

    package func nextDue(
        for delegate: String, ordered: Bool, excluding: Set<DelegateDelivery.ID>
    ) async throws(UploadError) -> Date? {
        let found = try await query(
            """
            SELECT due FROM deliveries WHERE \(Self.isOpen(delegate, ordered: ordered, excluding)) ORDER BY due LIMIT 1
            """)
        return try map(found) { Date(timeIntervalSince1970: try $0.get("due")) }.first
    }

    /// The condition of deliveries that are still to be made.
    private static func isOpen(
        _ delegate: String, ordered: Bool, _ excluded: Set<DelegateDelivery.ID>
    ) -> Statement {
        let earlier: Statement =
            ordered
            ? """
             AND NOT EXISTS (
                SELECT 1 FROM deliveries AS earlier WHERE earlier.job = deliveries.job
                AND earlier.delegate = deliveries.delegate AND earlier.id < deliveries.id
                AND earlier.delivered IS NULL AND earlier.given_up IS NULL)
            """ : ""
        return """
            delegate = \(delegate) AND delivered IS NULL AND given_up IS NULL
            AND deliveries.id <> ALL(\(excluded.sorted()))
            AND NOT EXISTS (SELECT 1 FROM delegates WHERE name = delegate) \(earlier)
            """
    }

    package func delivered(
        _ ids: [DelegateDelivery.ID], at time: Date, attempt: DeliveryAttempt?
    ) async throws(UploadError) {
        var statements: [Statement] = [
            """
            UPDATE deliveries SET delivered = \(time.timeIntervalSince1970), error = NULL, failing = NULL, given_up = NULL
            WHERE id = ANY(\(ids))
            """
        ]
        if let attempt { statements += PostgreSQLStore.log(attempt, of: ids) }
        do {
            try await client.execute(statements)
        } catch {
            throw PostgreSQLFailure.describe(error, path: path)
        }
    }

    package func failed(
        _ ids: [DelegateDelivery.ID], attempt: DeliveryAttempt, dueAt: Date
    ) async throws(UploadError) {
        try await write { store in for id in ids { try store.fail(id, attempt, dueAt: dueAt) } }
    }

    package func pause(
        _ delegate: String, reason: String, at time: Date, held: Bool
    ) async throws(UploadError) {
        try await write { store in try store.pause(delegate, reason: reason, at: time, held: held) }
    }

    package func resume(_ delegate: String, at time: Date) async throws(UploadError) {
        try await write { store in
            try store.countDelegatesChange()
            _ = try store.transaction.executeBlocking([
                "DELETE FROM delegates WHERE name = \(delegate)",
                // Deliveries that had used up their attempts begin anew; otherwise the first failure would pause the delegate again.
                """
                UPDATE deliveries SET due = least(due, \(time.timeIntervalSince1970)), attempts = 0, failing = NULL
                WHERE delegate = \(delegate) AND delivered IS NULL AND given_up IS NULL
                """,
            ])
        }
    }

    package func status(of delegate: String) async throws(UploadError) -> DelegateStatus {
        try map(try await query(Self.status(of: [delegate])), Self.status).first
            ?? DelegateStatus(delegate: delegate, backlog: 0)
    }
}

extension PostgreSQLLedger: DeliveryHistory {
    /// Deliveries that are changed in one transaction, so that recording never waits long.
    private static let changeCountMaximum: Int64 = 1000

    package func deliveries(_ listing: DeliveryListing) async throws(UploadError) -> [DeliveryRecord] {
        var conditions: [Statement] = ["deliveries.id < \(listing.before ?? .max)"]
        if let delegate = listing.delegate { conditions.append("delegate = \(delegate)") }
        if let job = listing.job {
            conditions.append("job = (SELECT seq FROM jobs WHERE id = \(job.rawValue))")
        }
        switch listing.status {
        case .waiting: conditions.append("delivered IS NULL AND given_up IS NULL")
        case .delivered: conditions.append("delivered IS NOT NULL")
        case .failed: conditions.append("given_up IS NOT NULL")
        case nil: break
        }
        let found = try await query(
            """
            SELECT *, (SELECT id FROM jobs WHERE seq = job) AS owner FROM deliveries
            WHERE \(PostgreSQLStore.all(conditions)) ORDER BY id DESC LIMIT \(Int64(listing.limit))
            """)
        return try map(found) { row in
            let delivered: Double? = try row.getIfPresent("delivered")
            let givenUp: Double? = try row.getIfPresent("given_up")
            let status: DeliveryRecord.Status =
                if delivered != nil { .delivered } else if givenUp != nil { .failed } else { .waiting }
            let job = try row.getIfPresent("owner", as: String.self) ?? ""
            return DeliveryRecord(
                id: try row.get("id"), delegate: try row.get("delegate"),
                event: RowEventID.id(String(decoding: try row.get("outcome", as: Data.self), as: UTF8.self), of: job),
                job: job, status: status,
                attempts: Int(clamping: try row.get("attempts", as: Int64.self)),
                createdAt: Date(timeIntervalSince1970: try row.get("created")),
                dueAt: status == .waiting ? Date(timeIntervalSince1970: try row.get("due")) : nil,
                deliveredAt: delivered.map { Date(timeIntervalSince1970: $0) }, error: try row.getIfPresent("error"))
        }
    }

    package func attempts(of delivery: DelegateDelivery.ID) async throws(UploadError) -> [DeliveryAttempt] {
        try map(try await query("SELECT * FROM attempts WHERE delivery = \(delivery) ORDER BY id")) { row in
            DeliveryAttempt(
                at: Date(timeIntervalSince1970: try row.get("at")), seconds: try row.get("seconds"),
                status: try row.getIfPresent("status", as: Int64.self).map { Int(clamping: $0) },
                answer: try row.getIfPresent("answer"), error: try row.getIfPresent("error"))
        }
    }

    package func statuses() async throws(UploadError) -> [DelegateStatus] {
        // The query goes from name to name by the index, not over every row.
        let names = try map(
            try await query(
                """
                WITH RECURSIVE names (name) AS (
                    SELECT min(delegate) FROM deliveries
                    UNION ALL
                    SELECT (SELECT min(delegate) FROM deliveries WHERE delegate > name) FROM names WHERE name IS NOT NULL
                )
                SELECT name FROM names WHERE name IS NOT NULL UNION SELECT name FROM delegates ORDER BY 1
                """)
        ) { try $0.get("name") as String }
        return try map(try await query(Self.status(of: names)), Self.status)
    }

    package func replay(_ replay: DeliveryReplay, at time: Date) async throws(UploadError) -> Int {
        let condition: Statement =
            switch replay {
            case .one(let id): "id = \(id)"
            case .range(let delegate, let from, let to):
                """
                delegate = \(delegate) AND created >= \(from.timeIntervalSince1970) AND created < \(to.timeIntervalSince1970)
                """
            case .failed(let delegate):
                "delegate = \(delegate) AND delivered IS NULL AND (given_up IS NOT NULL OR failing IS NOT NULL)"
            }
        // The outcome of a forgotten job is gone.
        let count = try await change(
            "\(condition) AND job NOT IN (SELECT seq FROM jobs WHERE forgotten IS NOT NULL)",
            "UPDATE deliveries SET delivered = NULL, given_up = NULL, failing = NULL, attempts = 0, due = \(time.timeIntervalSince1970)"
        )
        // Another notifier may deliver to the delegate.
        try await write { try $0.countDelegatesChange() }
        return count
    }

    package func forget(_ delegate: String) async throws(UploadError) -> Int {
        let count = try await change("delegate = \(delegate) AND delivered IS NULL", "DELETE FROM deliveries")
        try await query("DELETE FROM delegates WHERE name = \(delegate)")
        try await query("DELETE FROM registered WHERE name = \(delegate) AND removed IS NOT NULL")
        return count
    }

    /// Changes deliveries page by page in the order of their ids, so that the changes of a page do not move the next page.
    private func change(_ condition: Statement, _ change: Statement) async throws(UploadError) -> Int {
        var count = 0
        var last: DelegateDelivery.ID = 0
        while true {
            let page = try await query(
                "SELECT id FROM deliveries WHERE \(condition) AND id > \(last) ORDER BY id LIMIT \(Self.changeCountMaximum)"
            )
            let found = try map(page) { try $0.get("id") as Int64 }
            guard let end = found.last else { return count }
            count += try await query("\(change) WHERE \(condition) AND id = ANY(\(found))").affectedCount
            guard found.count == Self.changeCountMaximum else { return count }
            last = end
        }
    }
}
