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
                (id, queue, destination, key, status, since, enqueued, size, batch, idempotency, staged, text, record,
                whole)
                VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
                """
        ).execute(arguments: [
            job.id.rawValue, order.queue.rawValue, order.destination.label, order.destination.key, job.status.rawValue,
            job.since.timeIntervalSince1970, order.enqueuedAt.milliseconds, order.size, order.batch,
            order.idempotencyKey, order.source.stagedName, SearchText.of(job), try WireJSON.encode(job), whole,
        ])
    }

    /// Writes what may change. What is indexed and cannot change stays out of it, for SQLite writes the index of every column
    /// that is named.
    /// - Parameter whole: nil leaves what is there.
    static func update(_ job: LedgerJob, whole: Data?, in db: Database) throws {
        try db.cachedStatement(
            sql: """
                UPDATE jobs SET status = ?, since = ?, size = ?, text = ?, record = ?, whole = coalesce(?, whole)
                WHERE id = ?
                """
        ).execute(arguments: [
            job.status.rawValue, job.since.timeIntervalSince1970, job.baton.job.size, SearchText.of(job),
            try WireJSON.encode(job), whole, job.id.rawValue,
        ])
    }
}

extension SourceReference {
    fileprivate var stagedName: String? { if case .staged(_, let name) = self { name } else { nil } }
}

extension DestinationReference {
    fileprivate var key: String? { if case .named(_, let key) = self { key } else { nil } }
}
