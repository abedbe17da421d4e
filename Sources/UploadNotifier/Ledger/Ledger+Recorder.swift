public import Foundation
import GRDB
public import Uploads

extension Ledger: LedgerRecorder {
    public func record(
        _ messages: [NotifierMessage], view: ControlView, routes: [DeliveryRoute], now: Date
    ) async throws(UploadError) -> [OwedAction] {
        try await write { db in
            var batch = LedgerBatch(db, view: view, routes: routes, now: now)
            try batch.load(Set(messages.compactMap(\.job)))
            for message in messages { try batch.receive(message) }
            try batch.save()
            return batch.owed
        }
    }

    public func order(
        _ verb: Verb, of job: JobID, view: ControlView, now: Date
    ) async throws(UploadError) -> [OwedAction] {
        try await write { db in
            var batch = LedgerBatch(db, view: view, routes: [], now: now)
            try batch.load([job])
            try batch.order(verb, of: job)
            try batch.save()
            return batch.owed
        }
    }

    public func owed() async throws(UploadError) -> [OwedAction] {
        try await write { db in
            var owed: [OwedAction] = []
            for row in try Row.fetchAll(
                db,
                sql: """
                    SELECT owed.id, owed.job, owed.body, jobs.record FROM owed LEFT JOIN jobs ON jobs.id = owed.job
                    ORDER BY owed.id
                    """)
            {
                let id: Int64 = row["id"]
                let record = try WireJSON.decode(OwedRecord.self, from: row["body"])
                let job = try (row["record"] as Data?).map { try WireJSON.decode(LedgerJob.self, from: $0) }
                let action = try record.action { try Self.event($0, in: db) }
                let name: String = row["job"]
                guard let action, let subject = JobID(name), action.isNeeded(for: job) else {
                    try db.execute(sql: "DELETE FROM owed WHERE id = ?", arguments: [id])
                    continue
                }
                owed.append(OwedAction(id: id, job: subject, action: action))
            }
            return owed
        }
    }

    public func outlived(_ jobs: [JobID], at now: Date) async throws(UploadError) -> [JobID] {
        try await read { db in
            let records = try Data.fetchCursor(
                db,
                sql: """
                    SELECT record FROM jobs WHERE id IN (SELECT value FROM json_each(?))
                    AND status IN ('completed', 'failed', 'cancelled') AND since < ?
                    """,
                arguments: [
                    try Self.list(jobs.map(\.rawValue)), (now - LedgerJob.fenceMargin).timeIntervalSince1970,
                ])
            var outlived: [JobID] = []
            while let record = try records.next() {
                // The fence of a job that cannot be read stays: nothing tells when it may go.
                guard let job = try? WireJSON.decode(LedgerJob.self, from: record) else { continue }
                if let end = job.fenceEndsAt, end <= now { outlived.append(job.id) }
            }
            return outlived
        }
    }

    public func prune(
        endedBefore: Date, besides named: ControlView, limit: Int
    ) async throws(UploadError) -> Int {
        try await strikeOff()
        // Looked for by a reader, so that recording waits for what is removed, and not for what has to stay.
        let found = try await read { db in
            try Self.forgettable(besides: named, endedBefore, limit: limit, in: db)
        }
        return try await write { db in
            // Again, for an order may have come meanwhile.
            let ids = try Self.forgettable(among: found, endedBefore, limit: limit, in: db)
            try JobRow.remove(ids, in: db)
            if found.count < limit { try Self.forgetRest(endedBefore, in: db) }
            return ids.count
        }
    }

    private static func forgettable(
        besides named: ControlView, _ endedBefore: Date, limit: Int, in db: Database
    ) throws -> [String] {
        let ids = try forgettable(
            "status IN ('completed', 'failed', 'cancelled') AND since < ?", [endedBefore.timeIntervalSince1970],
            in: db)
        var found: [String] = []
        // One after the other, for the log may name half a million.
        while found.count < limit, let id = try ids.next() {
            if JobID(id).map(named.names) != true { found.append(id) }
        }
        return found
    }

    /// The plus signs leave only the ids to search by: they are few, and what ended is not.
    private static func forgettable(
        among ids: [String], _ endedBefore: Date, limit: Int, in db: Database
    ) throws -> [String] {
        let ids = try forgettable(
            "+status IN ('completed', 'failed', 'cancelled') AND +since < ? AND id IN (SELECT value FROM json_each(?))",
            [endedBefore.timeIntervalSince1970, try list(ids)], in: db)
        var found: [String] = []
        while found.count < limit, let id = try ids.next() { found.append(id) }
        return found
    }

    private static func forgettable(
        _ condition: String, _ arguments: StatementArguments, in db: Database
    ) throws -> FastDatabaseValueCursor<String> {
        try String.fetchCursor(
            db,
            sql: """
                SELECT id FROM jobs WHERE \(condition)
                AND NOT EXISTS (
                    SELECT 1 FROM deliveries WHERE job = jobs.id AND delivered IS NULL AND given_up IS NULL)
                AND NOT EXISTS (SELECT 1 FROM owed WHERE job = jobs.id)
                """, arguments: arguments)
    }

    /// What is about no single job.
    private static func forgetRest(_ endedBefore: Date, in db: Database) throws {
        let time = endedBefore.timeIntervalSince1970
        try db.execute(sql: "DELETE FROM orders WHERE at < ?", arguments: [time])
        try db.execute(sql: "DELETE FROM unreadable WHERE replayed < ?", arguments: [time])
        try db.execute(sql: "DELETE FROM throughput WHERE minute < ?", arguments: [Int64(time / 60)])
        try db.execute(sql: "DELETE FROM tallies WHERE jobs = 0")
    }

    private static func event(_ id: String, in db: Database) throws -> UploadEvent? {
        try Data.fetchOne(db, sql: "SELECT body FROM events WHERE id = ?", arguments: [id])
            .map { try WireJSON.decode(UploadEvent.self, from: $0) }
    }
}
