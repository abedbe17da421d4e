/// A failure between this program and the server, with its remedy.
public struct PostgreSQLError: Error, Sendable {
    public var code: Code
    /// The event, its object, and its remedy. The server's detail, which shows values of rows, is not part of it.
    public var message: String
    /// The server's five characters for the error, if it gave any (PostgreSQL, appendix A: `40001`, `53100` …).
    public var sqlState: String?
    /// Whether the same call, or the same transaction from its beginning, may succeed when it is repeated later.
    public var isRetryable: Bool
    /// Whether the server may have carried out the statements although the call failed. After a lost connection only a look at the
    /// data says whether a COMMIT took effect.
    public var isOutcomeUnknown: Bool

    public init(
        _ code: Code, _ message: String, sqlState: String? = nil, isRetryable: Bool? = nil,
        isOutcomeUnknown: Bool = false
    ) {
        self.code = code
        self.message = message
        self.sqlState = sqlState
        self.isRetryable = isRetryable ?? code.isUsuallyRetryable
        self.isOutcomeUnknown = isOutcomeUnknown
    }
}

extension PostgreSQLError: CustomStringConvertible {
    /// Safe to log.
    public var description: String {
        sqlState.map { "\(code) (\($0)): \(message)" } ?? "\(code): \(message)"
    }
}
