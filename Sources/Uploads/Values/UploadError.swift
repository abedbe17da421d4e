public import Foundation

/// The failure of an upload: what went wrong with what, and what to do about it.
///
/// Every driver maps each foreign status or errno to one of these once, beside a reference to its manual; whether and
/// when a job is tried again is decided from `retry` in one place.
public struct UploadError: Error, Sendable {
    private struct Fields: Sendable {
        let code: Code
        let message: String
        let retry: Retry
        let cause: (any Error)?
        let response: ServerResponse?
        let location: SourceLocation
        var isOfSource = false
    }

    private final class Storage: Sendable {
        let fields: Fields

        init(_ fields: Fields) { self.fields = fields }
    }

    /// One reference: every call that may throw, and every task that waits for such a call, keeps room for an error.
    private let storage: Storage

    /// The kind of failure: bounded, so it may be a metric label.
    public var code: Code { storage.fields.code }
    /// What went wrong with what, and its remedy. Safe to log: never a secret, never the query of a URL.
    /// Cut to ``WireLimits/messageLengthMaximum``.
    public var message: String { storage.fields.message }
    /// Whether trying again may help.
    public var retry: Retry { storage.fields.retry }
    /// The error underneath, for diagnosis only; its text may be unsafe to show and is not part of `description`.
    public var cause: (any Error)? { storage.fields.cause }
    /// The destination's answer, where the failure is an answer.
    public var response: ServerResponse? { storage.fields.response }
    /// Whether the place that the source object is read from failed, and not the destination. Known only to the process that saw it.
    public var isOfSource: Bool { storage.fields.isOfSource }
    /// Where in the source the error was made.
    public var location: SourceLocation { storage.fields.location }

    public init(
        _ code: Code,
        _ message: String,
        retry: Retry? = nil,
        cause: (any Error)? = nil,
        response: ServerResponse? = nil,
        file: String = #fileID,
        line: Int = #line
    ) {
        let fields = Fields(
            code: code, message: message.codePointPrefix(WireLimits.messageLengthMaximum),
            retry: retry ?? code.usualRetry, cause: cause, response: response,
            location: SourceLocation(file: file, line: line))
        storage = Storage(fields)
    }

    /// The same error, as one of the place that the source object is read from.
    public var ofSource: UploadError {
        var fields = storage.fields
        fields.isOfSource = true
        return UploadError(storage: Storage(fields))
    }

    private init(storage: Storage) { self.storage = storage }

    /// Whether, and when, a failed step may be repeated.
    public enum Retry: Hashable, Sendable {
        /// Repeating cannot help until an operator or producer changes something.
        case never
        /// The usual backoff of the job's policy.
        case afterBackoff
        /// Not before this many seconds, as the destination asked (`Retry-After`).
        case after(seconds: TimeInterval)
        /// Nothing failed: the destination still processes the bytes that it has. The worker asks again in this many
        /// seconds; not an attempt, and bounded by the destination's patience and the job's lifetime.
        case notYet(seconds: TimeInterval)
        /// The destination was not asked: the job waits because of an earlier answer, or a lock. Tried again in this
        /// many seconds; not an attempt.
        case pause(seconds: TimeInterval)
    }

    public struct SourceLocation: Hashable, Sendable {
        public let file: String
        public let line: Int
    }
}

extension UploadError.Retry {
    /// The seconds that the case carries.
    var seconds: TimeInterval? {
        switch self {
        case .never, .afterBackoff: nil
        case .after(let seconds), .notYet(let seconds), .pause(let seconds): seconds
        }
    }

    /// Whether nothing failed.
    var isNotYet: Bool { if case .notYet = self { true } else { false } }
}

extension UploadError: CustomStringConvertible, CustomDebugStringConvertible {
    public var description: String { "\(code): \(message)" }

    public var debugDescription: String {
        let underneath = cause.map { "; cause: \(String(reflecting: $0))" } ?? ""
        return "\(code): \(message) (\(location.file):\(location.line), retry: \(retry)\(underneath))"
    }
}
