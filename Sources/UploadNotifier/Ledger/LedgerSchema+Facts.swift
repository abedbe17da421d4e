import Foundation
import GRDB
import Uploads

extension LedgerSchema {
    /// Columns and indexes for what operators look for: an error, an app, jobs that ended within a time, and jobs that a pause holds.
    ///
    /// An index has all columns that a condition may need beside its own, so that counting a million jobs reads no rows. `seq` keeps its
    /// entries in the order of listings.
    static func addFacts(_ db: Database) throws {
        try db.execute(
            sql: """
                ALTER TABLE jobs ADD COLUMN code TEXT;
                ALTER TABLE jobs ADD COLUMN client TEXT;
                ALTER TABLE jobs ADD COLUMN keeps_pause INTEGER NOT NULL DEFAULT 0;
                """)
        try fillFacts(in: db)
        try db.execute(
            sql: """
                DROP INDEX jobs_by_scope;
                CREATE INDEX jobs_by_scope ON jobs (queue, destination, status, enqueued, seq, since);
                CREATE INDEX jobs_by_code ON jobs (code, destination, enqueued, seq, since, queue) WHERE code IS NOT NULL;
                CREATE INDEX jobs_by_client ON jobs (client, status, enqueued) WHERE client IS NOT NULL;
                CREATE INDEX jobs_paused ON jobs (seq) WHERE keeps_pause = 1;
                """)
    }

    private static func fillFacts(in db: Database) throws {
        var last: Int64 = 0
        let page = try db.makeStatement(
            sql: "SELECT seq, status, record FROM jobs WHERE seq > ? ORDER BY seq LIMIT 500")
        let update = try db.makeStatement(sql: "UPDATE jobs SET code = ?, client = ?, keeps_pause = ? WHERE seq = ?")
        while true {
            let rows = try Row.fetchAll(page, arguments: [last])
            for row in rows {
                last = row["seq"]
                let facts = JobFacts(record: row["record"], status: row["status"])
                guard facts != JobFacts() else { continue }
                try update.execute(arguments: [facts.code, facts.client, facts.keepsPause, last])
            }
            guard rows.count == 500 else { return }
        }
    }
}
