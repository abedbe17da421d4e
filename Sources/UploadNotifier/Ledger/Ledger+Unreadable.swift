package import Foundation
import GRDB
package import Uploads

extension Ledger {
    private static let columns = "id, at, reason, size, envelope, replayed, replayed_by"

    package func unreadable(_ listing: DeadLetterListing) async throws(UploadError) -> [UnreadableMessage] {
        let (condition, arguments) = Self.condition(listing)
        let limit = min(max(1, listing.limit), DeadLetterListing.limitMaximum)
        return try await read { [rows] db in
            // Bodies can be large.
            try Row.fetchAll(
                db,
                sql: """
                    SELECT \(Self.columns), substr(body, 1, \(DeadLetterListing.bodyBytesMaximum)) AS body
                    FROM unreadable
                    WHERE \(condition) AND id < ? ORDER BY id DESC LIMIT ?
                    """, arguments: arguments + [listing.before ?? Int64.max, limit]
            ).map { Self.unreadable($0, rows) }
        }
    }

    package func unreadableCount(_ listing: DeadLetterListing) async throws(UploadError) -> Int {
        let (condition, arguments) = Self.condition(listing)
        return try await read { db in
            try Int.fetchOne(db, sql: "SELECT count(*) FROM unreadable WHERE \(condition)", arguments: arguments) ?? 0
        }
    }

    package func unreadable(_ id: UnreadableMessage.ID) async throws(UploadError) -> UnreadableMessage? {
        try await read { [rows] db in
            try Row.fetchOne(
                db, sql: "SELECT \(Self.columns), body FROM unreadable WHERE id = ?", arguments: [id]
            ).map { Self.unreadable($0, rows) }
        }
    }

    package func noteReplayed(
        _ id: UnreadableMessage.ID, at time: Date, by: String
    ) async throws(UploadError) -> Bool {
        try await write { db in
            try db.execute(
                sql: "UPDATE unreadable SET replayed = ?, replayed_by = ? WHERE id = ? AND replayed IS NULL",
                arguments: [time.timeIntervalSince1970, String(by.prefix(UnreadableMessage.byCountMaximum)), id])
            return db.changesCount > 0
        }
    }

    package func discardUnreadable(_ id: UnreadableMessage.ID) async throws(UploadError) -> Bool {
        try await write { db in
            try db.execute(sql: "DELETE FROM unreadable WHERE id = ?", arguments: [id])
            return db.changesCount > 0
        }
    }

    private static func condition(_ listing: DeadLetterListing) -> (String, StatementArguments) {
        var conditions = ["1"]
        var arguments: StatementArguments = []
        if let isReplayed = listing.isReplayed {
            conditions.append("replayed IS \(isReplayed ? "NOT " : "")NULL")
        }
        if let type = listing.type {
            conditions.append(
                """
                CASE WHEN json_valid(CAST(envelope AS TEXT)) THEN json_extract(CAST(envelope AS TEXT), '$.type') END = ?
                """)
            arguments += [type]
        }
        if let reason = listing.reason {
            conditions.append("instr(lower(reason), lower(?)) > 0")
            arguments += [reason]
        }
        if let since = listing.since {
            conditions.append("at >= ?")
            arguments += [since.timeIntervalSince1970]
        }
        if let until = listing.until {
            conditions.append("at < ?")
            arguments += [until.timeIntervalSince1970]
        }
        return (conditions.joined(separator: " AND "), arguments)
    }

    private static func unreadable(_ row: Row, _ damaged: DamagedRows) -> UnreadableMessage {
        let id: UnreadableMessage.ID = row["id"]
        let envelope: Data? = row["envelope"]
        // SQLite's substr makes NULL of an empty value.
        let body: Data? = row["body"]
        return UnreadableMessage(
            id: id, at: Date(timeIntervalSince1970: row["at"]), reason: row["reason"], body: body ?? Data(),
            size: row["size"],
            envelope: envelope.flatMap { damaged.value(MessageEnvelope.self, from: $0, "unreadable", id) },
            replayedAt: (row["replayed"] as Double?).map { Date(timeIntervalSince1970: $0) },
            replayedBy: row["replayed_by"])
    }
}
