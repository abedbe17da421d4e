package import Foundation
import GRDB
package import Uploads

extension Ledger: DeliveryHistory {
    /// The most attempts of one delivery that are kept.
    static let attemptsKept = 32
    /// If more deliveries of a delegate wait, the newest of them are found sooner among all of the delegate's than by sorting those.
    private static let backlogSorted = 1000
    /// Deliveries that are changed in one transaction, so that recording never waits long.
    private static let changeCountMaximum = 1000

    package func deliveries(_ listing: DeliveryListing) async throws(UploadError) -> [DeliveryRecord] {
        var conditions = ["id < ?"]
        var arguments: StatementArguments = [listing.before ?? .max]
        if let delegate = listing.delegate {
            // Those of a job are few: the plus sign keeps SQLite from walking all of the delegate's.
            conditions.append(listing.job == nil ? "delegate = ?" : "+delegate = ?")
            arguments += [delegate]
        }
        if let job = listing.job {
            conditions.append("job = (SELECT seq FROM jobs WHERE id = ?)")
            arguments += [job.rawValue]
        }
        var index = "deliveries_by_delegate"
        switch listing.status {
        case .waiting:
            conditions.append("delivered IS NULL AND given_up IS NULL")
            index = "deliveries_due"
        case .delivered: conditions.append("delivered IS NOT NULL")
        case .failed:
            conditions.append("given_up IS NOT NULL")
            index = "deliveries_given_up"
        case nil: break
        }
        arguments += [listing.limit]
        let (condition, values, chosen) = (conditions.joined(separator: " AND "), arguments, index)
        let isOfDelegate = listing.delegate != nil && listing.job == nil
        return try await read { db in
            var index = chosen
            if isOfDelegate, listing.status == .waiting, try Self.isLong(listing.delegate, in: db) {
                index = "deliveries_by_delegate"
            }
            // The planner takes the index of all of a delegate's deliveries even for the few that wait.
            let source = isOfDelegate ? "deliveries INDEXED BY \(index)" : "deliveries"
            return try Row.fetchAll(
                db,
                sql: """
                    SELECT *, (SELECT id FROM jobs WHERE seq = job) AS owner FROM \(source)
                    WHERE \(condition) ORDER BY id DESC LIMIT ?
                    """, arguments: values
            ).map(Self.record)
        }
    }

    /// Whether more than ``backlogSorted`` deliveries of the delegate wait.
    private static func isLong(_ delegate: String?, in db: Database) throws -> Bool {
        try Int.fetchOne(
            db,
            sql: """
                SELECT count(*) FROM (
                    SELECT 1 FROM deliveries INDEXED BY deliveries_due
                    WHERE delegate = ? AND delivered IS NULL AND given_up IS NULL LIMIT ?)
                """, arguments: [delegate, backlogSorted + 1]) ?? 0 > backlogSorted
    }

    package func attempts(of delivery: DelegateDelivery.ID) async throws(UploadError) -> [DeliveryAttempt] {
        try await read { db in
            try Row.fetchAll(
                db, sql: "SELECT * FROM attempts WHERE delivery = ? ORDER BY id", arguments: [delivery]
            ).map { row in
                DeliveryAttempt(
                    at: Date(timeIntervalSince1970: row["at"]), seconds: row["seconds"], status: row["status"],
                    answer: row["answer"], error: row["error"])
            }
        }
    }

    package func statuses() async throws(UploadError) -> [DelegateStatus] {
        try await read { db in
            // The query goes from name to name by the index, not over every row.
            let names = try String.fetchAll(
                db,
                sql: """
                    WITH RECURSIVE names (name) AS (
                        SELECT min(delegate) FROM deliveries
                        UNION ALL
                        SELECT (SELECT min(delegate) FROM deliveries WHERE delegate > name) FROM names
                        WHERE name IS NOT NULL
                    )
                    SELECT name FROM names WHERE name IS NOT NULL UNION SELECT name FROM delegates ORDER BY 1
                    """)
            return try names.map { try Self.status(of: $0, in: db) }
        }
    }

    package func replay(_ replay: DeliveryReplay, at time: Date) async throws(UploadError) -> Int {
        let (condition, arguments): (String, StatementArguments) =
            switch replay {
            case .one(let id): ("id = ?", [id])
            case .range(let delegate, let from, let to):
                (
                    "delegate = ? AND created >= ? AND created < ?",
                    [delegate, from.timeIntervalSince1970, to.timeIntervalSince1970]
                )
            case .failed(let delegate):
                ("delegate = ? AND delivered IS NULL AND (given_up IS NOT NULL OR failing IS NOT NULL)", [delegate])
            }
        // The outcome of a forgotten job is gone.
        let remembered = "\(condition) AND job NOT IN (SELECT seq FROM jobs WHERE forgotten IS NOT NULL)"
        return try await change(remembered, arguments) { id, db in
            try db.cachedStatement(
                sql: """
                    UPDATE deliveries SET delivered = NULL, given_up = NULL, failing = NULL, attempts = 0, due = ?
                    WHERE id = ?
                    """
            ).execute(arguments: [time.timeIntervalSince1970, id])
        }
    }

    package func forget(_ delegate: String) async throws(UploadError) -> Int {
        let count = try await change("delegate = ? AND delivered IS NULL", [delegate]) { id, db in
            try db.cachedStatement(sql: "DELETE FROM deliveries WHERE id = ?").execute(arguments: [id])
        }
        try await write { db in
            try db.execute(sql: "DELETE FROM delegates WHERE name = ?", arguments: [delegate])
            try db.execute(
                sql: "DELETE FROM registered WHERE name = ? AND removed IS NOT NULL", arguments: [delegate])
        }
        return count
    }

    /// Changes deliveries page by page in the order of their ids, so that the changes of a page do not move the next page.
    private func change(
        _ condition: String, _ arguments: StatementArguments,
        _ body: @escaping @Sendable (DelegateDelivery.ID, Database) throws -> Void
    ) async throws(UploadError) -> Int {
        var count = 0
        var last: DelegateDelivery.ID = 0
        while true {
            let after = last
            // A reader looks for the deliveries, which may be few among many, so that recording waits only while they are changed.
            let found = try await read { db in
                try DelegateDelivery.ID.fetchAll(
                    db, sql: "SELECT id FROM deliveries WHERE \(condition) AND id > ? ORDER BY id LIMIT ?",
                    arguments: arguments + [after, Self.changeCountMaximum])
            }
            guard let end = found.last else { return count }
            count += try await write { db in
                let ids = try DelegateDelivery.ID.fetchAll(
                    db,
                    sql:
                        "SELECT id FROM deliveries WHERE \(condition) AND id IN (SELECT value FROM json_each(?)) ORDER BY id",
                    arguments: arguments + [try Self.list(found)])
                for id in ids { try body(id, db) }
                return ids.count
            }
            guard found.count == Self.changeCountMaximum else { return count }
            last = end
        }
    }

    private static func record(_ row: Row) -> DeliveryRecord {
        let delivered: Double? = row["delivered"]
        let status: DeliveryRecord.Status =
            if delivered != nil { .delivered } else if row["given_up"] as Double? != nil { .failed } else { .waiting }
        let job = row["owner"] as String? ?? ""
        return DeliveryRecord(
            id: row["id"], delegate: row["delegate"], event: RowEventID.id(row["outcome"], of: job), job: job,
            status: status,
            attempts: row["attempts"], createdAt: Date(timeIntervalSince1970: row["created"]),
            dueAt: status == .waiting ? Date(timeIntervalSince1970: row["due"]) : nil,
            deliveredAt: delivered.map { Date(timeIntervalSince1970: $0) }, error: row["error"])
    }
}
