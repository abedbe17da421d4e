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
                guard let action, let job, Self.isNeeded(action, for: job) else {
                    try db.execute(sql: "DELETE FROM owed WHERE id = ?", arguments: [id])
                    continue
                }
                owed.append(OwedAction(id: id, job: job.id, action: action))
            }
            return owed
        }
    }

    public func settle(_ owed: [OwedAction.ID]) async throws(UploadError) {
        guard !owed.isEmpty else { return }
        try await write { db in
            let statement = try db.cachedStatement(sql: "DELETE FROM owed WHERE id = ?")
            for id in owed { try statement.execute(arguments: [id]) }
        }
    }

    public func relevant(_ view: ControlView, endedBefore: Date) async throws(UploadError) -> ControlView {
        let ids = Set(view.fences.keys).union(view.pauses.keys)
        let gone = try await read { db in
            let list = String(decoding: try JSONEncoder().encode(ids.map(\.rawValue)), as: UTF8.self)
            return try Set(
                String.fetchAll(
                    db,
                    sql: """
                        SELECT id FROM jobs WHERE id IN (SELECT value FROM json_each(?))
                        AND status IN ('completed', 'failed', 'cancelled') AND since < ?
                        """, arguments: [list, endedBefore.timeIntervalSince1970]))
        }
        var kept = ControlView()
        kept.apply(.fence(view.fences.filter { !gone.contains($0.key.rawValue) }))
        kept.apply(.pause(view.pauses.filter { !gone.contains($0.key.rawValue) }))
        for queue in view.stoppedQueues { kept.apply(.queueStopped(queue)) }
        return kept
    }

    public func prune(endedBefore: Date, limit: Int) async throws(UploadError) -> Int {
        try await write { db in
            let ids = try String.fetchAll(
                db,
                sql: """
                    SELECT id FROM jobs WHERE status IN ('completed', 'failed', 'cancelled') AND since < ?
                    AND NOT EXISTS (SELECT 1 FROM deliveries WHERE job = jobs.id AND delivered IS NULL)
                    AND NOT EXISTS (SELECT 1 FROM owed WHERE job = jobs.id) LIMIT ?
                    """, arguments: [endedBefore.timeIntervalSince1970, limit])
            for id in ids {
                try db.execute(sql: "DELETE FROM deliveries WHERE job = ?", arguments: [id])
                try db.execute(sql: "DELETE FROM events WHERE job = ?", arguments: [id])
                try db.execute(sql: "DELETE FROM jobs WHERE id = ?", arguments: [id])
            }
            return ids.count
        }
    }

    private static func event(_ id: String, in db: Database) throws -> UploadEvent? {
        try Data.fetchOne(db, sql: "SELECT body FROM events WHERE id = ?", arguments: [id])
            .map { try WireJSON.decode(UploadEvent.self, from: $0) }
    }

    /// A baton is not published once more when its round is over or a later generation counts.
    private static func isNeeded(_ action: IssuingAction, for job: LedgerJob) -> Bool {
        switch action {
        case .issue(let baton, _, _): job.end == nil && baton.generation == job.generation
        case .mark(let marker): job.wish?.marker.id == marker.id
        case .append, .outcome: true
        case .record, .note: false
        }
    }
}
