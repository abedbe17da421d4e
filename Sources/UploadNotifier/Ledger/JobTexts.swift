import GRDB

/// Collects the changes of one transaction to the trigrams by which jobs are found (`jobs_text`), and writes them at its end.
///
/// Triggers would cost more: FTS5 begins a new segment of its index, to be merged with others later, at the savepoint of every
/// statement that has one, as a trigger's has, and for every row that is before the last one. Written at the end, a transaction makes
/// one segment instead of one for each job.
struct JobTexts {
    private var changes: [(row: Int64, old: String?, new: String)] = []

    mutating func add(_ text: String, of row: Int64) { changes.append((row, nil, text)) }

    mutating func replace(_ old: String, with new: String, of row: Int64) { changes.append((row, old, new)) }

    /// - Precondition: no row has changed twice.
    func write(in db: Database) throws {
        for (row, old, new) in changes.sorted(by: { $0.row < $1.row }) {
            if let old {
                try db.cachedStatement(
                    sql: "INSERT INTO jobs_text (jobs_text, rowid, text) VALUES ('delete', ?, ?)"
                ).execute(arguments: [row, old])
            }
            try db.cachedStatement(sql: "INSERT INTO jobs_text (rowid, text) VALUES (?, ?)")
                .execute(arguments: [row, new])
        }
    }

    /// Removes the trigrams of jobs whose rows are still there.
    /// - Parameter ids: the ids in the form of `Ledger.list`.
    static func remove(_ ids: String, in db: Database) throws {
        try db.cachedStatement(
            sql: """
                INSERT INTO jobs_text (jobs_text, rowid, text)
                SELECT 'delete', seq, text FROM jobs WHERE id IN (SELECT value FROM json_each(?)) ORDER BY seq
                """
        ).execute(arguments: [ids])
    }
}
