/// An error of the database under a ledger.
package protocol LedgerDatabaseError: Error {
    /// Whether one message or one row causes it, so that others can still be recorded.
    var isOfOne: Bool { get }

    /// The reason in short, without values.
    var words: String { get }
}

/// Tells the failures of one message or one row from those of a ledger as a whole.
package enum LedgerFailure {
    /// Whether a failure is the fault of one message or one row, so that this one fails at every try, and others do not.
    /// Every other failure (a full disk, a lock, a damaged file) concerns the database as a whole: all can be tried again.
    package static func isOfOne(_ error: any Error) -> Bool {
        if let failure = error as? UploadError {
            if [.misconfigured, .serverFailure, .networkFailure, .interrupted].contains(failure.code) { return false }
            return failure.cause.map { isOfOne($0) } ?? true
        }
        if error is CancellationError { return false }
        return (error as? any LedgerDatabaseError)?.isOfOne ?? true
    }

    /// The reason of a failure, in short. The decoder's own text is left out, since it may quote a value, which may be a secret.
    package static func words(for error: any Error) -> String {
        switch error {
        case let error as UploadError: error.message
        case let error as DamagedRow: error.text
        case let error as any LedgerDatabaseError: error.words
        case let error as DecodingError: error.place.map { "its field '\($0)' cannot be read" } ?? "it is not JSON"
        case EncodingError.invalidValue(_, let context):
            context.codingPath.isEmpty
                ? "it cannot be written as JSON"
                : "its field '\(DecodingError.text(context.codingPath))' cannot be written as JSON"
        default: "\(type(of: error))"
        }
    }
}

extension DecodingError {
    /// The field that does not decode; nil for the whole value.
    fileprivate var place: String? {
        let path: [any CodingKey] =
            switch self {
            case .dataCorrupted(let context), .typeMismatch(_, let context), .valueNotFound(_, let context):
                context.codingPath
            case .keyNotFound(let key, let context): context.codingPath + [key]
            @unknown default: []
            }
        return path.isEmpty ? nil : Self.text(path)
    }

    fileprivate static func text(_ path: [any CodingKey]) -> String {
        path.map { $0.intValue.map(String.init) ?? $0.stringValue }.joined(separator: ".")
    }
}
