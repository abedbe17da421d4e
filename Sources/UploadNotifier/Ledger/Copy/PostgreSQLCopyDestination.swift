import Foundation
import PostgreSQL
import Uploads

/// Fills a ledger in PostgreSQL by a copy.
///
/// The triggers of the jobs are off until the copy ends: a damaged row may hold a time that is no minute of `throughput`, and must not fail
/// the copy.
struct PostgreSQLCopyDestination: LedgerCopyDestination {
    let client: PostgreSQLClient
    let leases: PostgreSQLLeases

    var path: String { client.configuration.description }

    private var tables: PostgreSQLCopyRows {
        PostgreSQLCopyRows(path: path) { [client] in try await client.execute($0) }
    }

    func count(of table: LedgerTable) async throws(UploadError) -> Int { try await tables.count(of: table) }

    func page(
        of table: LedgerTable, after key: LedgerRow, limit: Int
    ) async throws(UploadError) -> [LedgerRow] {
        try await tables.page(of: table, after: key, limit: limit)
    }

    func mark() async throws(UploadError) -> CopyMark? {
        do {
            let found = try await client.execute(
                "SELECT to_regclass(current_schema() || '.copying') IS NULL AS is_missing")
            guard try !found[0].get("is_missing", as: Bool.self) else { return nil }
            let marks = try await client.execute("SELECT mark FROM copying")
            return try CopyMark.read(try marks.first?.get("mark"), of: path)
        } catch {
            throw PostgreSQLFailure.describe(error, path: path)
        }
    }

    func begin(_ mark: CopyMark) async throws(UploadError) {
        try await write { transaction in
            try await transaction.execute([
                "CREATE TABLE copying (one boolean PRIMARY KEY DEFAULT true CHECK (one), mark text NOT NULL)",
                "INSERT INTO copying (mark) VALUES (\(try mark.text))",
                "ALTER TABLE jobs DISABLE TRIGGER USER",
            ])
        }
    }

    func restart(_ mark: CopyMark) async throws(UploadError) {
        try await write { transaction in
            let names = LedgerTable.all.map(\.name) + ["texts"]
            try await transaction.execute([
                Statement(stringLiteral: "TRUNCATE \(names.joined(separator: ", "))"),
                "UPDATE copying SET mark = \(try mark.text)",
            ])
        }
    }

    func write(
        _ rows: [LedgerRow], to table: LedgerTable, emptying: Bool, _ mark: CopyMark
    ) async throws(UploadError) {
        let insertion = CopyInsertion(rows, of: table).statements
        let removal: [Statement] = emptying ? [Statement(stringLiteral: "DELETE FROM \(table.name)")] : []
        try await write(to: table) { transaction in
            try await transaction.execute(
                removal + insertion + ["UPDATE copying SET mark = \(try mark.text)"])
        }
    }

    func finish(_ identity: LedgerIdentity, numbers: [String: Int64]) async throws(UploadError) {
        try await write { transaction in
            for (table, column) in LedgerTable.numbered {
                let (name, number) = (Statement(stringLiteral: table), Statement(stringLiteral: column))
                let last = "greatest(\(numbers[table] ?? 0), (SELECT max(\(number)) FROM \(name)))" as Statement
                try await transaction.execute(
                    """
                    SELECT setval(pg_get_serial_sequence(\(table), \(column))::regclass, greatest(\(last), 1), \(last) > 0)
                    """)
            }
            let written = try await transaction.execute(
                """
                UPDATE identity SET id = \(identity.id.text), opening = \(identity.opening.text),
                pending = \(identity.pending?.text), last_event = \(numbers["events"] ?? 0)
                """)
            guard written.affectedCount == 1 else {
                throw UploadError(
                    .misconfigured,
                    "another program has changed the table 'identity' of \(path); name a new destination, and copy again"
                )
            }
            try await transaction.execute(["ALTER TABLE jobs ENABLE TRIGGER USER", "DROP TABLE copying"])
        }
    }

    /// Makes a transaction while this process has the ledger's lease.
    private func write(
        to table: LedgerTable? = nil, _ body: (Transaction) async throws -> Void
    ) async throws(UploadError) {
        do {
            try await client.transaction { transaction in
                let found = try await transaction.execute("\(PostgreSQLLeases.epochs) FOR UPDATE")
                guard try leases.areHeld(found) else {
                    throw UploadError(
                        .rejected,
                        "another process has taken over \(path) during the copy; stop it, and run the same command again"
                    )
                }
                try await body(transaction)
            }
        } catch {
            throw PostgreSQLFailure.describe(error, path: path + (table.map { " (table '\($0.name)')" } ?? ""))
        }
    }
}
