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

    func overview() async throws(UploadError) -> LedgerOverview {
        try await read { client in
            let answers = try await client.execute([
                """
                SELECT current_setting('server_version') AS version, (SELECT max(version) FROM migrations) AS schema,
                (SELECT count(*) FROM jobs) AS jobs
                """,
                PostgreSQLLedger.size,
                "SELECT shard::bigint AS shard, holder FROM shards WHERE holder IS NOT NULL AND held_until > clock_timestamp()",
            ])
            let version: String = try answers[0][0].get("version")
            return LedgerOverview(
                database: "PostgreSQL " + (version.split(separator: " ").first ?? ""),
                schema: Int(clamping: try answers[0][0].get("schema", as: Int64.self)),
                bytes: try answers[1][0].get("bytes"),
                jobCount: Int(clamping: try answers[0][0].get("jobs", as: Int64.self)),
                holders: try answers[2].reduce(into: [:]) { holders, row in
                    holders[try row.get("holder"), default: []].append(
                        Int(clamping: try row.get("shard", as: Int64.self)))
                })
        }
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
