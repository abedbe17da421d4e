import Foundation
import GRDB
import Uploads

/// One condition on the jobs of a listing, in SQL.
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
    /// The conditions on the time at which a job was enqueued.
    var timeConditions: [JobCondition] {
        [
            enqueuedSince.map { JobCondition("enqueued >= ?", [$0.milliseconds]) },
            enqueuedUntil.map { JobCondition("enqueued < ?", [$0.milliseconds]) },
        ].compactMap { $0 }
    }

    /// The other conditions on a job, except those on its text and its idempotency key.
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

    /// The place of the job after which the page begins; nil on the first page.
    /// - Throws: `rejected` when the job is not known.
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
    /// Milliseconds since 1970, the precision of times on the wire.
    var milliseconds: Int64 { Int64(saturating: (timeIntervalSince1970 * 1000).rounded()) }
}
