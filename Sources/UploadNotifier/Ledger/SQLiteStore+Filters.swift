import Foundation
import GRDB
import Uploads

/// The jobs that an order with a filter is about.
extension SQLiteStore {
    func page(_ filter: OrderFilter, for verb: Verb, after job: JobID?, limit: Int) throws -> OrderFilterPage {
        var (condition, arguments) = Self.condition(filter, verb)
        arguments += [job?.rawValue ?? "", limit]
        let found = try String.fetchAll(
            db, sql: "SELECT id FROM jobs WHERE \(condition) AND id > ? ORDER BY id LIMIT ?", arguments: arguments)
        // A damaged row may have a text that names no job.
        let jobs = found.compactMap { JobID($0) }
        return OrderFilterPage(jobs: jobs, isLast: found.count < limit || jobs.isEmpty)
    }

    func count(_ filter: OrderFilter, for verb: Verb) throws -> Int {
        let (condition, arguments) = Self.condition(filter, verb)
        return try Int.fetchOne(db, sql: "SELECT count(*) FROM jobs WHERE \(condition)", arguments: arguments) ?? 0
    }

    private static func condition(_ filter: OrderFilter, _ verb: Verb) -> (String, StatementArguments) {
        let statuses = filter.statuses(for: verb).map(\.rawValue).sorted()
        var conditions = ["status IN (\(statuses.map { _ in "?" }.joined(separator: ", ")))"]
        var arguments = StatementArguments(statuses)
        if let queue = filter.queue {
            conditions.append("queue = ?")
            arguments += [queue.rawValue]
        }
        if let destination = filter.destination {
            conditions.append("destination = ?")
            arguments += [destination]
        }
        if let batch = filter.batch {
            conditions.append("batch = ?")
            arguments += [batch]
        }
        if let digits = filter.digits {
            let digits = digits.map(String.init)
            conditions.append("substr(id, -1) IN (\(digits.map { _ in "?" }.joined(separator: ", ")))")
            arguments += StatementArguments(digits)
        }
        if let time = filter.endedBefore {
            conditions.append("since < ? AND status IN ('completed', 'failed', 'cancelled')")
            arguments += [time.timeIntervalSince1970]
        }
        if verb == .forget {
            conditions.append("id NOT IN (SELECT id FROM jobs WHERE forgotten IS NOT NULL)")
        }
        if verb == .resume, filter.statuses == nil {
            conditions.append(
                """
                (status = 'paused' OR CASE WHEN json_valid(plain(record)) THEN
                json_extract(plain(record), '$.pausedThrough')
                >= json_extract(plain(record), '$.baton.generation') END)
                """)
        }
        return (conditions.joined(separator: " AND "), arguments)
    }
}
