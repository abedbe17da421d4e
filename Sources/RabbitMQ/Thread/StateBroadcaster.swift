import Synchronization

/// Reports the connection's state to any number of listeners, the current state first.
///
/// Two locks keep a publication and the cancellation of a listener apart. A continuation that yields or finishes takes
/// the lock of the listening task. A cancelled task holds that lock while it calls `onTermination`. So no continuation
/// is called under ``state``, and only `publish` takes ``telling``.
final class StateBroadcaster: Sendable {
    private typealias Listener = AsyncStream<ConnectionState>.Continuation

    private struct State {
        var current: ConnectionState?
        var listeners: [UInt64: Listener] = [:]
        var lastID: UInt64 = 0
    }

    /// How many states may wait for a slow listener; older ones are dropped.
    static let waitingMaximum = 16

    private let state = Mutex(State())
    /// Held while a state is published, so that all listeners get all states in order.
    private let telling = Mutex(())

    func publish(_ new: ConnectionState) {
        telling.withLock { _ in
            let listeners = state.withLock { state -> [Listener] in
                if case .closed? = state.current { return [] }
                state.current = new
                return Array(state.listeners.values)
            }
            for listener in listeners {
                listener.yield(new)
                if case .closed = new { listener.finish() }
            }
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
