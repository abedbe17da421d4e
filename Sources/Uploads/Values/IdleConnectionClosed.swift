/// The cause of a `networkFailure` whose request died on a connection that had rested, before any answer: the server had closed it, which says
/// nothing of the server. What may be sent twice was sent again already.
public struct IdleConnectionClosed: Error {
    public let cause: any Error

    public init(_ cause: any Error) { self.cause = cause }
}
