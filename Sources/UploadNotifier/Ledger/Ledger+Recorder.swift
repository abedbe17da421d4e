public import Foundation
import GRDB
public import Uploads

extension Ledger: LedgerRecorder {
    public func record(
        _ messages: [NotifierMessage], view: ControlView, routes: [DeliveryRoute], now: Date
    ) async throws(UploadError) -> [OwedAction] {
        try await write { [rows] db in
            try Self.record(messages, in: LedgerBatch(db, rows, view: view, routes: routes, now: now))
        }
    }

    private static func record(_ messages: [NotifierMessage], in new: LedgerBatch) throws -> [OwedAction] {
        var batch = new
        try batch.load(Set(messages.compactMap(\.job)))
        for message in messages { try batch.receive(message) }
        try batch.save()
        return batch.owed
    }

    public func recordSingly(
        _ messages: [NotifierMessage], view: ControlView, routes: [DeliveryRoute], now: Date,
        copy: @escaping @Sendable (NotifierMessage) -> MessageCopy
    ) async throws(UploadError) -> SingleRecording {
        // One transaction with a savepoint for each message waits for the disk only once.
        try await write { [rows] db in
            try self.checkTables(db)
            var recording = SingleRecording()
            for message in messages {
                let failure = try Self.attempt(in: db) {
                    recording.owed += try Self.record(
                        [message], in: LedgerBatch(db, rows, view: view, routes: routes, now: now))
                }
                guard let failure else { continue }
                let what = message.job.map { "a message of job \($0)" } ?? "a message"
                let reason = "the ledger cannot record \(what): \(LedgerFailure.words(for: failure))"
                let kept = copy(message)
                try UnreadableRows.keep(kept.body, reason: reason, kept.envelope, at: now, in: db)
                recording.refusals.append(SingleRecording.Refusal(job: message.job, reason: reason))
            }
            return recording
        }
    }

    /// Runs a step, and rolls its changes back if it fails.
    /// - Returns: the failure, if it is the fault of the step's own message or job.
    /// - Throws: failures of the database as a whole.
    static func attempt(in db: Database, _ step: () throws -> Void) throws -> (any Error)? {
        do {
            try db.inSavepoint {
                try step()
                return .commit
            }
            return nil
        } catch  where LedgerFailure.isOfOne(error) {
            return error
        }
    }

    public func order(
        _ verb: Verb, of job: JobID, view: ControlView, routes: [DeliveryRoute], now: Date
    ) async throws(UploadError) -> [OwedAction] {
        try await write { [rows] db in
            var batch = LedgerBatch(db, rows, view: view, routes: routes, now: now)
            try batch.load([job])
            try batch.order(verb, of: job)
            try batch.save()
            return batch.owed
        }
    }

    public func owed() async throws(UploadError) -> [OwedAction] {
        try await write { [rows] db in
            var owed: [OwedAction] = []
            for row in try Row.fetchAll(
                db,
                sql: """
                    SELECT owed.id, owed.job, owed.body, jobs.id AS known, jobs.record
                    FROM owed LEFT JOIN jobs ON jobs.id = owed.job ORDER BY owed.id
                    """)
            {
                do throws(DamagedRow) {
                    if let action = try Self.owed(row, in: db) {
                        owed.append(action)
                        continue
                    }
                } catch {
                    rows.say(error)
                    try Self.setAside(row, error, in: db)
                }
                try db.execute(sql: "DELETE FROM owed WHERE id = ?", arguments: [row["id"] as Int64])
            }
            return owed
        }
    }

    /// - Returns: nil for an action that a later event has made needless.
    private static func owed(_ row: Row, in db: Database) throws(DamagedRow) -> OwedAction? {
        let id: Int64 = row["id"]
        let name: String = row["job"]
        let record = try DamagedRows.value(OwedRecord.self, from: row["body"], "owed", id)
        guard let subject = JobID(name) else { throw DamagedRow("owed", "\(id)", why: "it names no job") }
        let action: IssuingAction?
        do { action = try record.action { try event($0, in: db) } } catch { throw DamagedRow("owed", "\(id)", error) }
        guard let action else { throw DamagedRow("owed", "\(id)", why: "it holds nothing to publish") }
        // Outcomes and control entries do not depend on the present state of the job.
        switch action {
        case .append, .outcome: break
        case .issue, .mark, .record, .note:
            let known: String? = row["known"]
            let job = try known.map { (known) throws(DamagedRow) in try DamagedRows.job(row["record"], id: known) }
            // Rule 3: issuing. A crash repeats from this note what was not confirmed.
            guard action.isNeeded(for: job) else { return nil }
        }
        return OwedAction(id: id, job: subject, action: action)
    }

    /// Keeps a damaged owed row for an operator: a job whose next step is lost stands still until an operator runs it anew.
    private static func setAside(_ row: Row, _ damage: DamagedRow, in db: Database) throws {
        let job: String = row["job"]
        try UnreadableRows.keep(
            row["body"],
            reason:
                "a publication that is owed for job \(job) is not made: \(damage.text); if the job stands still, issue it "
                + "anew ('uploadctl run \(job)'), then discard this",
            MessageEnvelope(messageID: job, isRedacted: true), at: Date(), in: db)
    }

    public func outlived(_ jobs: [JobID], at now: Date) async throws(UploadError) -> [JobID] {
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

    public func prune(
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
                    SELECT 1 FROM deliveries WHERE job = jobs.id AND delivered IS NULL AND given_up IS NULL)
                AND NOT EXISTS (SELECT 1 FROM owed WHERE job = jobs.id)
                """, arguments: arguments)
    }

    /// Removes old rows that are about no single job.
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
