import Foundation
import GRDB
public import Logging
import Synchronization
public import Uploads

/// The record of what happened: an SQLite file that one notifier owns. It is a view: if it is lost, no upload is.
///
/// Tables, times in seconds since 1970:
/// - `jobs`: one row a job; `record` is a `LedgerJob` with the job redacted. `seq` rises in the order in which jobs were
///   heard of.
/// - `wholes`: orders as they were given, where redaction cuts them.
/// - `jobs_text`: trigrams of what a job is found by; kept by `JobTexts`.
/// - `tallies`: how many jobs of a queue, destination and status there are, and their bytes; kept by triggers.
/// - `throughput`: what ended in each minute; kept by triggers.
/// - `events`: what was told, by the event's own id, so that recording it again changes nothing.
/// - `deliveries`: the outbox, one row per outcome and delegate, written with the event that brought the outcome.
/// - `attempts`: the delivery log, the last tries of each delivery.
/// - `delegates`: those that are paused, and why.
/// - `registered`: delegates that were registered at run time, with their secrets.
/// - `owed`: publications that nobody has confirmed yet; repeated after a crash.
/// - `orders`: what operators wanted, by the order's id, and how far it was carried out.
/// - `line`: the serial lines, one row for each job that waits in one or is on its way out of it.
/// - `identity`: which ledger this is, and when a notifier last went to work with it.
/// - `holds`: jobs whose message the broker has lost, and when they are issued anew.
/// - `unreadable`: messages that could not be read, and those that could not be recorded, as they came, with the reason. Nothing
///   sums over it or decides by it.
///
/// A message that cannot be recorded, and a row that cannot be read, cost themselves alone (`recordSingly`, `DamagedRows`).
///
/// After each commit the files are compared with those that were opened (`LedgerFiles`).
///
/// Commits wait for the disk (`synchronous = FULL`): a message is acknowledged to the broker on the word of this file,
/// and in WAL mode `NORMAL` may forget the last commits when the power fails. One commit a batch makes that cheap.
///
/// What is deleted or written over is overwritten with zeros (`secure_delete`, Debian's default): names that are forgotten are to be gone
/// from the file (`ForgottenRows`). A page that SQLite splits or merges may keep parts of what it held; `scrub` says what is done
/// about that.
///
/// Texts are compared by their bytes (SQLite's collation BINARY, which each column has): two spellings of a letter are two names.
/// Only the search by text takes them for one (`SearchText`).
///
/// A listing takes milliseconds with a million jobs, because each goes by an index (`JobSearch`) and no count is counted. What is
/// forgotten leaves free pages in the file, which the next jobs fill: it grows to what the retention needs and stays there. A
/// backup has no free pages; to give space back, stop the notifier and put a backup in the ledger's place. After a crash the
/// log (`-wal`) is still there and has to go with the old file, for it would be read into the new one.
///
/// The file is readable by its owner alone, for a pre-signed URL is a credential, orders are kept whole, and so are the
/// secrets of registered delegates.
public final class Ledger: Sendable {
    let pool: DatabasePool
    public let path: String
    let rows: DamagedRows
    private let lock: LedgerLock
    let files: LedgerFiles
    private let filesWereGone = Atomic(false)
    /// Tables, indexes and triggers as they were made.
    private let schema: Set<String>
    /// Published and confirmed, to be struck off by the next transaction.
    private let settled = Mutex<[OwedAction.ID]>([])
    /// Those that are to be noted as delivered.
    let deliveries = CommitGroup<Delivered>()

    /// The longest that what was settled waits for another transaction.
    private static let settlingDelay = Duration.seconds(1)
    /// The upper pages of all indexes and the newest rows of a large ledger: without them a batch reads most of what it changes.
    private static let writerCacheKiB = 64 << 10
    /// 32 MiB: several batches change the same pages, which are copied into the file once then.
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

    /// Where none is given.
    public static let noLogger = Logger(label: "ledger") { _ in SwiftLogNoOpLogHandler() }

    /// Opens the ledger, or makes a new one, its directory included.
    /// - Parameter logger: told of rows that cannot be read.
    /// - Throws: `misconfigured` that says what stands in the way: no permission, not a ledger, a newer version's, or
    ///   in use; `serverFailure` for what may pass: a full disk, a lock, a disk that fails.
    public static func open(path: String, logger: Logger = noLogger) throws(UploadError) -> Ledger {
        guard let ledger = try openIfFree(path: path, logger: logger) else {
            throw UploadError(
                .misconfigured, "the ledger \(path) is in use by another process; stop that one, or name another ledger"
            )
        }
        return ledger
    }

    /// The same, but nil while another process has it: that lasts until it closes the ledger or dies, for the system frees the
    /// lock of a process however it ends.
    public static func openIfFree(path: String, logger: Logger = noLogger) throws(UploadError) -> Ledger? {
        do {
            try FileManager.default.createDirectory(
                at: URL(filePath: path).deletingLastPathComponent(), withIntermediateDirectories: true)
        } catch {
            throw LedgerFailure.unreachable(path, cause: error)
        }
        guard let lock = try LedgerLock(path: path) else { return nil }
        try LedgerLock.createPrivately(path)
        do {
            var configuration = Configuration()
            configuration.label = "ledger"
            configuration.busyMode = .timeout(5)
            let pool = try DatabasePool(path: path, configuration: configuration)
            // After opening: the pool itself sets NORMAL when it switches to WAL. Only the writer commits.
            try pool.writeWithoutTransaction { db in
                try db.execute(
                    sql: """
                        PRAGMA synchronous = FULL;
                        PRAGMA secure_delete = ON;
                        PRAGMA cache_size = -\(writerCacheKiB);
                        PRAGMA wal_autocheckpoint = \(checkpointPages);
                        """)
            }
            try LedgerSchema.bringUpToDate(pool, path: path)
            let schema = try pool.read(LedgerSchema.objects)
            return Ledger(
                pool: pool, path: path, lock: lock, files: try LedgerFiles(of: path), schema: schema, logger: logger)
        } catch {
            throw LedgerFailure.describe(error, path: path)
        }
    }

    /// Closes the file and lets another process open it. What is used afterwards fails.
    public func close() throws(UploadError) {
        // The pool closes its readers last, and a reader leaves the log behind: whoever then put a backup in the ledger's place
        // would get the pages of both mixed. If this fails, nothing is lost: the log is read at the next opening.
        try? pool.writeWithoutTransaction { [settled = takeSettled()] db in
            try Self.strikeOff(settled, in: db)
            _ = try db.checkpoint(.truncate)
        }
        do { try pool.close() } catch { throw LedgerFailure.describe(error, path: path) }
        lock.release()
    }

    /// One transaction, durable when this returns.
    /// - Throws: also after the commit, if it went into a file that is not the ledger's any more: who would have been told then that
    ///   all is recorded tells it again.
    func write<Value: Sendable>(
        _ body: @escaping @Sendable (Database) throws -> Value
    ) async throws(UploadError) -> Value {
        let settled = takeSettled()
        do {
            let value = try await pool.write { db in
                try Self.strikeOff(settled, in: db)
                return try body(db)
            }
            try checkFiles()
            return value
        } catch {
            self.settled.withLock { $0 += settled }
            throw LedgerFailure.describe(error, path: path)
        }
    }

    /// Readers that the pool opened while another file had the ledger's name would go on reading that one.
    private func checkFiles() throws(UploadError) {
        do throws(UploadError) {
            try files.check()
        } catch {
            filesWereGone.store(true, ordering: .relaxed)
            throw error
        }
        if filesWereGone.exchange(false, ordering: .relaxed) { pool.invalidateReadOnlyConnections() }
    }

    /// SQLite has one code for a value that a function refuses and for a table that is gone. The first is the fault of one message, the
    /// second is that of the database.
    /// - Throws: `misconfigured` if another program has changed the tables.
    func checkTables(_ db: Database) throws {
        guard try schema.isSubset(of: LedgerSchema.objects(db)) else {
            throw UploadError(
                .misconfigured,
                "another program has changed the tables of the ledger \(path); put a backup in its place, or move it away "
                    + "(uploads do not need it) and start again")
        }
    }

    /// A commit for itself alone would cost as much as recording a batch.
    public func settle(_ owed: [OwedAction.ID]) {
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

    /// Returns when what was settled before is struck off, by this or by a transaction that is under way.
    func strikeOff() async throws(UploadError) { try await write { _ in } }

    private func takeSettled() -> [OwedAction.ID] {
        settled.withLock { settled in
            defer { settled = [] }
            return settled
        }
    }

    private static func strikeOff(_ settled: [OwedAction.ID], in db: Database) throws {
        guard !settled.isEmpty else { return }
        try db.cachedStatement(sql: "DELETE FROM owed WHERE id IN (SELECT value FROM json_each(?))")
            .execute(arguments: [try list(settled)])
    }

    /// For `json_each`: one statement for many.
    static func list(_ values: [some Encodable]) throws -> String {
        String(decoding: try WireJSON.encode(values), as: UTF8.self)
    }

    func read<Value: Sendable>(
        _ body: @escaping @Sendable (Database) throws -> Value
    ) async throws(UploadError) -> Value {
        do { return try await pool.read(body) } catch { throw LedgerFailure.describe(error, path: path) }
    }
}
