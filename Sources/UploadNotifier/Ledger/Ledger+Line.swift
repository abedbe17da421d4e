import Foundation
import GRDB
package import Uploads

extension Ledger {
    /// The most released jobs of a serial line that are shown: there is one, except after the loss of a ledger.
    private static let holdersMaximum = 100

    package func line(of queue: QueueName, after: Int64?, limit: Int) async throws(UploadError) -> LinePage {
        let limit = min(max(1, limit), LedgerFilter.limitMaximum)
        return try await read { db in
            let store = self.store(db)
            var entries: [LinePage.Entry] = []
            if after == nil {
                entries = try Row.fetchAll(
                    db,
                    sql: """
                        SELECT jobs.id, jobs.record FROM line JOIN jobs ON jobs.id = line.job
                        WHERE line.queue = ? AND line.number IS NULL ORDER BY line.number, line.job LIMIT ?
                        """, arguments: [queue.rawValue, Self.holdersMaximum]
                ).compactMap { row in
                    self.rows.job(row["record"], id: row["id"]).map { LinePage.Entry(job: $0, position: nil) }
                }
            }
            let waiting = try Row.fetchAll(
                db,
                sql: """
                    SELECT line.number, jobs.id, jobs.record FROM line JOIN jobs ON jobs.id = line.job
                    WHERE line.queue = ? AND line.number > ? ORDER BY line.number LIMIT ?
                    """, arguments: [queue.rawValue, after ?? .min, limit])
            let first: Int64? = waiting.first?["number"]
            let start = try first.map { try store.waitingCount(inLineOf: queue, before: $0) } ?? 0
            entries += waiting.enumerated().compactMap { index, row in
                self.rows.job(row["record"], id: row["id"]).map { LinePage.Entry(job: $0, position: start + index) }
            }
            return LinePage(
                entries: entries, waiting: try store.waitingCount(inLineOf: queue),
                next: waiting.count == limit ? waiting.last?["number"] : nil)
        }
    }

    package func place(of job: JobID) async throws(UploadError) -> LinePlace? {
        try await read { db in
            guard
                let row = try Row.fetchOne(
                    db, sql: "SELECT queue, number FROM line WHERE job = ?", arguments: [job.rawValue])
            else { return nil }
            let queue = QueueName(unchecked: row["queue"])
            let store = self.store(db)
            let waiting = try store.waitingCount(inLineOf: queue)
            guard let number: Int64 = row["number"] else { return LinePlace(position: nil, waiting: waiting) }
            let holder = try Row.fetchOne(
                db,
                sql: """
                    SELECT jobs.id, jobs.status FROM line JOIN jobs ON jobs.id = line.job
                    WHERE line.queue = ? AND line.number IS NULL ORDER BY line.number, line.job LIMIT 1
                    """, arguments: [queue.rawValue])
            let holding = (holder?["id"] as String?).flatMap { JobID($0) }
            let ahead = try String.fetchOne(
                db, sql: "SELECT job FROM line WHERE queue = ? AND number < ? ORDER BY number DESC LIMIT 1",
                arguments: [queue.rawValue, number]
            ).flatMap { JobID($0) }
            return LinePlace(
                position: try store.waitingCount(inLineOf: queue, before: number), waiting: waiting,
                behind: ahead ?? holding, holder: holding,
                holderStatus: (holder?["status"] as String?).flatMap(LedgerStatus.init))
        }
    }
}
