import Foundation
import GRDB
import Uploads

/// The rows of held jobs.
struct HoldRows {
    let db: Database

    /// - Parameter hold: nil removes the row.
    func write(_ hold: LedgerChanges.Hold?, of job: JobID) throws {
        guard let hold else {
            return try db.cachedStatement(sql: "DELETE FROM holds WHERE job = ?").execute(arguments: [job.rawValue])
        }
        try db.cachedStatement(
            sql: "INSERT OR REPLACE INTO holds (job, queue, due, needs_worker) VALUES (?, ?, ?, ?)"
        ).execute(arguments: [
            job.rawValue, hold.queue.rawValue, hold.until.timeIntervalSince1970, hold.needsWorker,
        ])
    }

    /// The next queues by name, each found by one step in the index, however many jobs it has.
    func queues(after queue: QueueName?, now: Date, limit: Int) throws -> HeldQueues {
        let next = try db.cachedStatement(sql: "SELECT min(queue) FROM holds WHERE queue > ?")
        let isDue = try db.cachedStatement(sql: "SELECT EXISTS (SELECT 1 FROM holds WHERE queue = ? AND due <= ?)")
        var due: [QueueName] = []
        var last = queue?.rawValue ?? ""
        for _ in 0..<limit {
            guard let name = try String.fetchOne(next, arguments: [last]) else {
                return HeldQueues(due: due, next: nil)
            }
            last = name
            if try Bool.fetchOne(isDue, arguments: [name, now.timeIntervalSince1970]) == true {
                due.append(QueueName(unchecked: name))
            }
        }
        return HeldQueues(due: due, next: QueueName(unchecked: last))
    }

    /// Jobs of a queue whose time has come, those that have waited longest first.
    func due(of queue: QueueName, hasWorker: Bool, now: Date, limit: Int) throws -> [JobID] {
        try String.fetchAll(
            db.cachedStatement(
                sql: """
                    SELECT job FROM holds WHERE queue = ? AND due <= ? AND (? OR NOT needs_worker) ORDER BY due LIMIT ?
                    """),
            arguments: [queue.rawValue, now.timeIntervalSince1970, hasWorker, limit]
        ).compactMap { JobID($0) }
    }
}
