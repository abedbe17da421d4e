import GRDB
import Uploads

/// The rows of one serial line.
struct LineRows {
    let db: Database
    let queue: QueueName

    /// The number of jobs of the line that are released and have not ended.
    func releasedCount() throws -> Int {
        try Int.fetchOne(
            db.cachedStatement(sql: "SELECT count(*) FROM line WHERE queue = ? AND number IS NULL"),
            arguments: [queue.rawValue]) ?? 0
    }

    /// The first waiting job. `job` is the id in its row, which may be damaged.
    func first() throws -> (job: String, number: Int64)? {
        try Row.fetchOne(
            db.cachedStatement(
                sql: "SELECT job, number FROM line WHERE queue = ? AND number IS NOT NULL ORDER BY number LIMIT 1"),
            arguments: [queue.rawValue]
        ).map { ($0["job"], $0["number"]) }
    }

    /// The number of waiting jobs.
    func waitingCount() throws -> Int {
        try Int.fetchOne(
            db.cachedStatement(sql: "SELECT count(*) FROM line WHERE queue = ? AND number IS NOT NULL"),
            arguments: [queue.rawValue]) ?? 0
    }

    /// The number of waiting jobs ahead of a number.
    func count(before number: Int64) throws -> Int {
        try Int.fetchOne(
            db.cachedStatement(sql: "SELECT count(*) FROM line WHERE queue = ? AND number < ?"),
            arguments: [queue.rawValue, number]) ?? 0
    }

    /// The number of a job that waits in this line.
    func number(of job: JobID) throws -> Int64? { try number("AND job = ?", [job.rawValue]) }

    func release(_ job: JobID) throws {
        try db.cachedStatement(
            sql: """
                INSERT INTO line (job, queue, number) VALUES (?, ?, NULL) ON CONFLICT (job) DO UPDATE SET number = NULL
                """
        ).execute(arguments: [job.rawValue, queue.rawValue])
    }

    func remove(_ job: JobID) throws {
        try db.cachedStatement(sql: "DELETE FROM line WHERE job = ?").execute(arguments: [job.rawValue])
    }

    /// Removes the row with a number, whatever its job is.
    func remove(at number: Int64) throws {
        try db.cachedStatement(sql: "DELETE FROM line WHERE queue = ? AND number = ?")
            .execute(arguments: [queue.rawValue, number])
    }

    /// - Parameter job: a job that is not in the line.
    func insert(_ job: JobID, at target: SerialLine.Target) throws {
        var (lower, upper) = try neighbours(at: target)
        var number = SerialLine.number(after: lower, before: upper)
        if number == nil {
            try renumber()
            (lower, upper) = try neighbours(at: target)
            number = SerialLine.number(after: lower, before: upper)
        }
        guard let number else { throw UploadError(.unknown, "the serial line of '\(queue)' has no room left") }
        try db.cachedStatement(sql: "INSERT INTO line (job, queue, number) VALUES (?, ?, ?)")
            .execute(arguments: [job.rawValue, queue.rawValue, number])
    }

    private func neighbours(at target: SerialLine.Target) throws -> (Int64?, Int64?) {
        switch target {
        case .end: return (try last(), nil)
        case .index(0): return (nil, try number("ORDER BY number LIMIT 1"))
        case .index(let index):
            let numbers = try Int64.fetchAll(
                db.cachedStatement(
                    sql: """
                        SELECT number FROM line WHERE queue = ? AND number IS NOT NULL ORDER BY number LIMIT 2 OFFSET ?
                        """),
                arguments: [queue.rawValue, index - 1])
            guard let lower = numbers.first else { return (try last(), nil) }
            return (lower, numbers.dropFirst().first)
        case .behind(let job):
            guard let lower = try number("AND job = ?", [job.rawValue]) else { return (try last(), nil) }
            return (lower, try number("AND number > ? ORDER BY number LIMIT 1", [lower]))
        }
    }

    private func last() throws -> Int64? { try number("ORDER BY number DESC LIMIT 1") }

    private func number(_ condition: String, _ more: StatementArguments = []) throws -> Int64? {
        try Int64.fetchOne(
            db.cachedStatement(
                sql: "SELECT number FROM line WHERE queue = ? AND number IS NOT NULL \(condition)"),
            arguments: [queue.rawValue] + more)
    }

    private func renumber() throws {
        let jobs = try String.fetchAll(
            db, sql: "SELECT job FROM line WHERE queue = ? AND number IS NOT NULL ORDER BY number",
            arguments: [queue.rawValue])
        let statement = try db.cachedStatement(sql: "UPDATE line SET number = ? WHERE job = ?")
        for (index, job) in jobs.enumerated() {
            try statement.execute(arguments: [SerialLine.number(at: index), job])
        }
    }
}
