package import Foundation
import GRDB
package import Uploads

extension Ledger {
    package func history(
        from: Date, until: Date, bucketSeconds: Int, queue: QueueName?
    ) async throws(UploadError) -> [HistoryBucket] {
        let span = HistorySpan(from: from, until: until, bucketSeconds: bucketSeconds)
        return try await read { db in
            let queues =
                try queue.map { [$0.rawValue] } ?? String.fetchAll(db, sql: "SELECT DISTINCT queue FROM tallies")
            let sums = try db.cachedStatement(sql: LedgerSums.historySQL(countsHours: span.countsHours))
            var buckets: [Int64: HistoryBucket] = [:]
            for queue in queues {
                let rows = try Row.fetchCursor(
                    sums, arguments: [span.bucketLength, queue, span.range.lowerBound, span.range.upperBound])
                while let row = try rows.next() {
                    let number: Int64 = row["bucket"]
                    let bucket = buckets[number] ?? HistoryBucket(start: span.start(of: number))
                    buckets[number] = bucket.adding(row)
                }
            }
            return buckets.sorted { $0.key < $1.key }.map(\.value)
        }
    }
}

extension HistoryBucket {
    fileprivate func adding(_ row: Row) -> HistoryBucket {
        var bucket = self
        bucket.completed = completed.addingSaturating(row["completed"])
        bucket.failed = failed.addingSaturating(row["failed"])
        bucket.cancelled = cancelled.addingSaturating(row["cancelled"])
        bucket.bytes = bytes.addingSaturating(
            LedgerSums.sum(high: row["high"], low: row["low"], over: row["over"]))
        return bucket
    }
}
