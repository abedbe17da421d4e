public import Foundation

/// The failure of an upload: what went wrong with what, and what to do about it.
///
/// Every driver maps each foreign status or errno to one of these once, beside a reference to its manual; whether and
/// when a job is tried again is decided from `retry` in one place.
public struct UploadError: Error, Sendable {
    /// The kind of failure: bounded, so it may be a metric label.
    public let code: Code
    /// What went wrong with what, and its remedy. Safe to log: never a secret, never the query of a URL.
    /// Cut to ``WireLimits/messageLengthMaximum``.
    public let message: String
    /// Whether trying again may help.
    public let retry: Retry
    /// The error underneath, for diagnosis only; its text may be unsafe to show and is not part of `description`.
    public let cause: (any Error)?
    /// The destination's answer, where the failure is an answer.
    public let response: ServerResponse?
    /// Whether the place that the source object is read from failed, and not the destination. Known only to the process that saw it.
    public private(set) var isOfSource = false
    /// Where in the source the error was made.
    public let location: SourceLocation

    public init(
        _ code: Code,
        _ message: String,
        retry: Retry? = nil,
        cause: (any Error)? = nil,
        response: ServerResponse? = nil,
        file: String = #fileID,
        line: Int = #line
    ) {
        self.code = code
        self.message = message.codePointPrefix(WireLimits.messageLengthMaximum)
        self.retry = retry ?? code.usualRetry
        self.cause = cause
        self.response = response
        self.location = SourceLocation(file: file, line: line)
    }

    /// The same error, as one of the place that the source object is read from.
    public var ofSource: UploadError {
        var error = self
        error.isOfSource = true
        return error
    }

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
