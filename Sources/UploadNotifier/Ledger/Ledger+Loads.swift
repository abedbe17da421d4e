package import Foundation
import GRDB
package import Uploads

extension Ledger {
    package func counts() async throws(UploadError) -> [LedgerStatus: Int] {
        try await read { db in
            try JobSearch.scopes(LedgerFilter(), in: db).reduce(into: [:]) { counts, scope in
                guard let status = LedgerStatus(rawValue: scope.status) else { return }
                counts[status] = (counts[status] ?? 0).addingSaturating(scope.count)
            }
        }
    }

    package func latest(_ status: LedgerStatus, limit: Int) async throws(UploadError) -> [LedgerJob] {
        try await read { [rows] db in
            try Row.fetchAll(
                db.cachedStatement(
                    sql: """
                        SELECT id, record FROM jobs INDEXED BY jobs_by_status WHERE status = ? ORDER BY since DESC LIMIT ?
                        """), arguments: [status.rawValue, min(max(1, limit), 100)]
            ).compactMap { rows.job($0["record"], id: $0["id"]) }
        }
    }

    package func queues(throughputSince: Date) async throws(UploadError) -> [QueueLoad] {
        try await read { db in
            var queues: [String: QueueLoad] = [:]
            for scope in try JobSearch.scopes(LedgerFilter(), in: db) {
                guard let status = LedgerStatus(rawValue: scope.status) else { continue }
                var queue = queues[scope.queue] ?? QueueLoad(queue: QueueName(unchecked: scope.queue))
                queue.counts[status] = (queue.counts[status] ?? 0).addingSaturating(scope.count)
                if !status.isEnd { queue.bytesLeft = queue.bytesLeft.addingSaturating(scope.bytes) }
                if status == .paused { queue.bytesPaused = queue.bytesPaused.addingSaturating(scope.bytes) }
                if status == .queued || status == .waiting, let oldest = try Self.oldest(of: scope, in: db) {
                    queue.oldestWaiting = min(oldest, queue.oldestWaiting ?? oldest)
                }
                queues[scope.queue] = queue
            }
            let minutes = try db.cachedStatement(
                sql: """
                    SELECT minute, completed, failed, cancelled, bytes, over FROM throughput
                    WHERE queue = ? AND minute > ? ORDER BY minute
                    """)
            let since = Int64((throughputSince.timeIntervalSince1970 / 60).rounded(.down)) - 1
            for name in queues.keys {
                queues[name]?.throughput = try Row.fetchAll(minutes, arguments: [name, since]).map { row in
                    ThroughputMinute(
                        start: Date(timeIntervalSince1970: row["minute"] * 60), completed: row["completed"],
                        failed: row["failed"], cancelled: row["cancelled"],
                        bytes: LedgerSums.sum(bytes: row["bytes"], over: row["over"]))
                }
            }
            return queues.values.sorted { $0.queue.rawValue < $1.queue.rawValue }
        }
    }

    package func destinations() async throws(UploadError) -> [DestinationLoad] {
        try await read { db in
            var destinations: [String: DestinationLoad] = [:]
            for scope in try JobSearch.scopes(LedgerFilter(), in: db) {
                guard let status = LedgerStatus(rawValue: scope.status) else { continue }
                var destination =
                    destinations[scope.destination] ?? DestinationLoad(destination: scope.destination)
                destination.counts[status] = (destination.counts[status] ?? 0).addingSaturating(scope.count)
                if !status.isEnd {
                    destination.bytesLeft = destination.bytesLeft.addingSaturating(scope.bytes)
                }
                destinations[scope.destination] = destination
            }
            return destinations.values.sorted { $0.destination < $1.destination }
        }
    }

    private static func oldest(of scope: JobSearch.Scope, in db: Database) throws -> Date? {
        try Int64.fetchOne(
            db.cachedStatement(
                sql: """
                    SELECT min(enqueued) FROM jobs INDEXED BY jobs_by_scope
                    WHERE queue = ? AND destination = ? AND status = ?
                    """), arguments: [scope.queue, scope.destination, scope.status]
        ).map { Date(timeIntervalSince1970: Double($0) / 1000) }
    }
}
