import Foundation
import GRDB
import Uploads

/// The schema as a list of migrations, in their order. A migration that was shipped is never changed.
enum LedgerSchema {
    /// "LngS": marks the file as a ledger (https://sqlite.org/pragma.html#pragma_application_id).
    static let applicationID = 0x4C6E_6753

    /// - Parameter isForCopy: whether the ledger may be an unfinished copy.
    static func bringUpToDate(_ pool: DatabasePool, path: String, isForCopy: Bool = false) throws {
        try pool.read { db in
            // GRDB makes the list of migrations before the first migration; after a full disk the file may hold nothing else.
            let tables =
                try Int.fetchOne(db, sql: "SELECT count(*) FROM sqlite_master WHERE tbl_name <> 'grdb_migrations'") ?? 0
            let isNew = try tables == 0 && Int.fetchOne(db, sql: "PRAGMA application_id") == 0
            guard try isNew || isLedger(db) else {
                throw UploadError(
                    .misconfigured, "\(path) is a database, but no ledger; name another file for the ledger")
            }
            guard try isForCopy || !isUnfinishedCopy(db) else { throw LedgerCopy.unfinished(path) }
            guard try !migrator.hasBeenSuperseded(db) else {
                throw UploadError(
                    .misconfigured,
                    "the ledger \(path) was written by a newer version; update this program or name another ledger")
            }
        }
        try migrator.migrate(pool)
    }

    static func isLedger(_ db: Database) throws -> Bool {
        try Int.fetchOne(db, sql: "PRAGMA application_id") == applicationID
    }

    /// Whether a copy fills the ledger and has not ended (`SQLiteCopyDestination`).
    static func isUnfinishedCopy(_ db: Database) throws -> Bool { try db.tableExists("copying") }

    /// The definitions of all tables, indexes and triggers.
    static func objects(_ db: Database) throws -> Set<String> {
        try Set(
            String.fetchAll(
                db,
                sql:
                    "SELECT type || ' ' || name || ' ' || coalesce(sql, '') FROM sqlite_master WHERE name NOT LIKE 'sqlite_%'"
            ))
    }

    static var migrator: DatabaseMigrator {
        var migrator = DatabaseMigrator()
        migrator.registerMigration("1") { db in
            try db.execute(sql: "PRAGMA application_id = \(applicationID)")
            try db.execute(sql: first)
        }
        migrator.registerMigration("2") { db in try db.execute(sql: second) }
        migrator.registerMigration("orders") { db in try db.execute(sql: orders) }
        migrator.registerMigration("line") { db in try db.execute(sql: line) }
        migrator.registerMigration("deliveries") { db in try db.execute(sql: deliveries) }
        migrator.registerMigration("queries", migrate: LedgerSchema.addQueries)
        migrator.registerMigration("staged") { db in try db.execute(sql: staged) }
        migrator.registerMigration("registered") { db in try db.execute(sql: registered) }
        migrator.registerMigration("replay") { db in try db.execute(sql: replay) }
        migrator.registerMigration("sized") { db in try db.execute(sql: sized) }
        migrator.registerMigration("wholes") { db in try db.execute(sql: wholes) }
        migrator.registerMigration("texts") { db in try db.execute(sql: texts) }
        migrator.registerMigration("holds") { db in try db.execute(sql: holds) }
        migrator.registerMigration("sums") { db in try db.execute(sql: LedgerSums.columns + LedgerSums.triggers) }
        migrator.registerMigration("counts") { db in try db.execute(sql: LedgerSums.triggers) }
        migrator.registerMigration("forgotten") { db in try db.execute(sql: forgotten) }
        migrator.registerMigration("identity") { db in
            try db.execute(sql: identity)
            try db.execute(
                sql: "INSERT INTO identity (id, opening) VALUES (?, ?)", arguments: [UUID().text, UUID().text])
        }
        migrator.registerMigration("bytes") { db in try db.execute(sql: bytes) }
        migrator.registerMigration("numbers") { db in try db.execute(sql: numbers) }
        migrator.registerMigration("places") { db in try db.execute(sql: places) }
        migrator.registerMigration("tallies") { db in try db.execute(sql: tallies) }
        migrator.registerMigration("facts", migrate: LedgerSchema.addFacts)
        migrator.registerMigration("hours") { db in try db.execute(sql: hours) }
        migrator.registerMigration("audit") { db in try db.execute(sql: audit) }
        migrator.registerMigration("ahead") { db in
            try db.execute(sql: "CREATE INDEX jobs_ahead ON jobs (enqueued, seq) WHERE \(JobsAhead.condition)")
        }
        return migrator
    }

    /// What operators have ordered. Its numbers are never given twice, since pages go by them.
    private static let audit = """
        CREATE TABLE audit (
            id INTEGER PRIMARY KEY AUTOINCREMENT,
            order_id TEXT NOT NULL UNIQUE,
            at REAL NOT NULL,
            by TEXT NOT NULL,
            verb TEXT NOT NULL,
            subject TEXT NOT NULL,
            job TEXT,
            matched INTEGER NOT NULL,
            done INTEGER,
            reason TEXT
        ) STRICT;
        """

    /// The jobs that ended in each hour, so that a month's history reads no minutes.
    private static let hours = """
        CREATE TABLE throughput_hours (
            queue TEXT NOT NULL,
            hour INTEGER NOT NULL,
            completed INTEGER NOT NULL,
            failed INTEGER NOT NULL,
            cancelled INTEGER NOT NULL,
            bytes INTEGER NOT NULL,
            over INTEGER NOT NULL DEFAULT 0,
            PRIMARY KEY (queue, hour)
        ) STRICT, WITHOUT ROWID;
        \(LedgerSums.hoursOfMinutes)
        """

    /// Tallies and throughput are kept by the code that writes the rows of jobs (`JobTallies`), not by triggers any more, except when
    /// jobs are removed.
    private static let tallies = """
        DROP TRIGGER jobs_added;
        DROP TRIGGER jobs_ended_at_once;
        DROP TRIGGER jobs_moved;
        DROP TRIGGER jobs_ended;
        DROP TRIGGER jobs_sized;
        """

    /// Events and deliveries that name their jobs by the numbers of the jobs' rows, and deliveries that name their events by number, where
    /// they repeated ids of 36 to 60 bytes in tables and indexes. `name` and `outcome` are in the form of `RowEventID`. 0 is a row that is
    /// missing. An index by job and name finds the events of a job and an event by its id.
    ///
    /// SQLite gives the number of a removed row again, so a job's events and deliveries go with its row, also when an operator deletes that.
    /// Only the newest event of all stays, as an event of no job, until there is a newer one: a reader of the stream that has seen its number
    /// would miss another event with that number.
    private static let places = """
        CREATE TABLE events_placed (
            seq INTEGER PRIMARY KEY,
            job INTEGER NOT NULL,
            name TEXT NOT NULL,
            kind TEXT NOT NULL,
            queue TEXT NOT NULL,
            body BLOB NOT NULL,
            UNIQUE (job, name)
        ) STRICT;
        INSERT INTO events_placed (seq, job, name, kind, queue, body)
        SELECT events.seq, coalesce(jobs.seq, 0), \(name("events.id")), events.kind, events.queue, body
        FROM events LEFT JOIN jobs ON jobs.id = events.job ORDER BY events.seq;

        CREATE TABLE deliveries_placed (
            id INTEGER PRIMARY KEY AUTOINCREMENT,
            delegate TEXT NOT NULL,
            outcome TEXT NOT NULL,
            job INTEGER NOT NULL,
            event INTEGER NOT NULL,
            attempts INTEGER NOT NULL DEFAULT 0,
            due REAL NOT NULL,
            delivered REAL,
            error TEXT,
            created REAL NOT NULL,
            failing REAL,
            given_up REAL,
            UNIQUE (job, outcome, delegate)
        ) STRICT;
        INSERT INTO deliveries_placed
        SELECT deliveries.id, delegate, \(name("outcome")), coalesce(jobs.seq, 0), coalesce(events.seq, 0), attempts, due,
        delivered, error, created, failing, given_up
        FROM deliveries LEFT JOIN jobs ON jobs.id = deliveries.job LEFT JOIN events ON events.id = deliveries.event
        ORDER BY deliveries.id;
        DELETE FROM sqlite_sequence WHERE name = 'deliveries_placed';
        INSERT INTO sqlite_sequence (name, seq)
        SELECT 'deliveries_placed', seq FROM sqlite_sequence WHERE name = 'deliveries';

        DROP TABLE events;
        DROP TABLE deliveries;
        ALTER TABLE events_placed RENAME TO events;
        ALTER TABLE deliveries_placed RENAME TO deliveries;
        CREATE INDEX deliveries_due ON deliveries (delegate, due) WHERE delivered IS NULL AND given_up IS NULL;
        CREATE INDEX deliveries_given_up ON deliveries (delegate) WHERE given_up IS NOT NULL;
        CREATE INDEX deliveries_delivered ON deliveries (delegate, delivered) WHERE delivered IS NOT NULL;
        CREATE INDEX deliveries_by_delegate ON deliveries (delegate);

        CREATE TRIGGER jobs_removed AFTER DELETE ON jobs BEGIN
            DELETE FROM deliveries WHERE job = old.seq;
            DELETE FROM events WHERE job = 0 AND seq < (SELECT max(seq) FROM events);
            UPDATE events SET job = 0, name = '' WHERE job = old.seq AND seq = (SELECT max(seq) FROM events);
            DELETE FROM events WHERE job = old.seq;
        END;
        """

    /// SQL for an id in the form of `RowEventID`.
    private static func name(_ id: String) -> String {
        """
        iif(substr(\(id), 1, length(jobs.id)) = jobs.id AND substr(\(id), length(jobs.id) + 1, 1) NOT IN ('', '='),
        substr(\(id), length(jobs.id) + 1), '=' || \(id))
        """
    }

    /// Deliveries whose numbers are never given twice: an attempt may end after its delivery was struck off, and must not settle another
    /// one. The key begins with the job, so that it also finds the deliveries of a job. The index by delegate has them in the order of their
    /// numbers, in which they are listed.
    private static let numbers = """
        CREATE TABLE deliveries_numbered (
            id INTEGER PRIMARY KEY AUTOINCREMENT,
            delegate TEXT NOT NULL,
            outcome TEXT NOT NULL,
            job TEXT NOT NULL,
            event TEXT NOT NULL,
            attempts INTEGER NOT NULL DEFAULT 0,
            due REAL NOT NULL,
            delivered REAL,
            error TEXT,
            created REAL NOT NULL,
            failing REAL,
            given_up REAL,
            UNIQUE (job, outcome, delegate)
        ) STRICT;
        INSERT INTO deliveries_numbered
        SELECT id, delegate, outcome, job, event, attempts, due, delivered, error, created, failing, given_up
        FROM deliveries ORDER BY id;
        DROP TABLE deliveries;
        ALTER TABLE deliveries_numbered RENAME TO deliveries;
        CREATE INDEX deliveries_due ON deliveries (delegate, due) WHERE delivered IS NULL AND given_up IS NULL;
        CREATE INDEX deliveries_given_up ON deliveries (delegate) WHERE given_up IS NOT NULL;
        CREATE INDEX deliveries_delivered ON deliveries (delegate, delivered) WHERE delivered IS NOT NULL;
        CREATE INDEX deliveries_by_delegate ON deliveries (delegate);
        """

    /// Completed jobs lose their inline bytes, which have arrived. A row that is no JSON stays as it is.
    private static let bytes = """
        CREATE TEMPORARY TABLE arrived AS
        SELECT seq FROM jobs WHERE status = 'completed' AND CASE WHEN json_valid(CAST(record AS TEXT))
        THEN json_extract(CAST(record AS TEXT), '$.baton.job.source.kind') = 'inline'
        AND json_extract(CAST(record AS TEXT), '$.baton.job.size') > 0 END;
        UPDATE jobs SET record = CAST(json_set(CAST(record AS TEXT), '$.isWhole', json('false')) AS BLOB)
        WHERE seq IN (SELECT seq FROM arrived);
        DELETE FROM wholes WHERE job IN (SELECT seq FROM arrived);
        DROP TABLE arrived;
        """

    /// The time at which a job's names were forgotten. The index finds these jobs without reading their rows, in which the column comes
    /// after the record.
    private static let forgotten = """
        ALTER TABLE jobs ADD COLUMN forgotten REAL;
        CREATE INDEX jobs_forgotten ON jobs (id) WHERE forgotten IS NOT NULL;
        """

    /// The identity of the ledger, in one row that all its copies have. `opening` is the last opening that the control log has, `pending`
    /// one that it may have.
    private static let identity = """
        CREATE TABLE identity (
            one INTEGER PRIMARY KEY DEFAULT 1 CHECK (one = 1),
            id TEXT NOT NULL,
            opening TEXT NOT NULL,
            pending TEXT
        ) STRICT;
        """

    /// Jobs whose message the broker has lost, which the notifier issues anew when `due` has come. Wishes from before this migration do not
    /// say whether the job had begun.
    private static let holds = """
        CREATE TABLE holds (
            job TEXT NOT NULL PRIMARY KEY,
            queue TEXT NOT NULL,
            due REAL NOT NULL,
            needs_worker INTEGER NOT NULL
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX holds_by_queue ON holds (queue, due);
        UPDATE jobs SET record = CAST(json_set(CAST(record AS TEXT), '$.wish.isBegun', json('false')) AS BLOB)
        WHERE json_extract(CAST(record AS TEXT), '$.wish.marker') IS NOT NULL;
        """

    /// The texts by which jobs are found are indexed by the code that writes their rows (`JobTexts`), not by triggers any more.
    private static let texts = """
        DROP TRIGGER jobs_added;
        CREATE TRIGGER jobs_added AFTER INSERT ON jobs BEGIN
            INSERT INTO tallies VALUES (new.queue, new.destination, new.status, 1, new.size)
            ON CONFLICT DO UPDATE SET jobs = jobs + 1, bytes = bytes + excluded.bytes;
        END;
        DROP TRIGGER jobs_retold;
        DROP TRIGGER jobs_forgotten;
        CREATE TRIGGER jobs_forgotten AFTER DELETE ON jobs BEGIN
            UPDATE tallies SET jobs = jobs - 1, bytes = bytes - old.size
            WHERE queue = old.queue AND destination = old.destination AND status = old.status;
        END;
        """

    /// The original orders of jobs whose `record` shows them redacted, in a table of their own: an order may carry a whole file, and SQLite
    /// rewrites a whole row when any part of it changes.
    private static let wholes = """
        CREATE TABLE wholes (
            job INTEGER PRIMARY KEY REFERENCES jobs (seq) ON DELETE CASCADE,
            body BLOB NOT NULL
        ) STRICT;
        INSERT INTO wholes (job, body) SELECT seq, whole FROM jobs WHERE whole IS NOT NULL;
        ALTER TABLE jobs DROP COLUMN whole;
        """

    /// Delegates that were registered at run time. `definition` holds their secrets.
    private static let registered = """
        CREATE TABLE registered (
            name TEXT NOT NULL PRIMARY KEY,
            definition BLOB NOT NULL,
            created REAL NOT NULL,
            changed REAL NOT NULL,
            removed REAL
        ) STRICT, WITHOUT ROWID;
        """

    /// An object at a destination has no size before a worker has examined it.
    private static let sized = """
        CREATE TRIGGER jobs_sized AFTER UPDATE OF size ON jobs
        WHEN new.size <> old.size AND new.status = old.status BEGIN
            UPDATE tallies SET bytes = bytes - old.size + new.size
            WHERE queue = new.queue AND destination = new.destination AND status = new.status;
        END;
        """

    /// Dead letters with the data to publish them again, which letters from before this migration lack. A number is never given
    /// twice, since a letter that comes back names the letter that it was.
    private static let replay = """
        ALTER TABLE unreadable RENAME TO unreadable_before;
        CREATE TABLE unreadable (
            id INTEGER PRIMARY KEY AUTOINCREMENT,
            at REAL NOT NULL,
            reason TEXT NOT NULL,
            digest BLOB NOT NULL,
            body BLOB NOT NULL,
            size INTEGER NOT NULL,
            envelope BLOB,
            replayed REAL,
            replayed_by TEXT
        ) STRICT;
        INSERT INTO unreadable (id, at, reason, digest, body, size)
        SELECT id, at, reason, digest, body, length(body) FROM unreadable_before;
        DROP TABLE unreadable_before;
        CREATE UNIQUE INDEX unreadable_once ON unreadable (digest) WHERE replayed IS NULL;
        """

    /// Jobs by the staged copies that they name, for the clean-up of staging areas. The index of delivered outcomes has no entries for
    /// others any more, so that recording an outcome updates one index less.
    private static let staged = """
        ALTER TABLE jobs ADD COLUMN staged TEXT;
        UPDATE jobs SET staged = json_extract(CAST(record AS TEXT), '$.baton.job.source.name')
        WHERE json_extract(CAST(record AS TEXT), '$.baton.job.source.area') IS NOT NULL;
        CREATE INDEX jobs_by_staged ON jobs (staged) WHERE staged IS NOT NULL;

        DROP INDEX deliveries_delivered;
        CREATE INDEX deliveries_delivered ON deliveries (delegate, delivered) WHERE delivered IS NOT NULL;
        """

    /// Serial lines: the jobs of a line, in the order of their numbers; a released job has no number.
    private static let line = """
        CREATE TABLE line (
            job TEXT NOT NULL PRIMARY KEY,
            queue TEXT NOT NULL,
            number INTEGER
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX line_by_number ON line (queue, number);
        """

    /// The delivery log, deliveries that were given up, and pauses by an operator. `created` is the time at which the outcome was recorded,
    /// `failing` the time at which the first attempt failed.
    private static let deliveries = """
        ALTER TABLE deliveries ADD COLUMN created REAL NOT NULL DEFAULT 0;
        UPDATE deliveries SET created = coalesce(delivered, due);
        ALTER TABLE deliveries ADD COLUMN failing REAL;
        ALTER TABLE deliveries ADD COLUMN given_up REAL;
        DROP INDEX deliveries_due;
        CREATE INDEX deliveries_due ON deliveries (delegate, due) WHERE delivered IS NULL AND given_up IS NULL;
        CREATE INDEX deliveries_given_up ON deliveries (delegate) WHERE given_up IS NOT NULL;
        CREATE INDEX deliveries_delivered ON deliveries (delegate, delivered);
        CREATE INDEX deliveries_created ON deliveries (delegate, created);

        ALTER TABLE delegates ADD COLUMN held INTEGER NOT NULL DEFAULT 0;

        CREATE TABLE attempts (
            id INTEGER PRIMARY KEY,
            delivery INTEGER NOT NULL REFERENCES deliveries (id) ON DELETE CASCADE,
            at REAL NOT NULL,
            seconds REAL NOT NULL,
            status INTEGER,
            answer TEXT,
            error TEXT
        ) STRICT;
        CREATE INDEX attempts_by_delivery ON attempts (delivery, id);
        """

    /// Operators' orders by their ids, so that an order that comes again changes nothing.
    private static let orders = """
        CREATE TABLE orders (
            id TEXT NOT NULL PRIMARY KEY,
            at REAL NOT NULL,
            body BLOB NOT NULL,
            progress BLOB NOT NULL
        ) STRICT, WITHOUT ROWID;
        """

    /// Jobs by the keys of their objects: for the sweep of unfinished uploads, which a destination lists by key.
    private static let second = """
        ALTER TABLE jobs ADD COLUMN key TEXT;
        UPDATE jobs SET key = json_extract(CAST(record AS TEXT), '$.baton.job.destination.key');
        CREATE INDEX jobs_by_key ON jobs (destination, key);
        """

    private static let first = """
        CREATE TABLE jobs (
            id TEXT NOT NULL PRIMARY KEY,
            queue TEXT NOT NULL,
            destination TEXT NOT NULL,
            status TEXT NOT NULL,
            since REAL NOT NULL,
            record BLOB NOT NULL,
            whole BLOB
        ) STRICT;
        CREATE INDEX jobs_by_status ON jobs (status, since);

        CREATE TABLE events (
            seq INTEGER PRIMARY KEY,
            id TEXT NOT NULL UNIQUE,
            job TEXT NOT NULL,
            body BLOB NOT NULL
        ) STRICT;
        CREATE INDEX events_by_job ON events (job);

        CREATE TABLE deliveries (
            id INTEGER PRIMARY KEY,
            delegate TEXT NOT NULL,
            outcome TEXT NOT NULL,
            job TEXT NOT NULL,
            event TEXT NOT NULL,
            attempts INTEGER NOT NULL DEFAULT 0,
            due REAL NOT NULL,
            delivered REAL,
            error TEXT,
            UNIQUE (outcome, delegate)
        ) STRICT;
        CREATE INDEX deliveries_due ON deliveries (delegate, due) WHERE delivered IS NULL;
        CREATE INDEX deliveries_by_job ON deliveries (job);

        CREATE TABLE delegates (
            name TEXT NOT NULL PRIMARY KEY,
            paused REAL NOT NULL,
            reason TEXT NOT NULL
        ) STRICT, WITHOUT ROWID;

        CREATE TABLE owed (
            id INTEGER PRIMARY KEY AUTOINCREMENT,
            job TEXT NOT NULL,
            body BLOB NOT NULL
        ) STRICT;
        CREATE INDEX owed_by_job ON owed (job);

        CREATE TABLE unreadable (
            id INTEGER PRIMARY KEY,
            at REAL NOT NULL,
            reason TEXT NOT NULL,
            digest BLOB NOT NULL UNIQUE,
            body BLOB NOT NULL
        ) STRICT;
        """
}
