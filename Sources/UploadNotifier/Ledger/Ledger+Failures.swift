package import Foundation
import GRDB
package import Uploads

extension Ledger {
    package func failureGroups(
        queue: QueueName?, endedSince: Date?, limit: Int
    ) async throws(UploadError) -> [FailureGroup] {
        try await read { [rows] db in
            var filter = LedgerFilter(queue: queue)
            filter.endedSince = endedSince
            let conditions = filter.queueConditions + filter.endConditions
            // The index by code has all these columns, in the order of the groups.
            let found = try Row.fetchAll(
                db.cachedStatement(
                    sql: """
                        SELECT code, destination, count(*) AS jobs, min(since) AS first, max(since) AS last
                        FROM jobs INDEXED BY jobs_by_code
                        \(JobCondition.clause([JobCondition("code IS NOT NULL", [])] + conditions))
                        GROUP BY code, destination ORDER BY jobs DESC, last DESC, destination, code LIMIT ?
                        """),
                arguments: JobCondition.arguments(conditions)
                    + [min(max(1, limit), FailureGroup.limitMaximum)])
            return try found.map { row in
                let (code, last): (String, Double) = (row["code"], row["last"])
                let group = FailureGroup(
                    destination: row["destination"], code: UploadError.Code(named: code), count: row["jobs"],
                    firstEndedAt: Date(timeIntervalSince1970: row["first"]),
                    lastEndedAt: Date(timeIntervalSince1970: last))
                // Few jobs ended at the same time.
                let newest = try Row.fetchOne(
                    db.cachedStatement(
                        sql: """
                            SELECT id, record FROM jobs INDEXED BY jobs_by_status
                            \(JobCondition.clause(Self.newestConditions(group, code, last) + conditions))
                            ORDER BY seq DESC LIMIT 1
                            """),
                    arguments: JobCondition.arguments(Self.newestConditions(group, code, last) + conditions))
                return group.showing(newest.flatMap { rows.job($0["record"], id: $0["id"]) })
            }
        }
    }

    private static func newestConditions(_ group: FailureGroup, _ code: String, _ last: Double) -> [JobCondition] {
        [
            JobCondition("status = 'failed' AND since = ?", [last]),
            JobCondition("destination = ? AND code = ?", [group.destination, code]),
        ]
    }
}
