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

    public func relevant(_ view: ControlView, endedBefore: Date) async throws(UploadError) -> ControlView {
        let ids = Set(view.fences.keys).union(view.pauses.keys)
        let gone = try await read { db in
            let list = try Self.list(ids.map(\.rawValue))
            let records = try Data.fetchCursor(
                db,
                sql: """
                    SELECT record FROM jobs WHERE id IN (SELECT value FROM json_each(?))
                    AND status IN ('completed', 'failed', 'cancelled') AND since < ?
                    """, arguments: [list, endedBefore.timeIntervalSince1970])
            var gone: Set<JobID> = []
            while let record = try records.next() {
                let job = try WireJSON.decode(LedgerJob.self, from: record)
                if job.mayForgetFence(endedBefore: endedBefore) { gone.insert(job.id) }
            }
            return gone
        }
        var kept = ControlView()
        kept.apply(.fence(view.fences.filter { !gone.contains($0.key) }))
        kept.apply(.pause(view.pauses.filter { !gone.contains($0.key) }))
        for queue in view.stoppedQueues { kept.apply(.queueStopped(queue)) }
        return kept
    }

    public func prune(
        endedBefore: Date, besides fenced: Set<JobID>, limit: Int
    ) async throws(UploadError) -> Int {
        try await strikeOff()
        // Looked for by a reader, so that recording waits for what is removed, and not for what has to stay.
        let found = try await read { db in
            try Self.forgettable(besides: fenced.map(\.rawValue), endedBefore, limit: limit, in: db)
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
        besides kept: [String], _ endedBefore: Date, limit: Int, in db: Database
    ) throws -> [String] {
        try forgettable(
            "status IN ('completed', 'failed', 'cancelled') AND since < ? AND id NOT IN (SELECT value FROM json_each(?))",
            [endedBefore.timeIntervalSince1970, try list(kept), limit], in: db)
    }

    /// The plus signs leave only the ids to search by: they are few, and what ended is not.
    private static func forgettable(
        among ids: [String], _ endedBefore: Date, limit: Int, in db: Database
    ) throws -> [String] {
        try forgettable(
            "+status IN ('completed', 'failed', 'cancelled') AND +since < ? AND id IN (SELECT value FROM json_each(?))",
            [endedBefore.timeIntervalSince1970, try list(ids), limit], in: db)
    }

    private static func forgettable(
        _ condition: String, _ arguments: StatementArguments, in db: Database
    ) throws -> [String] {
        try String.fetchAll(
            db,
            sql: """
                SELECT id FROM jobs WHERE \(condition)
                AND NOT EXISTS (
                    SELECT 1 FROM deliveries WHERE job = jobs.id AND delivered IS NULL AND given_up IS NULL)
                AND NOT EXISTS (SELECT 1 FROM owed WHERE job = jobs.id) LIMIT ?
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
