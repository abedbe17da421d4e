import Foundation
import GRDB
public import Uploads

/// The record of what happened: an SQLite file that one notifier owns. It is a view: if it is lost, no upload is.
///
/// Tables, times in seconds since 1970:
/// - `jobs`: one row a job; `record` is a `LedgerJob` with the job redacted, `whole` the order where redaction would
///   cut it.
/// - `events`: what was told, by the event's own id, so that recording it again changes nothing.
/// - `deliveries`: the outbox, one row per outcome and delegate, written with the event that brought the outcome.
/// - `delegates`: those that are paused, and why.
/// - `owed`: publications that nobody has confirmed yet; repeated after a crash.
/// - `unreadable`: dead letters that nobody could read.
///
/// Commits wait for the disk (`synchronous = FULL`): a message is acknowledged to the broker on the word of this file,
/// and in WAL mode `NORMAL` may forget the last commits when the power fails. One commit a batch makes that cheap.
///
/// The file is readable by its owner alone, for a pre-signed URL is a credential and orders are kept whole.
public final class Ledger: Sendable {
    let pool: DatabasePool
    let path: String
    private let lock: LedgerLock

    private init(pool: DatabasePool, path: String, lock: LedgerLock) {
        self.pool = pool
        self.path = path
        self.lock = lock
    }

    /// Opens the ledger, or makes a new one, its directory included.
    /// - Throws: `misconfigured` that says what stands in the way: no permission, not a ledger, a newer version's, or
    ///   in use.
    public static func open(path: String) throws(UploadError) -> Ledger {
        do {
            try FileManager.default.createDirectory(
                at: URL(filePath: path).deletingLastPathComponent(), withIntermediateDirectories: true)
        } catch {
            throw LedgerFailure.unreachable(path, cause: error)
        }
        let lock = try LedgerLock(path: path)
        try LedgerLock.createPrivately(path)
        do {
            var configuration = Configuration()
            configuration.label = "ledger"
            configuration.busyMode = .timeout(5)
            let pool = try DatabasePool(path: path, configuration: configuration)
            // After opening: the pool itself sets NORMAL when it switches to WAL. Only the writer commits.
            try pool.writeWithoutTransaction { db in try db.execute(sql: "PRAGMA synchronous = FULL") }
            try LedgerSchema.bringUpToDate(pool, path: path)
            return Ledger(pool: pool, path: path, lock: lock)
        } catch {
            throw LedgerFailure.describe(error, path: path)
        }
    }

    /// Closes the file and lets another process open it. What is used afterwards fails.
    public func close() throws(UploadError) {
        do { try pool.close() } catch { throw LedgerFailure.describe(error, path: path) }
        lock.release()
    }

    func write<Value: Sendable>(
        _ body: @escaping @Sendable (Database) throws -> Value
    ) async throws(UploadError) -> Value {
        do { return try await pool.write(body) } catch { throw LedgerFailure.describe(error, path: path) }
    }

    func read<Value: Sendable>(
        _ body: @escaping @Sendable (Database) throws -> Value
    ) async throws(UploadError) -> Value {
        do { return try await pool.read(body) } catch { throw LedgerFailure.describe(error, path: path) }
    }
}
