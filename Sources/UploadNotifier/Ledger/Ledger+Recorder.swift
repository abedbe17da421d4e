package import Foundation
import GRDB
package import Uploads

extension Ledger: LedgerTransactions {
    package func transaction<Value: Sendable>(
        _ body: @escaping @Sendable (any LedgerStore) throws -> Value
    ) async throws(UploadError) -> Value {
        try await write { db in try body(self.store(db)) }
    }

    /// The tables in a transaction that is under way.
    func store(_ db: Database) -> SQLiteStore {
        SQLiteStore(db: db, numbers: JobNumbers(db), rows: rows, decoded: decoded, checkTables: checkTables)
    }
}

extension Ledger: LedgerRecorder {
    /// The lock of the file ends with this process only.
    package func kept(of shards: Shards) -> Set<Int> { Set(shards.all) }

    package func untilKept(otherThan shards: Set<Int>) async {
        while !Task.isCancelled { try? await Task.sleep(for: .seconds(86_400)) }
    }

    package func share(_ isSharing: Bool) async {}

    package func giveSurplus() async {}

    package var isShared: Bool { false }

    package func news() async throws(UploadError) -> LedgerNews { LedgerNews() }

    package func outlived(_ jobs: [JobID], at now: Date) async throws(UploadError) -> [JobID] {
        try await read { [rows] db in
            let ended = try Row.fetchCursor(
                db,
                sql: """
                    SELECT id, record FROM jobs WHERE id IN (SELECT value FROM json_each(?))
                    AND status IN ('completed', 'failed', 'cancelled') AND since < ?
                    """,
                arguments: [
                    try Self.list(jobs.map(\.rawValue)), (now - LedgerJob.fenceMargin).timeIntervalSince1970,
                ])
            var outlived: [JobID] = []
            while let row = try ended.next() {
                // The fence of a job that cannot be read stays, since the time of its removal is unknown.
                guard let job = rows.job(row["record"], id: row["id"]) else { continue }
                if let end = job.fenceEndsAt, end <= now { outlived.append(job.id) }
            }
            return outlived
        }
    }

    package func prune(
        endedBefore: Date, besides named: ControlView, limit: Int
    ) async throws(UploadError) -> Int {
        try await strikeOff()
        // A reader looks for the jobs, so that recording waits only while they are removed.
        let found = try await read { db in
            try Self.forgettable(besides: named, endedBefore, limit: limit, in: db)
        }
        return try await write { db in
            // The condition is checked again, since an order may have come meanwhile.
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
        // The names are checked one after the other, since the log may name half a million jobs.
        while found.count < limit, let id = try ids.next() {
            if JobID(id).map(named.names) != true { found.append(id) }
        }
        return found
    }

    /// The plus signs keep SQLite from using the index by status: the ids are few, and the ended jobs are many.
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
                    SELECT 1 FROM deliveries WHERE job = jobs.seq AND delivered IS NULL AND given_up IS NULL)
                AND NOT EXISTS (SELECT 1 FROM owed WHERE job = jobs.id)
                """, arguments: arguments)
    }

    /// Removes old rows that are about no single job.
    private static func forgetRest(_ endedBefore: Date, in db: Database) throws {
        let time = endedBefore.timeIntervalSince1970
        try db.execute(sql: "DELETE FROM orders WHERE at < ?", arguments: [time])
        try db.execute(sql: "DELETE FROM unreadable WHERE replayed < ?", arguments: [time])
        try db.execute(sql: "DELETE FROM throughput WHERE minute < ?", arguments: [Int64(time / 60)])
        try db.execute(sql: "DELETE FROM throughput_hours WHERE hour < ?", arguments: [Int64(time / 3600)])
        try db.execute(sql: "DELETE FROM tallies WHERE jobs = 0")
    }
}
