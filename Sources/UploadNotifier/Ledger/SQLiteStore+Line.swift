import GRDB
import Uploads

extension SQLiteStore {
    func releasedCount(inLineOf queue: QueueName) throws -> Int {
        try Int.fetchOne(
            db.cachedStatement(sql: "SELECT count(*) FROM line WHERE queue = ? AND number IS NULL"),
            arguments: [queue.rawValue]) ?? 0
    }

    func waitingCount(inLineOf queue: QueueName, before number: Int64) throws -> Int {
        try Int.fetchOne(
            db.cachedStatement(sql: "SELECT count(*) FROM line WHERE queue = ? AND number < ?"),
            arguments: [queue.rawValue, number]) ?? 0
    }

    /// The number of waiting jobs.
    func waitingCount(inLineOf queue: QueueName) throws -> Int {
        try Int.fetchOne(
            db.cachedStatement(sql: "SELECT count(*) FROM line WHERE queue = ? AND number IS NOT NULL"),
            arguments: [queue.rawValue]) ?? 0
    }

    func row(of job: String, inLineOf queue: QueueName) throws -> LineRow? {
        try Row.fetchOne(
            db.cachedStatement(sql: "SELECT number FROM line WHERE job = ? AND queue = ?"),
            arguments: [job, queue.rawValue]
        ).map { row in (row["number"] as Int64?).map { .waiting(number: $0) } ?? .released }
    }

    func waiting(
        inLineOf queue: QueueName, beyond place: WaitingJob?, isBackward: Bool, limit: Int
    ) throws -> [WaitingJob] {
        let (sign, direction) = isBackward ? ("<", "DESC") : (">", "ASC")
        var arguments: StatementArguments = [queue.rawValue]
        if let place { arguments += [place.number, place.number, place.job] }
        let beyond = place == nil ? "" : "AND number \(sign)= ? AND (number \(sign) ? OR job \(sign) ?)"
        return try Row.fetchAll(
            db.cachedStatement(
                sql: """
                    SELECT job, number FROM line WHERE queue = ? AND number IS NOT NULL \(beyond)
                    ORDER BY number \(direction), job \(direction) LIMIT ?
                    """), arguments: arguments + [limit]
        ).map { WaitingJob(job: $0["job"], number: $0["number"]) }
    }

    func write(_ place: LedgerChanges.Place) throws {
        guard let row = place.row else {
            return try db.cachedStatement(sql: "DELETE FROM line WHERE job = ?").execute(arguments: [place.job])
        }
        let number: Int64? = if case .waiting(let number) = row { number } else { nil }
        try db.cachedStatement(sql: "INSERT OR REPLACE INTO line (job, queue, number) VALUES (?, ?, ?)")
            .execute(arguments: [place.job, place.queue.rawValue, number])
    }
}
