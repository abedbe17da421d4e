import Foundation
import GRDB
import Glibc
package import Uploads

extension Ledger: LedgerBackup {
    /// Copies the state of the ledger at one moment, while it is in use, and checks the copy before it gets its name: a backup that
    /// exists can be trusted. An older backup under the name is replaced in one step.
    ///
    /// The copy holds no free pages, is readable by its owner alone, and is opened like any ledger. Copying takes as long as
    /// reading and writing the file twice; recording goes on meanwhile.
    /// - Parameter destination: a path in a directory that exists.
    /// - Returns: the copy's bytes.
    /// - Throws: `rejected` if another file than a ledger has the name; `misconfigured` if the directory cannot be written;
    ///   `checksumMismatch` if the copy is damaged.
    @discardableResult
    package func backup(to destination: String) async throws(UploadError) -> Int64 {
        try await Self.checkReplaceable(destination, ledger: path)
        let partial = "\(destination).\(UUID().uuidString.lowercased()).partial"
        try LedgerLock.createPrivately(partial)
        do {
            try await copy(to: partial)
            try await Self.check(partial)
            let bytes = try Self.makeDurable(partial, as: destination)
            return bytes
        } catch {
            unlink(partial)
            throw SQLiteFailure.describe(error, path: destination)
        }
    }

    /// Copies by a connection of its own, since the pool's readers serve requests that wait for an answer. Files that were deleted or
    /// replaced are copied by the writing connection, which still has them open.
    private func copy(to partial: String) async throws {
        do throws(UploadError) {
            try files.check()
        } catch {
            return try await pool.writeWithoutTransaction { db in
                try db.execute(sql: "VACUUM INTO ?", arguments: [partial])
            }
        }
        var configuration = Configuration()
        configuration.label = "ledger backup"
        configuration.busyMode = .timeout(5)
        let source = try DatabaseQueue(path: path, configuration: configuration)
        try await source.writeWithoutTransaction { db in
            try db.execute(sql: "VACUUM INTO ?", arguments: [partial])
        }
        try source.close()
    }

    private static func check(_ path: String) async throws {
        var configuration = Configuration()
        configuration.readonly = true
        let copy = try DatabaseQueue(path: path, configuration: configuration)
        try await copy.read { db in
            let problems = try String.fetchAll(db, sql: "PRAGMA integrity_check(5)")
            guard problems == ["ok"] else {
                throw UploadError(
                    .checksumMismatch,
                    "the copy of the ledger is damaged (\(problems.joined(separator: "; "))); check the disk of the ledger"
                )
            }
            guard try LedgerSchema.isLedger(db), try LedgerSchema.migrator.hasCompletedMigrations(db) else {
                throw UploadError(.checksumMismatch, "the copy of the ledger is not whole; try again")
            }
        }
        try copy.close()
    }

    private static func checkReplaceable(_ path: String, ledger: String) async throws(UploadError) {
        let companions = ["-wal", "-shm", "-journal", ".lock"].map { ledger + $0 }
        guard !companions.contains(URL(filePath: path).standardizedFileURL.path) else {
            throw UploadError(.rejected, "\(path) belongs to the ledger itself; name another file for its backup")
        }
        guard FileManager.default.fileExists(atPath: path) else { return }
        let isOwn =
            URL(filePath: path).resolvingSymlinksInPath() == URL(filePath: ledger).resolvingSymlinksInPath()
        guard !isOwn else {
            throw UploadError(.rejected, "\(path) is the ledger itself; name another file for its backup")
        }
        var configuration = Configuration()
        configuration.readonly = true
        do {
            let old = try DatabaseQueue(path: path, configuration: configuration)
            let isLedger = try await old.read { try LedgerSchema.isLedger($0) }
            try old.close()
            if isLedger { return }
        } catch {
            throw UploadError(
                .rejected, "\(path) is no older backup; name another file", cause: error)
        }
        throw UploadError(.rejected, "\(path) is a database, but no older backup; name another file")
    }

    /// Makes the file, its name and its directory durable.
    private static func makeDurable(_ partial: String, as destination: String) throws(UploadError) -> Int64 {
        let file = Glibc.open(partial, O_RDWR | O_CLOEXEC)
        guard file >= 0 else { throw SQLiteFailure.unreachable(destination, errno: errno) }
        defer { Glibc.close(file) }
        var status = stat()
        guard fsync(file) == 0, fstat(file, &status) == 0, rename(partial, destination) == 0 else {
            throw SQLiteFailure.unreachable(destination, errno: errno)
        }
        let parent = Glibc.open(URL(filePath: destination).deletingLastPathComponent().path, O_RDONLY | O_CLOEXEC)
        guard parent >= 0 else { throw SQLiteFailure.unreachable(destination, errno: errno) }
        defer { Glibc.close(parent) }
        guard fsync(parent) == 0 else { throw SQLiteFailure.unreachable(destination, errno: errno) }
        return Int64(status.st_size)
    }
}
