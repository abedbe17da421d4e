public import Foundation
import GRDB
public import Uploads

extension Ledger: DeliveryOutbox {
    public func due(
        for delegate: String, now: Date, excluding: Set<DelegateDelivery.ID>, limit: Int
    ) async throws(UploadError) -> [DelegateDelivery] {
        let excluded = Self.list(excluding)
        return try await read { db in
            try Row.fetchAll(
                db,
                sql: """
                    SELECT deliveries.id, attempts, due, body FROM deliveries JOIN events ON events.id = event
                    WHERE delegate = ? AND delivered IS NULL AND due <= ?
                    AND deliveries.id NOT IN (SELECT value FROM json_each(?))
                    AND NOT EXISTS (SELECT 1 FROM delegates WHERE name = delegate)
                    ORDER BY due, deliveries.id LIMIT ?
                    """, arguments: [delegate, now.timeIntervalSince1970, excluded, limit]
            ).map { row in
                DelegateDelivery(
                    id: row["id"], delegate: delegate,
                    event: try WireJSON.decode(UploadEvent.self, from: row["body"]).asOutcome,
                    attempts: row["attempts"], dueAt: Date(timeIntervalSince1970: row["due"]))
            }
        }
    }

    public func nextDue(for delegate: String, excluding: Set<DelegateDelivery.ID>) async throws(UploadError) -> Date? {
        let excluded = Self.list(excluding)
        return try await read { db in
            try Double.fetchOne(
                db,
                sql: """
                    SELECT min(due) FROM deliveries WHERE delegate = ? AND delivered IS NULL
                    AND id NOT IN (SELECT value FROM json_each(?))
                    AND NOT EXISTS (SELECT 1 FROM delegates WHERE name = delegate)
                    """, arguments: [delegate, excluded]
            ).map { Date(timeIntervalSince1970: $0) }
        }
    }

    public func delivered(_ ids: [DelegateDelivery.ID], at time: Date) async throws(UploadError) {
        try await write { db in
            let statement = try db.cachedStatement(
                sql: "UPDATE deliveries SET delivered = ?, error = NULL WHERE id = ?")
            for id in ids { try statement.execute(arguments: [time.timeIntervalSince1970, id]) }
        }
    }

    public func failed(_ ids: [DelegateDelivery.ID], error: UploadError, dueAt: Date) async throws(UploadError) {
        let text = error.description
        try await write { db in
            let statement = try db.cachedStatement(
                sql: "UPDATE deliveries SET attempts = attempts + 1, due = ?, error = ? WHERE id = ?")
            for id in ids { try statement.execute(arguments: [dueAt.timeIntervalSince1970, text, id]) }
        }
    }

    public func pause(_ delegate: String, reason: String, at time: Date) async throws(UploadError) {
        try await write { db in
            try db.execute(
                sql: "INSERT OR IGNORE INTO delegates (name, paused, reason) VALUES (?, ?, ?)",
                arguments: [delegate, time.timeIntervalSince1970, reason])
        }
    }

    public func resume(_ delegate: String, at time: Date) async throws(UploadError) {
        try await write { db in
            try db.execute(sql: "DELETE FROM delegates WHERE name = ?", arguments: [delegate])
            try db.execute(
                sql: "UPDATE deliveries SET due = min(due, ?) WHERE delegate = ? AND delivered IS NULL",
                arguments: [time.timeIntervalSince1970, delegate])
        }
    }

    public func standing(of delegate: String) async throws(UploadError) -> DelegateStanding {
        try await read { db in
            let backlog = try Int.fetchOne(
                db, sql: "SELECT count(*) FROM deliveries WHERE delegate = ? AND delivered IS NULL",
                arguments: [delegate])
            let row = try Row.fetchOne(
                db, sql: "SELECT paused, reason FROM delegates WHERE name = ?", arguments: [delegate])
            return DelegateStanding(
                delegate: delegate, backlog: backlog ?? 0,
                pausedSince: row.map { Date(timeIntervalSince1970: $0["paused"]) },
                reason: row.map { $0["reason"] })
        }
    }

    private static func list(_ ids: Set<DelegateDelivery.ID>) -> String {
        "[\(ids.map(String.init).joined(separator: ","))]"
    }
}
