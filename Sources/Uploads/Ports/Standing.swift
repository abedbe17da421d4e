/// How a held baton stands.
public enum Standing: Hashable, Sendable {
    /// It counts; go on.
    case holds
    /// A higher generation counts: stop at once, touch nothing.
    case superseded
    /// The job is paused: stop at a part boundary and wait on the ladder.
    case paused
    /// Its transfer queue is stopped: stop at a part boundary and hand over.
    case stopped
    /// The connection that delivered it is gone: stop at once, publish nothing.
    case disconnected
}
