/// A failure between this program and the broker, with its remedy.
public struct RabbitMQError: Error, Sendable {
    public var code: Code
    /// The event, its object, and its remedy; holds no secret.
    public var message: String
    /// The broker's reply code, if it gave one (AMQP 0-9-1, section 1.2: 312, 320, 403, 404, 406 …).
    public var replyCode: Int?
    /// Whether the same call may succeed when it is repeated later.
    public var isRetryable: Bool
    /// Whether the broker may have carried out the request although the call failed.
    public var isOutcomeUnknown: Bool
    public var cause: (any Error)?
    public var location: Location

    public init(
        _ code: Code, _ message: String, replyCode: Int? = nil, isRetryable: Bool? = nil,
        cause: (any Error)? = nil, file: String = #fileID, line: Int = #line
    ) {
        self.code = code
        self.message = message
        self.replyCode = replyCode
        self.isRetryable = isRetryable ?? code.isUsuallyRetryable
        self.isOutcomeUnknown = code.isUsuallyUnknown
        self.cause = cause
        self.location = Location(file: file, line: line)
    }

    /// The place in the source where the error was made.
    public struct Location: Hashable, Sendable {
        public var file: String
        public var line: Int
    }
}

extension RabbitMQError: CustomStringConvertible, CustomDebugStringConvertible {
    /// Safe to log.
    public var description: String {
        replyCode.map { "\(code) (\($0)): \(message)" } ?? "\(code): \(message)"
    }

    public var debugDescription: String {
        let because = cause.map { ", because \(String(reflecting: $0))" } ?? ""
        return "\(description)\(because) [\(location.file):\(location.line)]"
    }
}
