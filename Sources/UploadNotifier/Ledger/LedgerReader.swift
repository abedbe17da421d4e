import Foundation
import GRDB
public import Uploads

/// Reads a ledger's file from another program than the notifier, which may have it open. Changes nothing in it.
public final class LedgerReader: LedgerReading {
    public let path: String
    private let file: DatabaseQueue

    /// - Throws: `misconfigured` with the obstacle: no such file, no permission, not a ledger, a ledger of another version.
    public init(path: String) throws(UploadError) {
        self.path = path
        guard FileManager.default.fileExists(atPath: path) else {
            throw UploadError(
                .misconfigured,
                "there is no ledger \(path); name the one that the notifier uses (its 'notifier.ledger'), or start the notifier, "
                    + "which makes it")
        }
        var configuration = Configuration()
        configuration.label = "ledger reader"
        configuration.readonly = true
        configuration.busyMode = .timeout(5)
        do {
            file = try DatabaseQueue(path: path, configuration: configuration)
            try file.read { db in
                guard try LedgerSchema.isLedger(db) else {
                    throw UploadError(
                        .misconfigured, "\(path) is a database, but no ledger; name the one that the notifier uses")
                }
                guard try !LedgerSchema.isUnfinishedCopy(db) else { throw LedgerCopy.unfinished(path) }
                guard try LedgerSchema.migrator.hasCompletedMigrations(db),
                    try !LedgerSchema.migrator.hasBeenSuperseded(db)
                else {
                    throw UploadError(
                        .misconfigured,
                        "the ledger \(path) is of another version than this program; start the notifier of this version once"
                    )
                }
            }
        } catch {
            throw SQLiteFailure.describe(error, path: path)
        }
    }

    public func identity() async throws(UploadError) -> LedgerIdentity {
        try await read { [path] db in try Ledger.identity(db, path: path) }
    }

    public func overview() async throws(UploadError) -> LedgerOverview {
        let holder = LedgerLock.holder(path: path)
        return try await read { db in
            LedgerOverview(
                database: "SQLite " + (try String.fetchOne(db, sql: "SELECT sqlite_version()") ?? ""),
                schema: try LedgerSchema.migrator.appliedMigrations(db).count,
                bytes: try Int64.fetchOne(
                    db, sql: "SELECT page_count * page_size FROM pragma_page_count, pragma_page_size") ?? 0,
                jobCount: try Int.fetchOne(db, sql: "SELECT count(*) FROM jobs") ?? 0,
                holders: holder.map { ["\(ProcessInfo.processInfo.hostName), process \($0)": []] } ?? [:])
        }
    }

    public func jobCount() async throws(UploadError) -> Int {
        try await read { db in try Int.fetchOne(db, sql: "SELECT count(*) FROM jobs") ?? 0 }
    }

    public func unknown(among jobs: Set<JobID>) async throws(UploadError) -> Set<JobID> {
        try await read { db in
            let known = try String.fetchAll(
                db, sql: "SELECT id FROM jobs WHERE id IN (SELECT value FROM json_each(?))",
                arguments: [try Ledger.list(jobs.map(\.rawValue))])
            return jobs.subtracting(known.compactMap { JobID($0) })
        }
    }

    public func close() async { try? file.close() }

    private func read<Value: Sendable>(
        _ body: @escaping @Sendable (Database) throws -> Value
    ) async throws(UploadError) -> Value {
        do { return try await file.read(body) } catch { throw SQLiteFailure.describe(error, path: path) }
    }
}
