package import Foundation
import PostgreSQL
package import Uploads

extension PostgreSQLLedger {
    private static let columns: Statement = "id, at, reason, size, envelope, replayed, replayed_by"

    package func unreadable(_ listing: DeadLetterListing) async throws(UploadError) -> [UnreadableMessage] {
        let limit = Int64(min(max(1, listing.limit), DeadLetterListing.limitMaximum))
        // Bodies can be large.
        let found = try await query(
            """
            SELECT \(Self.columns), substring(body FROM 1 FOR \(Int64(DeadLetterListing.bodyBytesMaximum))::int) AS body
            FROM unreadable WHERE \(Self.condition(listing)) AND id < \(listing.before ?? Int64.max)
            ORDER BY id DESC LIMIT \(limit)
            """)
        return try map(found, message)
    }

    package func unreadableCount(_ listing: DeadLetterListing) async throws(UploadError) -> Int {
        let found = try await query("SELECT count(*) AS count FROM unreadable WHERE \(Self.condition(listing))")
        return try map(found) { Int(clamping: try $0.get("count", as: Int64.self)) }.first ?? 0
    }

    package func unreadable(_ id: UnreadableMessage.ID) async throws(UploadError) -> UnreadableMessage? {
        try map(try await query("SELECT \(Self.columns), body FROM unreadable WHERE id = \(id)"), message).first
    }

    package func noteReplayed(
        _ id: UnreadableMessage.ID, at time: Date, by: String
    ) async throws(UploadError) -> Bool {
        let name = String(by.prefix(UnreadableMessage.byCountMaximum)).withoutNUL
        return try await query(
            """
            UPDATE unreadable SET replayed = \(time.timeIntervalSince1970), replayed_by = \(name)
            WHERE id = \(id) AND replayed IS NULL
            """
        ).affectedCount > 0
    }

    package func discardUnreadable(_ id: UnreadableMessage.ID) async throws(UploadError) -> Bool {
        try await query("DELETE FROM unreadable WHERE id = \(id)").affectedCount > 0
    }

    private static func condition(_ listing: DeadLetterListing) -> Statement {
        var conditions: [Statement] = []
        if let isReplayed = listing.isReplayed {
            conditions.append(isReplayed ? "replayed IS NOT NULL" : "replayed IS NULL")
        }
        if let type = listing.type { conditions.append("type = \(type.withoutNUL)") }
        if let reason = listing.reason { conditions.append("strpos(lower(reason), lower(\(reason.withoutNUL))) > 0") }
        if let since = listing.since { conditions.append("at >= \(since.timeIntervalSince1970)") }
        if let until = listing.until { conditions.append("at < \(until.timeIntervalSince1970)") }
        return PostgreSQLStore.all(conditions)
    }

    private func message(_ row: Row) throws -> UnreadableMessage? {
        let id: UnreadableMessage.ID = try row.get("id")
        let envelope: Data? = try row.getIfPresent("envelope")
        return UnreadableMessage(
            id: id, at: Date(timeIntervalSince1970: try row.get("at")), reason: try row.get("reason"),
            body: try row.get("body"), size: Int(clamping: try row.get("size", as: Int64.self)),
            envelope: envelope.flatMap { rows.value(MessageEnvelope.self, from: $0, "unreadable", id) },
            replayedAt: try row.getIfPresent("replayed", as: Double.self).map { Date(timeIntervalSince1970: $0) },
            replayedBy: try row.getIfPresent("replayed_by"))
    }
}
