import Foundation
import GRDB
import Synchronization
import Uploads

/// Holds a plan in a SQLite database of its own without a name and without a journal. SQLite keeps the pages in memory until they exceed
/// the cache, then writes them into an unnamed file in the directory of `SQLITE_TMPDIR` or `TMPDIR`, else `/var/tmp`, which disappears
/// with the process, however the process ends. So a long plan costs disk space and no memory.
final class PlanFile: Sendable {
    /// The most bytes of pages in memory: the uploads of some thousand files.
    static let cacheBytes = 4 << 20

    /// The row of an upload. ``SourceReference`` and the like are stored as JSON.
    struct Row {
        var path: FilePath
        var content: PlannedUpload.Content
        /// The text that the upload adds to the destination, or brings to its template.
        var key: String
        var size: Int64?
        var contentType: String
        /// The number of the upload's wishes; 0 stands for those of the command line.
        var wishes: Int64
        var id: JobID
        var reading: PlannedUpload.Reading
        var isKeyed: Bool
    }

    /// The rows that are read at once, because most are read one after the other.
    static let pageCount = 128

    private struct Page {
        var start = 0
        var rows: [Row] = []
    }

    private let queue: DatabaseQueue
    /// The rows that were read last. A row changes only by ``removeUnchanged()``.
    private let page = Mutex(Page())

    init(cacheBytes: Int = PlanFile.cacheBytes) throws(UploadError) {
        var configuration = Configuration()
        configuration.allowsUnsafeTransactions = true
        configuration.prepareDatabase { db in
            try db.execute(
                sql: """
                    PRAGMA journal_mode = OFF;
                    PRAGMA synchronous = OFF;
                    PRAGMA temp_store = FILE;
                    PRAGMA cache_size = -\(max(1, cacheBytes >> 10));
                    """)
        }
        queue = try Self.mapped {
            let queue = try DatabaseQueue(path: "", configuration: configuration)
            try queue.writeWithoutTransaction { db in
                try db.execute(
                    sql: """
                        CREATE TABLE uploads (
                            position INTEGER PRIMARY KEY, path BLOB NOT NULL, kind INTEGER NOT NULL, content BLOB,
                            key TEXT NOT NULL, size INTEGER, type TEXT NOT NULL, wishes INTEGER NOT NULL, id TEXT NOT NULL,
                            reading INTEGER NOT NULL, isKeyed INTEGER NOT NULL);
                        CREATE TABLE wishes (number INTEGER PRIMARY KEY, body BLOB NOT NULL);
                        CREATE TABLE claims (claim BLOB PRIMARY KEY, position INTEGER NOT NULL) WITHOUT ROWID;
                        CREATE TABLE made (position INTEGER PRIMARY KEY, body BLOB NOT NULL);
                        CREATE TABLE notes (number INTEGER PRIMARY KEY, text TEXT NOT NULL);
                        CREATE TABLE objects (
                            key TEXT PRIMARY KEY, size INTEGER NOT NULL, modified REAL, md5 TEXT, writer INTEGER NOT NULL,
                            enqueued REAL) WITHOUT ROWID;
                        CREATE TABLE candidates (position INTEGER PRIMARY KEY, modified REAL NOT NULL, key TEXT NOT NULL);
                        CREATE TABLE unchanged (position INTEGER PRIMARY KEY);
                        -- Never committed: the next program starts anew anyway, and each commit would cost.
                        BEGIN;
                        """)
            }
            return queue
        }
    }

    func add(_ row: Row, at position: Int) throws(UploadError) {
        try write { db in
            let (kind, content) = try Self.columns(of: row.content)
            try db.cachedStatement(sql: "INSERT INTO uploads VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)").execute(
                arguments: [
                    position, Data(row.path.bytes), kind, content, row.key, row.size, row.contentType, row.wishes,
                    row.id.rawValue, row.reading.rawValue, row.isKeyed,
                ])
        }
    }

    func row(at position: Int) throws(UploadError) -> Row {
        let known = page.withLock { page in
            page.rows.indices.contains(position - page.start) ? page.rows[position - page.start] : nil
        }
        if let known { return known }
        let rows = try rows(from: position)
        guard let row = rows.first else {
            throw UploadError(.unknown, "the upload \(position) is not in the plan")
        }
        page.withLock { $0 = Page(start: position, rows: rows) }
        return row
    }

    private func rows(from position: Int) throws(UploadError) -> [Row] {
        try write { db in
            let statement = try db.cachedStatement(
                sql: """
                    SELECT path, kind, content, key, size, type, wishes, id, reading, isKeyed FROM uploads
                    WHERE position >= ? ORDER BY position LIMIT ?
                    """)
            let found = try GRDB.Row.fetchCursor(statement, arguments: [position, Self.pageCount])
            var rows: [Row] = []
            while let row = try found.next() {
                guard let id = JobID(row[7]) else { throw DatabaseError(message: "an id cannot be read") }
                rows.append(
                    Row(
                        path: FilePath(bytes: row[0] as Data), content: try Self.content(row[1], row[2]), key: row[3],
                        size: row[4], contentType: row[5], wishes: row[6], id: id,
                        reading: PlannedUpload.Reading(rawValue: row[8]) ?? .before, isKeyed: row[9]))
            }
            return rows
        }
    }

    /// The first upload from a position on whose bytes are read before or, if asked for, while it is published, and not when its message is
    /// made; nil when there is none.
    func firstToMake(from position: Int, orWhilePublished: Bool = false) throws(UploadError) -> Int? {
        let last = orWhilePublished ? PlannedUpload.Reading.whilePublished : .before
        return try first(
            "SELECT position FROM uploads WHERE position >= ? AND reading <= \(last.rawValue) ORDER BY position LIMIT 1",
            from: position)
    }

    /// The first upload from a position on that has an idempotency key; nil when there is none.
    func firstKeyed(from position: Int) throws(UploadError) -> Int? {
        try first(
            "SELECT position FROM uploads WHERE position >= ? AND isKeyed ORDER BY position LIMIT 1", from: position)
    }

    /// The first upload from a position on whose bytes are ready for workers; nil when there is none.
    func firstMade(from position: Int) throws(UploadError) -> Int? {
        try first("SELECT position FROM made WHERE position >= ? ORDER BY position LIMIT 1", from: position)
    }

    private func first(_ sql: String, from position: Int) throws(UploadError) -> Int? {
        try write { db in try Int.fetchOne(try db.cachedStatement(sql: sql), arguments: [position]) }
    }

    /// The bytes of all uploads whose size is known.
    func bytesTotal() throws(UploadError) -> Int64 {
        // SQLite's total() counts in floating point, and so never overflows.
        try write { db in Int64(saturating: try Double.fetchOne(db, sql: "SELECT total(size) FROM uploads") ?? 0) }
    }

    /// The uploads that are copied, if any of them is staged, and the bytes of those whose size is known.
    func copiesTotal() throws(UploadError) -> (files: Int, bytes: Int64) {
        try write { db in
            // As above, total() never overflows.
            let row = try GRDB.Row.fetchOne(
                db, sql: "SELECT count(*), total(size) FROM uploads WHERE reading <= ?",
                arguments: [PlannedUpload.Reading.whilePublished.rawValue])
            return (row?[0] ?? 0, Int64(saturating: row?[1] ?? 0.0))
        }
    }

    /// - Returns: the number of the wishes, from 1.
    func add(_ wishes: UploadWishes) throws(UploadError) -> Int64 {
        try write { db in
            try db.cachedStatement(sql: "INSERT INTO wishes (body) VALUES (?)")
                .execute(arguments: [try WireJSON.encode(wishes)])
            return db.lastInsertedRowID
        }
    }

    func wishes(_ number: Int64) throws(UploadError) -> UploadWishes {
        try write { db in
            let statement = try db.cachedStatement(sql: "SELECT body FROM wishes WHERE number = ?")
            guard let body = try Data.fetchOne(statement, arguments: [number]) else {
                throw DatabaseError(message: "the wishes \(number) are not there")
            }
            return try WireJSON.decode(UploadWishes.self, from: body)
        }
    }

    /// Records that an upload claims a key or idempotency key, which only one upload may have.
    /// - Returns: the last upload before it with the same claim; nil if it is the first.
    func claim(_ claim: [UInt8], for position: Int) throws(UploadError) -> Int? {
        try write { db in
            let claim = Data(claim)
            try db.cachedStatement(sql: "INSERT INTO claims VALUES (?, ?) ON CONFLICT DO NOTHING")
                .execute(arguments: [claim, position])
            guard db.changesCount == 0 else { return nil }
            let other = try Int.fetchOne(
                try db.cachedStatement(sql: "SELECT position FROM claims WHERE claim = ?"), arguments: [claim])
            try db.cachedStatement(sql: "UPDATE claims SET position = ? WHERE claim = ?")
                .execute(arguments: [position, claim])
            return other
        }
    }

    func note(_ text: String) throws(UploadError) {
        try write { db in
            try db.cachedStatement(sql: "INSERT INTO notes (text) VALUES (?)").execute(arguments: [text])
        }
    }

    /// Hands over the notes in their order.
    func forEachNote(_ body: (String) -> Void) throws(UploadError) {
        try write { db in
            let notes = try String.fetchCursor(db, sql: "SELECT text FROM notes ORDER BY number")
            while let note = try notes.next() { body(note) }
        }
    }

    func keep(_ made: MadeUpload, at position: Int) throws(UploadError) {
        try write { db in
            try db.cachedStatement(sql: "INSERT OR REPLACE INTO made VALUES (?, ?)")
                .execute(arguments: [position, try WireJSON.encode(made)])
        }
    }

    /// - Returns: nil while the upload's bytes are not ready for workers yet.
    func made(at position: Int) throws(UploadError) -> MadeUpload? {
        try write { db in
            let statement = try db.cachedStatement(sql: "SELECT body FROM made WHERE position = ?")
            guard let body = try Data.fetchOne(statement, arguments: [position]) else { return nil }
            return try WireJSON.decode(MadeUpload.self, from: body)
        }
    }

    private static func columns(of content: PlannedUpload.Content) throws -> (kind: Int, content: Data?) {
        switch content {
        case .file: (0, nil)
        case .standardInput: (1, nil)
        case .data(let data): (2, data)
        case .object(let reference): (3, try WireJSON.encode(reference))
        }
    }

    private static func content(_ kind: Int, _ content: Data?) throws -> PlannedUpload.Content {
        switch (kind, content) {
        case (0, _): .file
        case (1, _): .standardInput
        // For an empty blob, GRDB returns nil.
        case (2, let data): .data(data ?? Data())
        case (_, let data): .object(try WireJSON.decode(DestinationReference.self, from: data ?? Data()))
        }
    }

    /// Runs a change of rows that were added before.
    func changingPositions<Value>(_ body: (Database) throws -> Value) throws(UploadError) -> Value {
        page.withLock { $0 = Page() }
        return try write(body)
    }

    func write<Value>(_ body: (Database) throws -> Value) throws(UploadError) -> Value {
        try Self.mapped { try queue.writeWithoutTransaction(body) }
    }

    private static func mapped<Value>(_ body: () throws -> Value) throws(UploadError) -> Value {
        do {
            return try body()
        } catch {
            throw UploadError(
                .invalidFile,
                """
                the list of uploads cannot be kept in a temporary file: \((error as? DatabaseError)?.message ?? "\(error)"); \
                it needs space in /var/tmp, or in the directory that TMPDIR names
                """, cause: error)
        }
    }
}
