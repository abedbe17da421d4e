/// The cause of a `networkFailure` whose request died, before any answer, on an idle connection that the server had
/// closed. It says nothing about the server's health. A request that may be sent twice was sent again already.
public struct IdleConnectionClosed: Error {
    public let cause: any Error

    public init(_ cause: any Error) { self.cause = cause }
}
