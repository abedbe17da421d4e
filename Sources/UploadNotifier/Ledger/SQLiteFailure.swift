import Foundation
import GRDB
import Uploads

/// Translates errors of SQLite (https://sqlite.org/rescode.html) and of the file system into errors with a remedy.
enum SQLiteFailure {
    static func describe(_ error: any Error, path: String) -> UploadError {
        if let error = error as? UploadError { return error }
        if let damage = error as? DamagedRow { return damage.failure }
        if error is CancellationError {
            return UploadError(.interrupted, "stopped while using the ledger", cause: error)
        }
        guard let failure = error as? DatabaseError else {
            return UploadError(
                .unknown, "the ledger \(path) cannot be used: \(LedgerFailure.words(for: error))", cause: error)
        }
        switch failure.resultCode {
        // SQLite reports a full disk by different codes, depending on the call: no page left, or a file that cannot be made or enlarged.
        case .SQLITE_FULL: return noSpace(path, cause: error)
        case .SQLITE_CANTOPEN where isFull(path), .SQLITE_IOERR where isFull(path): return noSpace(path, cause: error)
        case .SQLITE_NOTADB:
            return UploadError(
                .misconfigured, "\(path) is not a database; name another file for the ledger or move this one away",
                cause: error)
        case .SQLITE_CORRUPT:
            return UploadError(
                .misconfigured,
                "the ledger \(path) is damaged; move it away (uploads do not need it) and start again", cause: error)
        case .SQLITE_READONLY, .SQLITE_PERM, .SQLITE_CANTOPEN, .SQLITE_AUTH:
            return UploadError(
                .misconfigured, "the ledger \(path) cannot be written; check the rights of the file and its directory",
                cause: error)
        case .SQLITE_BUSY, .SQLITE_LOCKED:
            return UploadError(
                .serverFailure, "the ledger \(path) is locked by another program; close what has it open",
                retry: .afterBackoff, cause: error)
        case .SQLITE_IOERR:
            return UploadError(
                .serverFailure, "the disk failed under the ledger \(path)", retry: .afterBackoff, cause: error)
        default:
            return UploadError(
                .unknown, "the ledger \(path) answered with SQLite's code \(failure.extendedResultCode.rawValue)",
                cause: error)
        }
    }

    private static func noSpace(_ path: String, cause: (any Error)? = nil) -> UploadError {
        let remedy =
            fileSystem(of: path).map(lacksInodes) == true
            ? "its file system has no inodes left; remove some files there" : "free some"
        return UploadError(
            .serverFailure, "no space is left for the ledger \(path); \(remedy)", retry: .afterBackoff, cause: cause)
    }

    private static func isFull(_ path: String) -> Bool {
        fileSystem(of: path).map { $0.f_bavail == 0 || lacksInodes($0) } ?? false
    }

    /// statvfs(3); file systems without a fixed number of inodes answer 0.
    private static func lacksInodes(_ status: statvfs) -> Bool { status.f_files > 0 && status.f_favail == 0 }

    private static func fileSystem(of path: String) -> statvfs? {
        var status = statvfs()
        return statvfs(URL(filePath: path).deletingLastPathComponent().path, &status) == 0 ? status : nil
    }

    static func unreachable(_ path: String, errno code: Int32) -> UploadError {
        if [ENOSPC, EDQUOT].contains(code) { return noSpace(path) }
        let why = String(cString: strerror(code))
        return UploadError(
            .misconfigured,
            "the ledger \(path) cannot be opened (\(why)); check the path and the rights of its directory")
    }

    static func unreachable(_ path: String, cause: any Error) -> UploadError {
        if (cause as? CocoaError)?.code == .fileWriteOutOfSpace { return noSpace(path, cause: cause) }
        return UploadError(
            .misconfigured, "the directory of the ledger \(path) cannot be made; check the path and its rights",
            cause: cause)
    }
}

extension DatabaseError: LedgerDatabaseError {
    /// SQL functions, for example those of JSON, answer ERROR; a missing table does too: see `Ledger.checkTables`.
    package var isOfOne: Bool {
        [.SQLITE_CONSTRAINT, .SQLITE_MISMATCH, .SQLITE_TOOBIG, .SQLITE_RANGE, .SQLITE_ERROR].contains(resultCode)
    }

    /// SQLite names tables and columns.
    package var words: String {
        "SQLite's code \(extendedResultCode.rawValue)\(message.map { ", \($0)" } ?? "")"
    }
}
