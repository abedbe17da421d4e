import Foundation
import GRDB
import Uploads

/// What SQLite and the file system say (https://sqlite.org/rescode.html), and what to do about it.
enum LedgerFailure {
    static func describe(_ error: any Error, path: String) -> UploadError {
        if let error = error as? UploadError { return error }
        if error is CancellationError {
            return UploadError(.interrupted, "stopped while using the ledger", cause: error)
        }
        guard let failure = error as? DatabaseError else {
            return UploadError(.unknown, "the ledger \(path) cannot be used", cause: error)
        }
        switch failure.resultCode {
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
        case .SQLITE_FULL:
            return UploadError(
                .serverFailure, "no space is left for the ledger \(path); free some", retry: .afterBackoff, cause: error
            )
        case .SQLITE_IOERR:
            return UploadError(
                .serverFailure, "the disk failed under the ledger \(path)", retry: .afterBackoff, cause: error)
        default:
            return UploadError(
                .unknown, "the ledger \(path) answered with SQLite's code \(failure.extendedResultCode.rawValue)",
                cause: error)
        }
    }

    static func unreachable(_ path: String, errno code: Int32) -> UploadError {
        let why = String(cString: strerror(code))
        return UploadError(
            .misconfigured,
            "the ledger \(path) cannot be opened (\(why)); check the path and the rights of its directory")
    }

    static func unreachable(_ path: String, cause: any Error) -> UploadError {
        UploadError(
            .misconfigured, "the directory of the ledger \(path) cannot be made; check the path and its rights",
            cause: cause)
    }
}
