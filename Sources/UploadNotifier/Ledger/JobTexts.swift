import GRDB

/// What changes in one transaction of the trigrams that jobs are found by (`jobs_text`), written at its end.
///
/// Not by triggers: FTS5 begins a new segment of its index, to be merged with others later, at the savepoint of every statement
/// that has one, as a trigger's has, and for every row that is before the last one. So it makes one for each transaction
/// instead of one for each job.
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

    /// Removes those of jobs whose rows are still there.
    /// - Parameter ids: as `Ledger.list` makes it.
    static func remove(_ ids: String, in db: Database) throws {
        try db.cachedStatement(
            sql: """
                INSERT INTO jobs_text (jobs_text, rowid, text)
                SELECT 'delete', seq, text FROM jobs WHERE id IN (SELECT value FROM json_each(?)) ORDER BY seq
                """
        ).execute(arguments: [ids])
    }
}
