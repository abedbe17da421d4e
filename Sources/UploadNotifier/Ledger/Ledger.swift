import Foundation
import GRDB
package import Logging
import Synchronization
package import Uploads

/// The record of all jobs and events: an SQLite file that one notifier owns. It is a view: if the file is lost, no upload is lost.
///
/// Tables, times in seconds since 1970:
/// - `jobs`: one row for each job; `record` is a `LedgerJob` with the job redacted, compressed (`RowText`). `seq` rises in the order in
///   which the jobs were first recorded, and stands for the job in other tables.
/// - `wholes`: the original orders of jobs whose orders the records show redacted, except completed jobs with inline bytes.
/// - `jobs_text`: trigrams of the texts by which jobs are found; kept by `JobTexts`.
/// - `tallies`: the number of jobs of each queue, destination and status, and their bytes; kept by `JobTallies`, and by a
///   trigger when jobs are removed.
/// - `throughput`, `throughput_hours`: the jobs that ended in each minute and each hour; kept by `JobTallies`.
/// - `events`: the recorded events, compressed, by job and the event's own id (`RowEventID`), so that recording one again changes nothing.
/// - `deliveries`: the outbox, one row per outcome and delegate, written with the event that brought the outcome; `event` is that event's
///   `seq`.
/// - `attempts`: the delivery log, the last attempts of each delivery.
/// - `delegates`: the paused delegates, with the reasons.
/// - `registered`: delegates that were registered at run time, with their secrets.
/// - `owed`: publications that the broker has not confirmed yet; repeated after a crash.
/// - `orders`: the operators' orders, by the order's id, with their progress.
/// - `line`: the serial lines, one row for each job that waits in a line or was released from it and has not ended.
/// - `identity`: the id of this ledger, and the last time at which a notifier went to work with it.
/// - `holds`: jobs whose message the broker has lost, with the times at which they are issued anew.
/// - `copying`: how far a copy that fills this ledger has come; an unfinished copy alone has the table (`LedgerCopy`).
/// - `unreadable`: messages that could not be read or recorded, in their original form, with the reason. No sum and no decision
///   depends on this table.
///
/// A message that cannot be recorded, or a row that cannot be read, affects no others (`recordSingly`, `DamagedRows`).
///
/// After each commit the files are compared with those that were opened (`LedgerFiles`).
///
/// Commits wait for the disk (`synchronous = FULL`): the notifier acknowledges a message to the broker once this file holds it,
/// and in WAL mode `NORMAL` may lose the last commits when the power fails. One commit for each batch makes that cheap.
///
/// SQLite overwrites deleted and replaced contents with zeros (`secure_delete`, Debian's default), so that forgotten names are gone
/// from the file (`ForgottenRows`). A page that SQLite splits or merges may keep parts of its old contents; `scrub` removes
/// these.
///
/// Texts are compared by their bytes (SQLite's collation BINARY, which each column has): two spellings of a letter are two names.
/// Only the search by text treats them as the same (`SearchText`).
///
/// A listing takes milliseconds with a million jobs, because each uses an index (`JobSearch`) and no query counts rows. Removed
/// rows leave free pages in the file, which the next jobs fill: the file grows to the size that the retention needs and stays there.
/// A backup has no free pages; to give space back, stop the notifier and put a backup in the ledger's place. After a crash the
/// log (`-wal`) is still there and has to be removed with the old file, since SQLite would read it into the new one.
///
/// The file is readable by its owner alone, since a pre-signed URL is a credential, and since the file holds whole orders and the
/// secrets of registered delegates.
package final class Ledger: Sendable {
    let pool: DatabasePool
    package let path: String
    let rows: DamagedRows
    let decoded = Decoded()
    private let lock: LedgerLock
    let files: LedgerFiles
    private let filesWereGone = Atomic(false)
    /// The tables, indexes and triggers at the time of opening.
    private let schema: Set<String>
    /// Owed actions that were published and confirmed; the next transaction strikes them off.
    private let settled = Mutex<[OwedAction.ID]>([])
    /// Deliveries that have to be noted as delivered.
    let deliveries = CommitGroup<Delivered>()

    /// The longest time that settled actions wait for another transaction.
    private static let settlingDelay = Duration.seconds(1)
    /// Room for the upper pages of all indexes and the newest rows of a large ledger: without it a batch reads most pages that it changes.
    private static let writerCacheKiB = 64 << 10
    /// 32 MiB: several batches change the same pages, which SQLite then copies into the file once.
    private static let checkpointPages = 8192

    private init(
        pool: DatabasePool, path: String, lock: LedgerLock, files: LedgerFiles, schema: Set<String>, logger: Logger
    ) {
        self.pool = pool
        self.path = path
        self.lock = lock
        self.files = files
        self.schema = schema
        rows = DamagedRows(logger: logger)
    }

    /// The values of rows that were written lately.
    struct Decoded: Sendable {
        let jobs = DecodedRows<String, LedgerJob>(bytesMaximum: 2 << 20)
        let events = DecodedRows<Int64, UploadEvent>(bytesMaximum: 2 << 20)
    }

    /// The default logger, which logs nothing.
    package static let noLogger = Logger(label: "ledger") { _ in SwiftLogNoOpLogHandler() }

    /// Opens the ledger, or makes a new one and its directory.
    /// - Parameter logger: logs rows that cannot be read.
    /// - Throws: `misconfigured` with the obstacle: no permission, not a ledger, a newer version's, or in use; `serverFailure` for an
    ///   obstacle that may pass: a full disk, a lock, a disk that fails.
    package static func open(path: String, logger: Logger = noLogger) throws(UploadError) -> Ledger {
        try open(path: path, logger: logger, isForCopy: false)
    }

    /// - Parameter isForCopy: whether the ledger may be an unfinished copy.
    static func open(path: String, logger: Logger, isForCopy: Bool) throws(UploadError) -> Ledger {
        guard let ledger = try openIfFree(path: path, logger: logger, isForCopy: isForCopy) else {
            throw UploadError(
                .misconfigured,
                "the ledger \(path) is in use by another process; stop that process, or name another ledger"
            )
        }
        return ledger
    }

    /// Does the same, but returns nil while another process has the ledger, that is until the process closes it or dies: the system frees
    /// the lock of a process however it ends.
    package static func openIfFree(path: String, logger: Logger = noLogger) throws(UploadError) -> Ledger? {
        try openIfFree(path: path, logger: logger, isForCopy: false)
    }

    private static func openIfFree(
        path: String, logger: Logger, isForCopy: Bool
    ) throws(UploadError) -> Ledger? {
        do {
            try FileManager.default.createDirectory(
                at: URL(filePath: path).deletingLastPathComponent(), withIntermediateDirectories: true)
        } catch {
            throw SQLiteFailure.unreachable(path, cause: error)
        }
        try LedgerLock.createPrivately(path)
        guard let lock = try LedgerLock(path: path) else { return nil }
        do {
            var configuration = Configuration()
            configuration.label = "ledger"
            configuration.busyMode = .timeout(5)
            configuration.prepareDatabase { $0.add(function: RowText.function) }
            let pool = try DatabasePool(path: path, configuration: configuration)
            // Set after opening, since the pool itself sets NORMAL when it switches to WAL. Only the writer commits.
            try pool.writeWithoutTransaction { db in
                try db.execute(
                    sql: """
                        PRAGMA synchronous = FULL;
                        PRAGMA secure_delete = ON;
                        PRAGMA cache_size = -\(writerCacheKiB);
                        PRAGMA wal_autocheckpoint = \(checkpointPages);
                        """)
            }
            try LedgerSchema.bringUpToDate(pool, path: path, isForCopy: isForCopy)
            let schema = try pool.read(LedgerSchema.objects)
            return Ledger(
                pool: pool, path: path, lock: lock, files: try LedgerFiles(of: path), schema: schema, logger: logger)
        } catch {
            throw SQLiteFailure.describe(error, path: path)
        }
    }

    /// Closes the file and lets another process open it. Calls afterwards fail.
    package func close() throws(UploadError) {
        // The pool closes its readers last, and a reader leaves the log behind: an operator who then put a backup in the ledger's
        // place would mix the pages of both. If this step fails, nothing is lost: the next opening reads the log.
        try? pool.writeWithoutTransaction { [settled = takeSettled()] db in
            try store(db).strikeOff(settled)
            _ = try db.checkpoint(.truncate)
        }
        do { try pool.close() } catch { throw SQLiteFailure.describe(error, path: path) }
        lock.release()
    }

    /// Makes one transaction, durable when this returns.
    /// - Throws: also after the commit, if it went into a file that is not the ledger's any more: the broker then delivers the messages
    ///   again.
    func write<Value: Sendable>(
        _ body: @escaping @Sendable (Database) throws -> Value
    ) async throws(UploadError) -> Value {
        let taken = Mutex<[OwedAction.ID]>([])
        do {
            let value = try await pool.write { db in
                // Taken when it is this write's turn: what an earlier one has taken is struck off by then.
                let settled = takeSettled()
                taken.withLock { $0 = settled }
                try store(db).strikeOff(settled)
                return try body(db)
            }
            try checkFiles()
            return value
        } catch {
            settled.withLock { $0 += taken.withLock(\.self) }
            throw SQLiteFailure.describe(error, path: path)
        }
    }

    /// Checks the files. Readers that the pool opened while another file had the ledger's name are closed once the right file is back.
    private func checkFiles() throws(UploadError) {
        do throws(UploadError) {
            try files.check()
        } catch {
            filesWereGone.store(true, ordering: .relaxed)
            throw error
        }
        if filesWereGone.exchange(false, ordering: .relaxed) { pool.invalidateReadOnlyConnections() }
    }

    /// Checks that the tables are there. SQLite has one code for a value that a function refuses, which is the fault of one message, and
    /// for a missing table, which is the fault of the database.
    /// - Throws: `misconfigured` if another program has changed the tables.
    func checkTables(_ db: Database) throws {
        guard try schema.isSubset(of: LedgerSchema.objects(db)) else {
            throw UploadError(
                .misconfigured,
                "another program has changed the tables of the ledger \(path); put a backup in its place, or move it away "
                    + "(uploads do not need it) and start again")
        }
    }

    /// Notes actions as confirmed, for the next transaction: a commit of their own would cost as much as recording a batch.
    package func settle(_ owed: [OwedAction.ID]) {
        guard !owed.isEmpty else { return }
        let isFirst = settled.withLock { settled in
            defer { settled += owed }
            return settled.isEmpty
        }
        guard isFirst else { return }
        Task {
            try? await Task.sleep(for: Self.settlingDelay)
            if settled.withLock({ !$0.isEmpty }) { try? await strikeOff() }
        }
    }

    /// Strikes off all settled actions. Those that a transaction under way has taken are struck off when this returns,
    /// too.
    func strikeOff() async throws(UploadError) { try await write { _ in } }

    private func takeSettled() -> [OwedAction.ID] {
        settled.withLock { settled in
            defer { settled = [] }
            return settled
        }
    }

    /// The values as JSON for `json_each`, so that one statement handles many.
    static func list(_ values: [some Encodable]) throws -> String {
        String(decoding: try WireJSON.encode(values), as: UTF8.self)
    }

    func read<Value: Sendable>(
        _ body: @escaping @Sendable (Database) throws -> Value
    ) async throws(UploadError) -> Value {
        do { return try await pool.read(body) } catch { throw SQLiteFailure.describe(error, path: path) }
    }
}
