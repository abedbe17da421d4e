import Synchronization

/// Tells any number of listeners how the connection is doing, the current state first.
///
/// Two locks keep a publication and the cancellation of a listener apart. A continuation that yields or finishes wants the lock of the task
/// that listens; a task that is cancelled holds that lock while it calls `onTermination`. So `onTermination` takes only ``listeners``, and
/// nothing yields while it holds that.
final class StateBroadcaster: Sendable {
    private typealias Listener = AsyncStream<ConnectionState>.Continuation

    private struct State {
        var current: ConnectionState?
        var lastID: UInt64 = 0
    }

    /// How many states may wait for a slow listener; older ones are dropped.
    static let waitingMaximum = 16

    /// Held while a state is told, so that all listeners hear of all in order.
    private let state = Mutex(State())
    private let listeners = Mutex<[UInt64: Listener]>([:])

    func publish(_ new: ConnectionState) {
        state.withLock { state in
            if case .closed? = state.current { return }
            state.current = new
            let listeners = listeners.withLock { Array($0.values) }
            for listener in listeners { listener.yield(new) }
            guard case .closed = new else { return }
            for listener in listeners { listener.finish() }
        }
    }

    func listen() -> AsyncStream<ConnectionState> {
        let (stream, continuation) = AsyncStream.makeStream(
            of: ConnectionState.self, bufferingPolicy: .bufferingNewest(Self.waitingMaximum))
        let id = state.withLock { state -> UInt64? in
            if let current = state.current { continuation.yield(current) }
            if case .closed? = state.current { return nil }
            state.lastID += 1
            listeners.withLock { $0[state.lastID] = continuation }
            return state.lastID
        }
        guard let id else {
            continuation.finish()
            return stream
        }
        continuation.onTermination = { [weak self] _ in self?.forget(id) }
        return stream
    }

    private func forget(_ id: UInt64) { listeners.withLock { _ = $0.removeValue(forKey: id) } }
}
