package import Foundation
import PostgreSQL
package import Uploads

extension PostgreSQLLedger {
    /// One row: `bytes`, of all tables with their indexes.
    static let size: Statement = """
        SELECT coalesce(sum(pg_total_relation_size(oid)), 0)::bigint AS bytes FROM pg_class
        WHERE relnamespace = current_schema()::regnamespace AND relkind = 'r'
        """

    /// Only the server sees its file system.
    package func space() async throws(UploadError) -> LedgerSpace {
        let bytes: [Int64] = try map(try await query(Self.size)) { try $0.get("bytes") }
        return LedgerSpace(bytes: bytes.first ?? 0)
    }

    package func oldestUndelivered() async throws(UploadError) -> [String: Date] {
        // The index has the numbers of the deliveries, so only the first delivery of each delegate is read itself.
        let found = try await query(
            """
            SELECT delegate, created FROM deliveries WHERE id IN (
                SELECT min(id) FROM deliveries WHERE delivered IS NULL AND given_up IS NULL GROUP BY delegate)
            """)
        let rows: [(String, Date)] = try map(found) {
            (try $0.get("delegate"), Date(timeIntervalSince1970: try $0.get("created")))
        }
        return Dictionary(rows, uniquingKeysWith: min)
    }
}
