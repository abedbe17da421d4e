import Foundation
import GRDB
import Uploads

/// Reads and writes the rows of jobs.
enum JobRow {
    /// Adds a job.
    /// - Parameter whole: the original order, if the row shows it redacted.
    /// - Returns: the number of the row, and the record.
    @discardableResult
    static func insert(
        _ job: LedgerJob, whole: Data?, _ derived: inout DerivedRows, in db: Database
    ) throws -> (row: Int64, record: Data) {
        let order = job.baton.job
        let text = SearchText.of(job)
        let record = RowText.stored(try WireJSON.encode(job))
        try db.cachedStatement(
            sql: """
                INSERT INTO jobs
                (id, queue, destination, key, status, since, enqueued, size, batch, idempotency, staged, text, record, code,
                client, keeps_pause)
                VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
                """
        ).execute(arguments: [
            job.id.rawValue, order.queue.rawValue, order.destination.label, order.destination.key, job.status.rawValue,
            job.since.timeIntervalSince1970, order.enqueuedAt.milliseconds, order.size, order.batch,
            order.idempotencyKey, order.source.stagedName, text, record, job.failureCode?.description, order.client,
            job.keepsPause,
        ])
        let row = db.lastInsertedRowID
        derived.texts.add(text, of: row)
        derived.tallies.move(job, from: nil)
        if let whole { try keep(whole, of: row, in: db) }
        return (row, record)
    }

    /// Writes the columns that may change. Indexed columns that cannot change are left out, since SQLite writes the index of every column
    /// that the statement names.
    /// - Parameter whole: the original order, if it has just become known.
    /// - Returns: the record.
    @discardableResult
    static func update(
        _ row: Int64, _ job: LedgerJob, from before: LedgerJob, whole: Data?, _ derived: inout DerivedRows,
        in db: Database
    ) throws -> Data {
        if !SearchText.isSame(of: before, job) { try rewriteText(of: job, row, &derived.texts, in: db) }
        try movePlace(of: job, row, from: before, in: db)
        derived.tallies.move(job, from: before)
        let record = RowText.stored(try WireJSON.encode(job))
        try db.cachedStatement(
            sql: "UPDATE jobs SET status = ?, since = ?, size = ?, record = ?, code = ?, keeps_pause = ? WHERE seq = ?"
        ).execute(arguments: [
            job.status.rawValue, job.since.timeIntervalSince1970, job.baton.job.size, record,
            job.failureCode?.description, job.keepsPause, row,
        ])
        if job.needsNoBytes {
            try db.cachedStatement(sql: "DELETE FROM wholes WHERE job = ?").execute(arguments: [row])
        }
        if let whole { try keep(whole, of: row, in: db) }
        return record
    }

    /// Writes queue, destination and app, which change when a job is known from an event alone, and its order names others.
    private static func movePlace(of job: LedgerJob, _ row: Int64, from before: LedgerJob, in db: Database) throws {
        guard !before.baton.hasJob(of: job.baton) else { return }
        let (old, order) = (before.baton.job, job.baton.job)
        guard
            old.queue != order.queue || old.destination.label != order.destination.label || old.client != order.client
        else { return }
        try db.cachedStatement(sql: "UPDATE jobs SET queue = ?, destination = ?, client = ? WHERE seq = ?")
            .execute(arguments: [order.queue.rawValue, order.destination.label, order.client, row])
    }

    /// Writes the text by which the job is found, and the key under which its object is stored.
    private static func rewriteText(
        of job: LedgerJob, _ row: Int64, _ texts: inout JobTexts, in db: Database
    ) throws {
        let text = SearchText.of(job)
        let old = try String.fetchOne(
            db.cachedStatement(sql: "SELECT text FROM jobs WHERE seq = ? AND text <> ?"), arguments: [row, text])
        guard let old else { return }
        texts.replace(old, with: text, of: row)
        try db.cachedStatement(sql: "UPDATE jobs SET text = ? WHERE seq = ?").execute(arguments: [text, row])
        // A later message may name another key under which the object is stored.
        try db.cachedStatement(sql: "UPDATE jobs SET key = ?1 WHERE seq = ?2 AND key IS NOT ?1")
            .execute(arguments: [job.baton.job.destination.key, row])
    }

    /// Writes the columns that change only when the job's names are forgotten, or become known again.
    static func rename(_ job: LedgerJob, in db: Database) throws {
        let (order, isForgotten) = (job.baton.job, job.forgottenAt != nil)
        try db.cachedStatement(
            sql: "UPDATE jobs SET key = ?, batch = ?, idempotency = ?, staged = ?, forgotten = ? WHERE id = ?"
        ).execute(arguments: [
            isForgotten ? nil : order.destination.key, order.batch, order.idempotencyKey, order.source.stagedName,
            job.forgottenAt?.timeIntervalSince1970, job.id.rawValue,
        ])
    }

    /// Removes jobs, with all their records (the trigger `jobs_removed`).
    static func remove(_ ids: [String], in db: Database) throws {
        let list = try Ledger.list(ids)
        try JobTexts.remove(list, in: db)
        try stripNewestEvent(of: ids, in: db)
        try db.cachedStatement(sql: "DELETE FROM jobs WHERE id IN (SELECT value FROM json_each(?))")
            .execute(arguments: [list])
    }

    /// The newest event of all outlives its job until there is a newer one, without names, metadata and errors.
    private static func stripNewestEvent(of ids: [String], in db: Database) throws {
        let newest = try Row.fetchOne(
            db.cachedStatement(
                sql: """
                    SELECT events.seq, id, body FROM events JOIN jobs ON jobs.seq = job
                    ORDER BY events.seq DESC LIMIT 1
                    """))
        guard let newest, ids.contains(newest["id"] as String) else { return }
        let sequence: Int64 = newest["seq"]
        guard let event = try? DamagedRows.value(UploadEvent.self, from: newest["body"], "events", sequence) else {
            return
        }
        try db.cachedStatement(sql: "UPDATE events SET body = ? WHERE seq = ?")
            .execute(arguments: [RowText.stored(try WireJSON.encode(event.forgotten)), sequence])
    }

    /// The original order, if it is kept beside the row.
    static func whole(of id: JobID, in db: Database) throws -> UploadJob? {
        try Data.fetchOne(
            db.cachedStatement(sql: "SELECT body FROM wholes JOIN jobs ON seq = job WHERE id = ?"),
            arguments: [id.rawValue]
        ).map { body in
            let order = try DamagedRows.value(UploadJob.self, from: body, "wholes", id.rawValue)
            // The order of a row that was deleted by hand may be left over, and SQLite gives the row's number again.
            guard order.id == id else { throw DamagedRow("wholes", id.rawValue, why: "it is about another job") }
            return order
        }
    }

    private static func keep(_ whole: Data, of row: Int64, in db: Database) throws {
        try db.cachedStatement(sql: "INSERT OR IGNORE INTO wholes (job, body) VALUES (?, ?)")
            .execute(arguments: [row, whole])
    }
}

extension SourceReference {
    fileprivate var stagedName: String? { if case .staged(_, let name) = self { name } else { nil } }
}

extension DestinationReference {
    fileprivate var key: String? { if case .named(_, let key) = self { key } else { nil } }
}
