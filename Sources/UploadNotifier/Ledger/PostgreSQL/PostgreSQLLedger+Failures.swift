package import Foundation
import PostgreSQL
package import Uploads

extension PostgreSQLLedger {
    package func failureGroups(
        queue: QueueName?, endedSince: Date?, limit: Int
    ) async throws(UploadError) -> [FailureGroup] {
        var filter = LedgerFilter(queue: queue)
        filter.endedSince = endedSince
        let condition = PostgreSQLStore.all(filter.otherConditionsInPostgreSQL)
        let limit = Int64(min(max(1, limit), FailureGroup.limitMaximum))
        // The index by code has all these columns; few jobs ended at the same time.
        let found = try await query(
            """
            SELECT found.*, newest.id, newest.record FROM (
                SELECT code, destination, count(*) AS jobs, min(since) AS first, max(since) AS last FROM jobs
                WHERE code IS NOT NULL AND \(condition)
                GROUP BY code, destination ORDER BY jobs DESC, last DESC, destination, code LIMIT \(limit)
            ) AS found LEFT JOIN LATERAL (
                SELECT id, record FROM jobs WHERE status = 'failed' AND since = found.last
                AND destination = found.destination AND code = found.code AND \(condition)
                ORDER BY seq DESC LIMIT 1
            ) AS newest ON true ORDER BY jobs DESC, last DESC, found.destination, found.code
            """)
        return try map(found) { row in
            let group = FailureGroup(
                destination: try row.get("destination"), code: UploadError.Code(named: try row.get("code")),
                count: Int(clamping: try row.get("jobs", as: Int64.self)),
                firstEndedAt: Date(timeIntervalSince1970: try row.get("first")),
                lastEndedAt: Date(timeIntervalSince1970: try row.get("last")))
            let id: String? = try row.getIfPresent("id")
            return group.showing(try id.flatMap { rows.job(try row.get("record"), id: $0) })
        }
    }
}
