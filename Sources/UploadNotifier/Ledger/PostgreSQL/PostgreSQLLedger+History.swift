package import Foundation
import PostgreSQL
package import Uploads

extension PostgreSQLLedger {
    package func history(
        from: Date, until: Date, bucketSeconds: Int, queue: QueueName?
    ) async throws(UploadError) -> [HistoryBucket] {
        let span = HistorySpan(from: from, until: until, bucketSeconds: bucketSeconds)
        let (table, unit): (Statement, Statement) =
            span.countsHours ? ("throughput_hours", "hour") : ("throughput", "minute")
        // Each queue is one range of the primary key.
        let queues: Statement =
            if let queue { "queue = \(queue.rawValue)" } else {
                "queue = ANY(ARRAY(SELECT DISTINCT queue FROM tallies))"
            }
        let found = try await query(
            """
            SELECT \(unit) / \(span.bucketLength) AS bucket, sum(completed)::bigint AS completed,
            sum(failed)::bigint AS failed, sum(cancelled)::bigint AS cancelled,
            least(greatest(sum(bytes), 0), \(Int64.max))::bigint AS bytes FROM \(table)
            WHERE \(queues) AND \(unit) >= \(span.range.lowerBound) AND \(unit) < \(span.range.upperBound)
            GROUP BY 1 ORDER BY 1
            """)
        return try map(found) { row in
            func count(_ column: String) throws -> Int { Int(clamping: try row.get(column, as: Int64.self)) }
            return HistoryBucket(
                start: span.start(of: try row.get("bucket")), completed: try count("completed"),
                failed: try count("failed"), cancelled: try count("cancelled"), bytes: try row.get("bytes"))
        }
    }
}
