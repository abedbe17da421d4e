import GRDB
import Uploads

/// The tables, in the order in which they came. A migration that was shipped is never changed.
enum LedgerSchema {
    /// "LngS": marks the file as a ledger (https://sqlite.org/pragma.html#pragma_application_id).
    static let applicationID = 0x4C6E_6753

    static func bringUpToDate(_ pool: DatabasePool, path: String) throws {
        try pool.read { db in
            let id = try Int.fetchOne(db, sql: "PRAGMA application_id") ?? 0
            let tables = try Int.fetchOne(db, sql: "SELECT count(*) FROM sqlite_master") ?? 0
            guard id == applicationID || (id == 0 && tables == 0) else {
                throw UploadError(
                    .misconfigured, "\(path) is a database, but no ledger; name another file for the ledger")
            }
            guard try !migrator.hasBeenSuperseded(db) else {
                throw UploadError(
                    .misconfigured,
                    "the ledger \(path) was written by a newer version; update this program or name another ledger")
            }
        }
        try migrator.migrate(pool)
    }

    static var migrator: DatabaseMigrator {
        var migrator = DatabaseMigrator()
        migrator.registerMigration("1") { db in
            try db.execute(sql: "PRAGMA application_id = \(applicationID)")
            try db.execute(sql: first)
        }
        return migrator
    }

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
