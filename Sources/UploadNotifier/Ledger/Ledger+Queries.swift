import Foundation
import GRDB
public import Uploads

extension Ledger: LedgerQueries {
    public func job(_ id: JobID) async throws(UploadError) -> LedgerJob? {
        try await read { db in
            try Data.fetchOne(db, sql: "SELECT record FROM jobs WHERE id = ?", arguments: [id.rawValue])
                .map { try WireJSON.decode(LedgerJob.self, from: $0) }
        }
    }

    public func jobs(_ filter: LedgerFilter) async throws(UploadError) -> [LedgerJob] {
        try await read { db in
            var conditions = ["id > ?"]
            var arguments: StatementArguments = [filter.after?.rawValue ?? ""]
            if let statuses = filter.statuses {
                let marks = statuses.map { _ in "?" }.joined(separator: ", ")
                conditions.append("status IN (\(marks))")
                arguments += StatementArguments(statuses.map(\.rawValue))
            }
            if let queue = filter.queue {
                conditions.append("queue = ?")
                arguments += [queue.rawValue]
            }
            if let destination = filter.destination {
                conditions.append("destination = ?")
                arguments += [destination]
            }
            arguments += [filter.limit]
            return try Data.fetchAll(
                db,
                sql: "SELECT record FROM jobs WHERE \(conditions.joined(separator: " AND ")) ORDER BY id LIMIT ?",
                arguments: arguments
            ).map { try WireJSON.decode(LedgerJob.self, from: $0) }
        }
    }

    public func events(of job: JobID) async throws(UploadError) -> [UploadEvent] {
        try await read { db in
            try Data.fetchAll(db, sql: "SELECT body FROM events WHERE job = ? ORDER BY seq", arguments: [job.rawValue])
                .map { try WireJSON.decode(UploadEvent.self, from: $0) }
        }
    }

    public func counts() async throws(UploadError) -> [LedgerStatus: Int] {
        try await read { db in
            var counts: [LedgerStatus: Int] = [:]
            for row in try Row.fetchAll(db, sql: "SELECT status, count(*) AS n FROM jobs GROUP BY status") {
                if let status = LedgerStatus(rawValue: row["status"]) { counts[status] = row["n"] }
            }
            return counts
        }
    }

    public func unreadable(limit: Int) async throws(UploadError) -> [UnreadableMessage] {
        try await read { db in
            try Row.fetchAll(
                db, sql: "SELECT at, reason, body FROM unreadable ORDER BY id DESC LIMIT ?", arguments: [max(0, limit)]
            ).map { row in
                UnreadableMessage(at: Date(timeIntervalSince1970: row["at"]), reason: row["reason"], body: row["body"])
            }
        }
    }
}
