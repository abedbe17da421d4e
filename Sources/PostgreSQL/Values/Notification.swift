/// A message of another session to a channel that this connection listens to (`LISTEN`).
public struct Notification: Hashable, Sendable {
    public var channel: String
    public var payload: String
    /// The process of the sending session at the server.
    public var process: Int32
}
