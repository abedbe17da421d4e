import Foundation
import GRDB
import Uploads

/// The tables of the SQLite ledger in one transaction.
struct SQLiteStore: LedgerStore {
    let db: Database
    let numbers: JobNumbers
    let rows: DamagedRows
    let decoded: Ledger.Decoded
    /// Checks that the tables are there (`Ledger.checkTables`).
    let checkTables: (Database) throws -> Void

    // MARK: Jobs

    func jobs(_ ids: Set<JobID>) throws -> [JobID: StoredJob] {
        let list = try Ledger.list(ids.map(\.rawValue))
        let statement = try db.cachedStatement(
            sql: "SELECT id, seq, record FROM jobs WHERE id IN (SELECT value FROM json_each(?))")
        let found = try Row.fetchCursor(statement, arguments: [list])
        var jobs: [JobID: StoredJob] = [:]
        jobs.reserveCapacity(ids.count)
        while let row = try found.next() {
            let name: String = row["id"]
            guard let id = JobID(name), jobs[id] == nil else { continue }
            numbers.note(row["seq"], of: id.rawValue)
            jobs[id] = stored(row["record"], id: name)
        }
        return jobs
    }

    /// - Parameter id: the id from the row's own column.
    func stored(_ record: Data, id: String) -> StoredJob {
        if let known = decoded.jobs.value(of: id, record) { return .job(known) }
        do throws(DamagedRow) {
            return .job(try DamagedRows.job(record, id: id))
        } catch {
            rows.say(error)
            return .damaged(error)
        }
    }

    func originalOrder(of job: JobID) throws -> UploadJob? { try JobRow.whole(of: job, in: db) }

    func heldJobs(of queue: QueueName, hasWorker: Bool, now: Date, limit: Int) throws -> [JobID] {
        try HoldRows(db: db).due(of: queue, hasWorker: hasWorker, now: now, limit: limit)
    }

    // MARK: Outcomes and apps

    func event(_ id: String, of job: JobID) throws -> UploadEvent? { try event(id, of: job.rawValue) }

    /// - Parameter job: the text in a row, which may be damaged.
    private func event(_ id: String, of job: String) throws -> UploadEvent? {
        let row = try Row.fetchOne(
            db.cachedStatement(
                sql: "SELECT seq, body FROM events WHERE job = (SELECT seq FROM jobs WHERE id = ?) AND name = ?"),
            arguments: [job, RowEventID.stored(id, of: job)])
        return try row.map { try event($0["body"], $0["seq"]) }
    }

    private func event(_ body: Data, _ sequence: Int64) throws -> UploadEvent {
        try decoded.events.value(of: sequence, body)
            ?? DamagedRows.value(UploadEvent.self, from: body, "events", sequence)
    }

    func untold(of job: JobID) throws -> UntoldNews? {
        let delegate = try String.fetchOne(
            db.cachedStatement(
                sql: """
                    SELECT delegate FROM deliveries WHERE job = (SELECT seq FROM jobs WHERE id = ?) AND delivered IS NULL AND given_up IS NULL
                    ORDER BY id LIMIT 1
                    """), arguments: [job.rawValue])
        if let delegate { return .delivery(delegate: delegate) }
        let isOwed = try Bool.fetchOne(
            db.cachedStatement(sql: "SELECT EXISTS (SELECT 1 FROM owed WHERE job = ?)"), arguments: [job.rawValue])
        return isOwed == true ? .publication : nil
    }

    func registration(of delegate: String) throws -> RegistrationPhase {
        let row = try Row.fetchOne(
            db.cachedStatement(sql: "SELECT removed FROM registered WHERE name = ?"), arguments: [delegate])
        return row.map { $0["removed"] as Double? == nil ? .registered : .removed } ?? .unknown
    }

    func registrationCount(prefix: String) throws -> Int {
        try Int.fetchOne(
            db.cachedStatement(sql: "SELECT count(*) FROM registered WHERE substr(name, 1, ?) = ?"),
            arguments: [prefix.count, prefix]) ?? 0
    }

    // MARK: Owed actions and orders

    func owed() throws -> [StoredOwedAction] {
        try Row.fetchAll(
            db,
            sql: """
                SELECT owed.id, owed.job, owed.body, jobs.id AS known, jobs.record
                FROM owed LEFT JOIN jobs ON jobs.id = owed.job ORDER BY owed.id
                """
        ).map { row in
            let id: OwedAction.ID = row["id"]
            let body: Data = row["body"]
            let action: Result<IssuingAction?, DamagedRow>
            do {
                let record = try DamagedRows.value(OwedRecord.self, from: body, "owed", id)
                action = .success(try record.action { try event($0, of: row["job"] as String) })
            } catch {
                action = .failure(error as? DamagedRow ?? DamagedRow("owed", "\(id)", error))
            }
            let known = (row["known"] as String?).map { stored(row["record"], id: $0) }
            return StoredOwedAction(id: id, job: row["job"], action: action, known: known, body: body)
        }
    }

    func strikeOff(_ ids: [OwedAction.ID]) throws {
        guard !ids.isEmpty else { return }
        try db.cachedStatement(sql: "DELETE FROM owed WHERE id IN (SELECT value FROM json_each(?))")
            .execute(arguments: [try Ledger.list(ids)])
    }

    func progress(of order: UUID) throws -> OrderProgress? {
        try Data.fetchOne(
            db.cachedStatement(sql: "SELECT progress FROM orders WHERE id = ?"), arguments: [order.text]
        ).map { try WireJSON.decode(OrderProgress.self, from: $0) }
    }

    // MARK: Attempts

    func attempt(_ step: () throws -> Void) throws -> String? {
        try checkTables(db)
        do {
            try db.inSavepoint {
                try step()
                return .commit
            }
            return nil
        } catch  where LedgerFailure.isOfOne(error) {
            numbers.forget()
            return LedgerFailure.words(for: error)
        }
    }

    func report(_ damage: DamagedRow) { rows.say(damage) }
}
