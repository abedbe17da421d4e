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

    init(among sequences: [Int64]) {
        let list = "[\(sequences.map(String.init).joined(separator: ","))]"
        self.init("seq IN (SELECT value FROM json_each(?))", [list])
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

    /// The conditions on the time at which a job ended, for rows of ended jobs.
    var endConditions: [JobCondition] {
        [
            endedSince.map { JobCondition("since >= ?", [$0.timeIntervalSince1970]) },
            endedUntil.map { JobCondition("since < ?", [$0.timeIntervalSince1970]) },
        ].compactMap { $0 }
    }

    /// The condition on the status. A job with a code has failed, so where a code is wanted the index by code knows the status.
    var statusConditions: [JobCondition] {
        guard let statuses = possibleStatuses, code == nil || statuses.isEmpty else { return [] }
        let words = statuses.map(\.rawValue).sorted()
        let places = words.map { _ in "?" }.joined(separator: ", ")
        return [JobCondition("status IN (\(places))", StatementArguments(words))]
    }

    var queueConditions: [JobCondition] { [queue.map { JobCondition("queue = ?", [$0.rawValue]) }].compactMap { $0 } }

    var destinationConditions: [JobCondition] {
        [destination.map { JobCondition("destination = ?", [$0]) }].compactMap { $0 }
    }

    var batchConditions: [JobCondition] { [batch.map { JobCondition("batch = ?", [$0]) }].compactMap { $0 } }

    var clientConditions: [JobCondition] { [client.map { JobCondition("client = ?", [$0]) }].compactMap { $0 } }

    var codeConditions: [JobCondition] { [code.map { JobCondition("code = ?", [$0.description]) }].compactMap { $0 } }

    var keyConditions: [JobCondition] {
        [idempotencyKey.map { JobCondition("idempotency = ?", [$0]) }].compactMap { $0 }
    }

    /// The conditions besides a queue, a destination and a status, except those on the time of enqueueing, the text and the key.
    var otherConditions: [JobCondition] { endConditions + batchConditions + clientConditions + codeConditions }

    /// The other conditions on a job, except those on its text and its idempotency key.
    var columnConditions: [JobCondition] {
        statusConditions + queueConditions + destinationConditions + otherConditions
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
