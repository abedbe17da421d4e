import Foundation
import GRDB
import Uploads

/// How a job stands in its table.
enum JobRow {
    static func insert(_ job: LedgerJob, whole: Data?, in db: Database) throws {
        let order = job.baton.job
        try db.cachedStatement(
            sql: """
                INSERT INTO jobs
                (id, queue, destination, key, status, since, enqueued, size, batch, idempotency, staged, text, record)
                VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
                """
        ).execute(arguments: [
            job.id.rawValue, order.queue.rawValue, order.destination.label, order.destination.key, job.status.rawValue,
            job.since.timeIntervalSince1970, order.enqueuedAt.milliseconds, order.size, order.batch,
            order.idempotencyKey, order.source.stagedName, SearchText.of(job), try WireJSON.encode(job),
        ])
        if let whole { try keep(whole, of: job.id, in: db) }
    }

    /// Writes what may change. What is indexed and cannot change stays out of it, for SQLite writes the index of every column
    /// that is named.
    /// - Parameter whole: the order as it was given, when that was just learned.
    static func update(_ job: LedgerJob, whole: Data?, in db: Database) throws {
        try db.cachedStatement(
            sql: """
                UPDATE jobs SET status = ?, since = ?, size = ?, text = ?, record = ? WHERE id = ?
                """
        ).execute(arguments: [
            job.status.rawValue, job.since.timeIntervalSince1970, job.baton.job.size, SearchText.of(job),
            try WireJSON.encode(job), job.id.rawValue,
        ])
        if let whole { try keep(whole, of: job.id, in: db) }
    }

    /// The order as it was given, where it is kept beside the row.
    static func whole(of id: JobID, in db: Database) throws -> UploadJob? {
        try Data.fetchOne(
            db.cachedStatement(sql: "SELECT body FROM wholes JOIN jobs ON seq = job WHERE id = ?"),
            arguments: [id.rawValue]
        ).map { try WireJSON.decode(UploadJob.self, from: $0) }
    }

    private static func keep(_ whole: Data, of id: JobID, in db: Database) throws {
        try db.cachedStatement(sql: "INSERT OR IGNORE INTO wholes (job, body) SELECT seq, ? FROM jobs WHERE id = ?")
            .execute(arguments: [whole, id.rawValue])
    }
}

extension SourceReference {
    fileprivate var stagedName: String? { if case .staged(_, let name) = self { name } else { nil } }
}

extension DestinationReference {
    fileprivate var key: String? { if case .named(_, let key) = self { key } else { nil } }
}
