/// The state of a connection.
public enum ConnectionState: Sendable {
    /// Connected, with topology and consumers restored. A new epoch for each connect.
    case connected(epoch: UInt64)
    /// The broker is short of memory or disk and takes no messages: publishes wait.
    case blocked(reason: String)
    /// The broker takes messages again.
    case unblocked
    /// The connection was lost, or an attempt to reconnect failed; it is tried again until `Connection.close()`.
    case disconnected(RabbitMQError)
    /// Closed by this program; the last state.
    case closed
}
