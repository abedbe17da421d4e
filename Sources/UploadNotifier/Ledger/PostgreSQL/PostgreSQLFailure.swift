import Foundation
import PostgreSQL
import Uploads

/// Translates errors of PostgreSQL into errors with a remedy.
enum PostgreSQLFailure {
    static func describe(_ error: any Error, path: String) -> UploadError {
        if let error = error as? UploadError { return error }
        if let damage = error as? DamagedRow { return damage.failure }
        if error is CancellationError {
            return UploadError(.interrupted, "stopped while using the ledger", cause: error)
        }
        guard let failure = error as? PostgreSQLError else {
            return UploadError(
                .unknown, "the ledger \(path) cannot be used: \(LedgerFailure.words(for: error))", cause: error)
        }
        let (code, what): (UploadError.Code, String) =
            switch failure.code {
            case .cancelled, .closed: (.interrupted, "stopped while using the ledger")
            case .diskFull: (.serverFailure, "no space is left for the ledger \(path); free some")
            case .connectionLost, .connectionRefused, .timedOut:
                (.serverFailure, "the ledger \(path) cannot be reached: \(failure.message)")
            case .overloaded, .conflict, .readOnly, .serverFailed:
                (.serverFailure, "the ledger \(path) cannot be written just now: \(failure.message)")
            case .damaged:
                (.misconfigured, "the database of the ledger \(path) is damaged: \(failure.message)")
            case .accessRefused:
                (
                    .misconfigured,
                    "the ledger \(path) cannot be used: \(failure.message); its user has to own the tables, and needs CREATE "
                        + "on the database or a schema and extensions that were made for it (the page Operating, \"In "
                        + "PostgreSQL\")"
                )
            case .loginRefused, .notFound, .invalidConfiguration:
                (.misconfigured, "the ledger \(path) cannot be opened: \(failure.message)")
            case .invalidStatement:
                (.misconfigured, "another program has changed the tables of the ledger \(path): \(failure.message)")
            default: (.unknown, "the ledger \(path) refuses a row: \(failure.message)")
            }
        return UploadError(code, what, retry: failure.isRetryable ? .afterBackoff : .never, cause: error)
    }
}

extension PostgreSQLError: LedgerDatabaseError {
    package var isOfOne: Bool { code == .constraintViolated || code == .invalidValue }

    package var words: String { sqlState.map { "PostgreSQL's code \($0), \(message)" } ?? message }
}
