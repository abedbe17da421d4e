import Foundation
import Logging
import PostgreSQL
import Uploads

extension LedgerPlace {
    /// Opens the ledger so that no notifier works with it, and closes it after `body`.
    func withCopySource<Value: Sendable>(
        _ logger: Logger, _ body: (any LedgerCopySource) async throws(UploadError) -> Value
    ) async throws(UploadError) -> Value {
        switch self {
        case .file(let path):
            guard FileManager.default.fileExists(atPath: path) else {
                throw UploadError(
                    .misconfigured,
                    "there is no ledger \(path) to copy; name the one that the notifier uses (its 'notifier.ledger')")
            }
            return try await Self.with(Ledger.open(path: path, logger: logger)) { ledger throws(UploadError) in
                try await body(SQLiteCopySource(ledger: ledger))
            }
        case .postgreSQL(let url, let password):
            return try await Self.with(url, password, isDestination: false) { client, leases throws(UploadError) in
                do {
                    return try await PostgreSQLCopySource.with(client, leases, body)
                } catch {
                    throw PostgreSQLFailure.describe(error, path: client.configuration.description)
                }
            }
        }
    }

    /// Opens the ledger that a copy fills, or makes a new one, and closes it after `body`.
    func withCopyDestination<Value: Sendable>(
        _ logger: Logger, _ body: (any LedgerCopyDestination) async throws(UploadError) -> Value
    ) async throws(UploadError) -> Value {
        switch self {
        case .file(let path):
            let ledger = try Ledger.open(path: path, logger: logger, isForCopy: true)
            return try await Self.with(ledger) { ledger throws(UploadError) in
                try await body(SQLiteCopyDestination(ledger: ledger))
            }
        case .postgreSQL(let url, let password):
            return try await Self.with(url, password, isDestination: true) { client, leases throws(UploadError) in
                try await body(PostgreSQLCopyDestination(client: client, leases: leases))
            }
        }
    }

    private static func with<Value>(
        _ ledger: Ledger, _ body: (Ledger) async throws(UploadError) -> Value
    ) async throws(UploadError) -> Value {
        // Every page is durable already, so a failure to close loses nothing.
        defer { try? ledger.close() }
        return try await body(ledger)
    }

    private static func with<Value>(
        _ url: String, _ password: String?, isDestination: Bool,
        _ body: (PostgreSQLClient, PostgreSQLLeases) async throws(UploadError) -> Value
    ) async throws(UploadError) -> Value {
        let schema = PostgreSQLLedger.standardSchema
        var configuration = try PostgreSQLLedger.configuration(url, password: password, schema: schema)
        // Counting or emptying a large table takes long.
        configuration.answerTimeout = .seconds(3600)
        // Each side waits while the other one reads or writes a page.
        configuration.settings["idle_in_transaction_session_timeout"] = "0"
        let client = PostgreSQLClient(configuration, connections: 2)
        let leases: PostgreSQLLeases
        do {
            leases = try await take(client, schema, isDestination: isDestination)
        } catch {
            await client.close()
            throw error
        }
        let outcome: Result<Value, UploadError>
        do throws(UploadError) { outcome = .success(try await body(client, leases)) } catch {
            outcome = .failure(error)
        }
        await client.close()
        await leases.giveBack()
        return try outcome.get()
    }

    private static func take(
        _ client: PostgreSQLClient, _ schema: String, isDestination: Bool
    ) async throws(UploadError) -> PostgreSQLLeases {
        let path = client.configuration.description
        do {
            if isDestination {
                try await PostgreSQLSchema.bringUpToDate(client, schema: schema, isForCopy: true)
            } else {
                try await PostgreSQLSchema.check(client, schema: schema)
            }
            guard let leases = try await PostgreSQLLeases.takeAll(client.configuration) else {
                throw UploadError(
                    .misconfigured,
                    "the ledger \(path) is in use by a notifier or another copy; stop that process (after a crash, the ledger is "
                        + "free within 10 seconds)")
            }
            return leases
        } catch {
            throw PostgreSQLFailure.describe(error, path: path)
        }
    }
}
