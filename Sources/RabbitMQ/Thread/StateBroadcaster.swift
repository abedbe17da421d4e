import Synchronization

/// Tells any number of listeners how the connection is doing, the current state first.
final class StateBroadcaster: Sendable {
    private struct State {
        var current: ConnectionState?
        var listeners: [UInt64: AsyncStream<ConnectionState>.Continuation] = [:]
        var lastID: UInt64 = 0
    }

    /// How many states may wait for a slow listener; older ones are dropped.
    static let waitingMaximum = 16

    private let state = Mutex(State())

    func publish(_ new: ConnectionState) {
        state.withLock { state in
            if case .closed? = state.current { return }
            state.current = new
            for listener in state.listeners.values { listener.yield(new) }
            guard case .closed = new else { return }
            // `finish` calls `onTermination`, which takes the lock: not from in here.
            for listener in state.listeners.values { listener.onTermination = nil }
            for listener in state.listeners.values { listener.finish() }
            state.listeners = [:]
        }
    }

    func listen() -> AsyncStream<ConnectionState> {
        let (stream, continuation) = AsyncStream.makeStream(
            of: ConnectionState.self, bufferingPolicy: .bufferingNewest(Self.waitingMaximum))
        let id = state.withLock { state -> UInt64? in
            if let current = state.current { continuation.yield(current) }
            if case .closed? = state.current { return nil }
            state.lastID += 1
            state.listeners[state.lastID] = continuation
            return state.lastID
        }
        guard let id else {
            continuation.finish()
            return stream
        }
        continuation.onTermination = { [weak self] _ in self?.forget(id) }
        return stream
    }

    private func forget(_ id: UInt64) { state.withLock { _ = $0.listeners.removeValue(forKey: id) } }
}
