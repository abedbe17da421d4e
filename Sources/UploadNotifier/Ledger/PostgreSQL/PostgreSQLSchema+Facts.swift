import Foundation
import PostgreSQL
import Uploads

extension PostgreSQLSchema {
    /// Columns and indexes for what operators look for: an error, an app, and jobs that ended within a time. The triggers of the jobs are
    /// off while the columns are filled, which changes no sum.
    static let facts: [Statement] = [
        "ALTER TABLE jobs ADD COLUMN code text COLLATE \"C\"",
        "ALTER TABLE jobs ADD COLUMN client bytea",
        "ALTER TABLE jobs DISABLE TRIGGER USER",
    ]

    /// An index has the columns that a condition may need beside its own, so that an entry that does not match costs no row.
    static let factIndexes: [Statement] = [
        "ALTER TABLE jobs ENABLE TRIGGER USER",
        "DROP INDEX jobs_by_scope",
        "CREATE INDEX jobs_by_scope ON jobs (queue, destination, status, enqueued, seq, since)",
        "CREATE INDEX jobs_by_code ON jobs (code, destination, enqueued, seq, since, queue) WHERE code IS NOT NULL",
        "CREATE INDEX jobs_by_client ON jobs (sha256(client), status, enqueued, seq) WHERE client IS NOT NULL",
    ]

    static func fillFacts(in transaction: Transaction) async throws {
        var last: Int64 = 0
        while true {
            let rows = try await transaction.execute(
                "SELECT seq, status, record FROM jobs WHERE seq > \(last) ORDER BY seq LIMIT 500")
            var found: [(job: Int64, facts: JobFacts)] = []
            for row in rows {
                last = try row.get("seq")
                let facts = JobFacts(record: try row.get("record"), status: try row.get("status"))
                if facts.code != nil || facts.client != nil { found.append((last, facts)) }
            }
            if !found.isEmpty {
                try await transaction.execute(
                    """
                    UPDATE jobs SET code = new.code, client = new.client FROM unnest(\(found.map(\.job)),
                    \(found.map(\.facts.code)), \(found.map { $0.facts.client?.bytes })) AS new (seq, code, client)
                    WHERE jobs.seq = new.seq
                    """)
            }
            guard rows.count == 500 else { return }
        }
    }
}
