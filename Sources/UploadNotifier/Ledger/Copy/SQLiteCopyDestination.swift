import Foundation
import GRDB
import Uploads

/// Fills a ledger in SQLite by a copy.
struct SQLiteCopyDestination: LedgerCopyDestination {
    let ledger: Ledger

    var path: String { ledger.path }

    /// Reads like a source.
    private var tables: SQLiteCopySource { SQLiteCopySource(ledger: ledger) }

    func count(of table: LedgerTable) async throws(UploadError) -> Int { try await tables.count(of: table) }

    func page(
        of table: LedgerTable, after key: LedgerRow, limit: Int
    ) async throws(UploadError) -> [LedgerRow] {
        try await tables.page(of: table, after: key, limit: limit)
    }

    func mark() async throws(UploadError) -> CopyMark? {
        try await ledger.read { [path] db in
            guard try LedgerSchema.isUnfinishedCopy(db) else { return nil }
            return try CopyMark.read(String.fetchOne(db, sql: "SELECT mark FROM copying"), of: path)
        }
    }

    func begin(_ mark: CopyMark) async throws(UploadError) {
        try await ledger.write { db in
            try db.execute(
                sql: """
                    CREATE TABLE copying (one INTEGER PRIMARY KEY DEFAULT 1 CHECK (one = 1), mark TEXT NOT NULL) STRICT
                    """)
            try db.execute(sql: "INSERT INTO copying (mark) VALUES (?)", arguments: [try mark.text])
        }
    }

    func restart(_ mark: CopyMark) async throws(UploadError) {
        try await ledger.write { db in
            try db.execute(sql: "INSERT INTO jobs_text (jobs_text) VALUES ('delete-all')")
            for table in LedgerTable.all.reversed() { try db.execute(sql: "DELETE FROM \(table.name)") }
            // A trigger keeps the newest event while jobs are removed.
            try db.execute(sql: "DELETE FROM events")
            try db.execute(sql: "DELETE FROM tallies")
            try Self.keep(mark, in: db)
        }
    }

    func write(
        _ rows: [LedgerRow], to table: LedgerTable, emptying: Bool, _ mark: CopyMark
    ) async throws(UploadError) {
        try await ledger.write { db in
            if emptying { try db.execute(sql: "DELETE FROM \(table.name)") }
            let columns = table.sharedColumns.map { "\"\($0.name)\"" }.joined(separator: ", ")
            let places = table.sharedColumns.map { _ in "?" }.joined(separator: ", ")
            let insert = try db.cachedStatement(sql: "INSERT INTO \(table.name) (\(columns)) VALUES (\(places))")
            for row in rows {
                let values = zip(table.columns, row).filter { !$0.0.isDerived }.map(\.1.inSQLite)
                try insert.execute(arguments: StatementArguments(values))
            }
            if table.name == "jobs" { try Self.index(rows, of: table, in: db) }
            try Self.keep(mark, in: db)
        }
    }

    /// Indexes the texts by which the jobs are found.
    private static func index(_ rows: [LedgerRow], of table: LedgerTable, in db: Database) throws {
        var texts = JobTexts()
        for row in rows {
            guard case .integer(let job) = row[table.index(of: "seq")],
                case .text(let text) = row[table.index(of: "text")]
            else { continue }
            texts.add(text, of: job)
        }
        try texts.write(in: db)
    }

    private static func keep(_ mark: CopyMark, in db: Database) throws {
        try db.execute(sql: "UPDATE copying SET mark = ?", arguments: [try mark.text])
    }

    func finish(_ identity: LedgerIdentity, numbers: [String: Int64]) async throws(UploadError) {
        try await ledger.write { db in
            for (table, number) in numbers {
                try db.execute(
                    sql: "UPDATE sqlite_sequence SET seq = max(seq, ?) WHERE name = ?", arguments: [number, table])
            }
            for table in ["deliveries", "owed", "unreadable"] {
                try db.execute(
                    sql: """
                        INSERT INTO sqlite_sequence (name, seq) SELECT ?1, ?2
                        WHERE NOT EXISTS (SELECT 1 FROM sqlite_sequence WHERE name = ?1)
                        """, arguments: [table, numbers[table] ?? 0])
            }
            try Self.reserve(numbers["events"] ?? 0, in: db)
            try db.execute(
                sql: "UPDATE identity SET id = ?, opening = ?, pending = ?",
                arguments: [identity.id.text, identity.opening.text, identity.pending?.text])
            try db.execute(sql: "DROP TABLE copying")
        }
    }

    /// Keeps the number of the newest event from being given again: a reader of the stream that has seen the number would miss another event
    /// with it. The events of this table have the numbers of their rows, so the number needs a row. It is one without a kind and a job, which
    /// goes when there is a newer event and a job is removed.
    private static func reserve(_ number: Int64, in db: Database) throws {
        try db.execute(
            sql: """
                INSERT INTO events (seq, job, name, kind, queue, body) SELECT ?1, 0, '=', '', '', x''
                WHERE ?1 > (SELECT coalesce(max(seq), 0) FROM events)
                """, arguments: [number])
    }
}
