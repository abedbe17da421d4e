import Foundation
import GRDB
import Uploads

extension LedgerSchema {
    /// Columns, indexes and tallies for queries.
    static func addQueries(_ db: Database) throws {
        try db.execute(sql: tables)
        try moveJobs(in: db)
        try db.execute(sql: "DROP TABLE jobs_before")
        try db.execute(sql: indexes)
        try db.execute(sql: events)
    }

    /// Copies the jobs into the new table, whose triggers fill the tables that depend on it.
    private static func moveJobs(in db: Database) throws {
        var last: Int64 = 0
        let page = try db.makeStatement(
            sql: "SELECT rowid AS place, * FROM jobs_before WHERE rowid > ? ORDER BY rowid LIMIT 500")
        let insert = try db.makeStatement(
            sql: """
                INSERT INTO jobs
                (id, queue, destination, key, status, since, enqueued, size, batch, idempotency, text, record, whole)
                VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
                """)
        while true {
            let rows = try Row.fetchAll(page, arguments: [last])
            for row in rows {
                let job = try WireJSON.decode(LedgerJob.self, from: row["record"])
                let order = job.baton.job
                try insert.execute(arguments: [
                    row["id"], row["queue"], row["destination"], row["key"], row["status"], row["since"],
                    order.enqueuedAt.milliseconds, order.size, order.batch, order.idempotencyKey, SearchText.of(job),
                    row["record"], row["whole"],
                ])
                last = row["place"]
            }
            guard rows.count == 500 else { return }
        }
    }

    /// `seq` is a column, since VACUUM gives new numbers to rows without a number of their own.
    private static let tables = """
        ALTER TABLE jobs RENAME TO jobs_before;
        DROP INDEX jobs_by_status;
        DROP INDEX jobs_by_key;
        CREATE TABLE jobs (
            seq INTEGER PRIMARY KEY,
            id TEXT NOT NULL UNIQUE,
            queue TEXT NOT NULL,
            destination TEXT NOT NULL,
            key TEXT,
            status TEXT NOT NULL,
            since REAL NOT NULL,
            enqueued INTEGER NOT NULL,
            size INTEGER NOT NULL,
            batch TEXT,
            idempotency TEXT,
            text TEXT NOT NULL,
            record BLOB NOT NULL,
            whole BLOB
        ) STRICT;

        CREATE VIRTUAL TABLE jobs_text USING fts5(
            text, content = 'jobs', content_rowid = 'seq', tokenize = 'trigram case_sensitive 1', detail = none,
            columnsize = 0
        );

        CREATE TABLE tallies (
            queue TEXT NOT NULL,
            destination TEXT NOT NULL,
            status TEXT NOT NULL,
            jobs INTEGER NOT NULL,
            bytes INTEGER NOT NULL,
            PRIMARY KEY (queue, destination, status)
        ) STRICT, WITHOUT ROWID;

        CREATE TABLE throughput (
            queue TEXT NOT NULL,
            minute INTEGER NOT NULL,
            completed INTEGER NOT NULL,
            failed INTEGER NOT NULL,
            cancelled INTEGER NOT NULL,
            bytes INTEGER NOT NULL,
            PRIMARY KEY (queue, minute)
        ) STRICT, WITHOUT ROWID;

        CREATE TRIGGER jobs_added AFTER INSERT ON jobs BEGIN
            INSERT INTO jobs_text (rowid, text) VALUES (new.seq, new.text);
            INSERT INTO tallies VALUES (new.queue, new.destination, new.status, 1, new.size)
            ON CONFLICT DO UPDATE SET jobs = jobs + 1, bytes = bytes + excluded.bytes;
        END;
        CREATE TRIGGER jobs_ended_at_once AFTER INSERT ON jobs
        WHEN new.status IN ('completed', 'failed', 'cancelled') BEGIN
            \(end)
        END;
        CREATE TRIGGER jobs_moved AFTER UPDATE OF status ON jobs WHEN new.status <> old.status BEGIN
            UPDATE tallies SET jobs = jobs - 1, bytes = bytes - old.size
            WHERE queue = old.queue AND destination = old.destination AND status = old.status;
            INSERT INTO tallies VALUES (new.queue, new.destination, new.status, 1, new.size)
            ON CONFLICT DO UPDATE SET jobs = jobs + 1, bytes = bytes + excluded.bytes;
        END;
        CREATE TRIGGER jobs_ended AFTER UPDATE OF status ON jobs
        WHEN new.status <> old.status AND new.status IN ('completed', 'failed', 'cancelled') BEGIN
            \(end)
        END;
        CREATE TRIGGER jobs_retold AFTER UPDATE OF text ON jobs WHEN new.text <> old.text BEGIN
            INSERT INTO jobs_text (jobs_text, rowid, text) VALUES ('delete', old.seq, old.text);
            INSERT INTO jobs_text (rowid, text) VALUES (new.seq, new.text);
        END;
        CREATE TRIGGER jobs_forgotten AFTER DELETE ON jobs BEGIN
            INSERT INTO jobs_text (jobs_text, rowid, text) VALUES ('delete', old.seq, old.text);
            UPDATE tallies SET jobs = jobs - 1, bytes = bytes - old.size
            WHERE queue = old.queue AND destination = old.destination AND status = old.status;
        END;
        """

    private static let end = """
        INSERT INTO throughput VALUES (
            new.queue, CAST(new.since / 60 AS INTEGER), new.status = 'completed', new.status = 'failed',
            new.status = 'cancelled', iif(new.status = 'completed', new.size, 0)
        ) ON CONFLICT DO UPDATE SET completed = completed + excluded.completed, failed = failed + excluded.failed,
        cancelled = cancelled + excluded.cancelled, bytes = bytes + excluded.bytes;
        """

    private static let indexes = """
        CREATE INDEX jobs_by_status ON jobs (status, since);
        CREATE INDEX jobs_by_key ON jobs (destination, key);
        CREATE INDEX jobs_by_time ON jobs (enqueued);
        CREATE INDEX jobs_by_scope ON jobs (queue, destination, status, enqueued);
        CREATE INDEX jobs_by_batch ON jobs (batch, enqueued) WHERE batch IS NOT NULL;
        CREATE INDEX jobs_by_idempotency ON jobs (idempotency, enqueued) WHERE idempotency IS NOT NULL;
        """

    private static let events = """
        ALTER TABLE events ADD COLUMN kind TEXT NOT NULL DEFAULT '';
        ALTER TABLE events ADD COLUMN queue TEXT NOT NULL DEFAULT '';
        UPDATE events SET kind = replace(json_extract(CAST(body AS TEXT), '$.type'), 'upload.', ''),
        queue = replace(json_extract(CAST(body AS TEXT), '$.source'), '/queues/', '');
        """
}
