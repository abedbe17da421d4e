import Foundation
import GRDB
import Uploads

/// One thing that a job of a listing is asked, in SQL.
struct JobCondition {
    var sql: String
    var arguments: StatementArguments

    init(_ sql: String, _ arguments: StatementArguments) {
        self.sql = sql
        self.arguments = arguments
    }

    init(_ scope: JobSearch.Scope) {
        self.init("queue = ? AND destination = ? AND status = ?", [scope.queue, scope.destination, scope.status])
    }

    static func clause(_ conditions: [JobCondition]) -> String {
        conditions.isEmpty ? "" : "WHERE " + conditions.map(\.sql).joined(separator: " AND ")
    }

    static func arguments(_ conditions: [JobCondition]) -> StatementArguments {
        conditions.reduce(into: StatementArguments()) { $0 += $1.arguments }
    }
}

extension LedgerFilter {
    /// When a job was enqueued.
    var timeConditions: [JobCondition] {
        [
            enqueuedSince.map { JobCondition("enqueued >= ?", [$0.milliseconds]) },
            enqueuedUntil.map { JobCondition("enqueued < ?", [$0.milliseconds]) },
        ].compactMap { $0 }
    }

    /// What else is asked of a job, its text and its key apart.
    var columnConditions: [JobCondition] {
        var conditions: [JobCondition] = []
        if let statuses {
            let words = statuses.map(\.rawValue).sorted()
            let places = words.map { _ in "?" }.joined(separator: ", ")
            conditions.append(JobCondition("status IN (\(places))", StatementArguments(words)))
        }
        if let queue { conditions.append(JobCondition("queue = ?", [queue.rawValue])) }
        if let destination { conditions.append(JobCondition("destination = ?", [destination])) }
        if let batch { conditions.append(JobCondition("batch = ?", [batch])) }
        return conditions
    }

    /// Where the job stands that the page begins after; nil on the first page.
    /// - Throws: `rejected` when it is not known.
    func start(in db: Database) throws -> JobSearch.Place? {
        guard let after else { return nil }
        let row = try Row.fetchOne(
            db.cachedStatement(sql: "SELECT enqueued, seq FROM jobs WHERE id = ?"), arguments: [after.rawValue])
        guard let row else {
            throw UploadError(
                .rejected, "the ledger does not know job \(after) to go on after (any more); begin with the first page")
        }
        return JobSearch.Place(enqueued: row["enqueued"], sequence: row["seq"])
    }
}

extension Date {
    /// Since 1970, as times on the wire are cut.
    var milliseconds: Int64 { Int64(saturating: (timeIntervalSince1970 * 1000).rounded()) }
}
