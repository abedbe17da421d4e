import Foundation
import PostgreSQL
import Uploads

/// Reads a ledger in PostgreSQL from another program than the notifier that works with it. Changes nothing in it.
final class PostgreSQLLedgerReader: LedgerReading {
    let path: String
    private let client: PostgreSQLClient

    private init(_ client: PostgreSQLClient) {
        self.client = client
        path = client.configuration.description
    }

    /// - Throws: `misconfigured` if the database has no ledger, or one of another version.
    static func open(
        _ connectionString: String, password: String? = nil, schema: String = PostgreSQLLedger.standardSchema
    ) async throws(UploadError) -> PostgreSQLLedgerReader {
        let configuration = try PostgreSQLLedger.configuration(connectionString, password: password, schema: schema)
        let client = PostgreSQLClient(configuration, connections: 1)
        do {
            try await PostgreSQLSchema.check(client, schema: schema)
        } catch {
            await client.close()
            throw PostgreSQLFailure.describe(error, path: configuration.description)
        }
        return PostgreSQLLedgerReader(client)
    }

    func identity() async throws(UploadError) -> LedgerIdentity {
        try await read { try await PostgreSQLLedger.identity($0, path: path) }
    }

    func jobCount() async throws(UploadError) -> Int {
        try await read { client in
            let found = try await client.execute("SELECT count(*) AS count FROM jobs")
            return Int(clamping: try found[0].get("count", as: Int64.self))
        }
    }

    func unknown(among jobs: Set<JobID>) async throws(UploadError) -> Set<JobID> {
        try await read { client in
            let found = try await client.execute("SELECT id FROM jobs WHERE id = ANY(\(jobs.map(\.rawValue)))")
            return jobs.subtracting(try found.compactMap { JobID(try $0.get("id")) })
        }
    }

    func close() async { await client.close() }

    private func read<Value>(_ body: (PostgreSQLClient) async throws -> Value) async throws(UploadError) -> Value {
        do { return try await body(client) } catch { throw PostgreSQLFailure.describe(error, path: path) }
    }
}
