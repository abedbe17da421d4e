/// How a connection is doing.
public enum ConnectionState: Sendable {
    /// Connected, topology and consumers in place. A new epoch for each connect.
    case connected(epoch: UInt64)
    /// The broker is short of memory or disk and takes no messages: publishes wait.
    case blocked(reason: String)
    /// Publishes go on.
    case unblocked
    /// Lost, or an attempt to reconnect failed; it is tried again until `Connection.close()`.
    case disconnected(RabbitMQError)
    /// Closed by this program; the last state.
    case closed
}
