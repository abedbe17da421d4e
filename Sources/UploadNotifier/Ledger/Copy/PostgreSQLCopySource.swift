import PostgreSQL
import Uploads

/// Reads a ledger in PostgreSQL for a copy, in one transaction that sees one state of it.
struct PostgreSQLCopySource: LedgerCopySource {
    let client: PostgreSQLClient
    let leases: PostgreSQLLeases
    private let transaction: Transaction

    private init(_ client: PostgreSQLClient, _ leases: PostgreSQLLeases, _ transaction: Transaction) {
        (self.client, self.leases, self.transaction) = (client, leases, transaction)
    }

    /// Runs `body` with the source while this process has the ledger's lease.
    static func with<Value: Sendable>(
        _ client: PostgreSQLClient, _ leases: PostgreSQLLeases,
        _ body: (PostgreSQLCopySource) async throws(UploadError) -> Value
    ) async throws -> Value {
        try await client.transaction(.snapshot) { transaction in
            try await body(PostgreSQLCopySource(client, leases, transaction))
        }
    }

    var path: String { client.configuration.description }

    private var tables: PostgreSQLCopyRows {
        PostgreSQLCopyRows(path: path) { [transaction] in try await transaction.execute($0) }
    }

    func count(of table: LedgerTable) async throws(UploadError) -> Int { try await tables.count(of: table) }

    func page(
        of table: LedgerTable, after key: LedgerRow, limit: Int
    ) async throws(UploadError) -> [LedgerRow] {
        try await tables.page(of: table, after: key, limit: limit)
    }

    func identity() async throws(UploadError) -> LedgerIdentity {
        do { return try await PostgreSQLLedger.identity(client, path: path) } catch {
            throw PostgreSQLFailure.describe(error, path: path)
        }
    }

    func checkUnchanged() async throws(UploadError) {
        do {
            let found = try await client.execute(PostgreSQLLeases.epochs)
            guard try leases.areHeld(found) else {
                throw UploadError(
                    .rejected,
                    "a notifier has taken over the ledger \(path) during its copy; stop the notifier, and run the same command again"
                )
            }
        } catch {
            throw PostgreSQLFailure.describe(error, path: path)
        }
    }

    func lastNumbers() async throws(UploadError) -> [String: Int64] {
        do {
            var numbers: [String: Int64] = [:]
            for (table, column) in LedgerTable.numbered {
                let (name, number) = (Statement(stringLiteral: table), Statement(stringLiteral: column))
                let found = try await transaction.execute(
                    """
                    SELECT greatest(pg_sequence_last_value(pg_get_serial_sequence(\(table), \(column))::regclass),
                    (SELECT max(\(number)) FROM \(name)), 0) AS last
                    """)
                numbers[table] = try found[0].get("last")
            }
            let identity = try await transaction.execute("SELECT last_event FROM identity")
            numbers["events"] = max(numbers["events"] ?? 0, try identity.first?.get("last_event") ?? 0)
            return numbers
        } catch {
            throw PostgreSQLFailure.describe(error, path: path)
        }
    }
}
