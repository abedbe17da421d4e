import Synchronization

/// An event that happens once (a connection is lost, a queue drains, a marker arrives); any number of tasks may wait for it.
package final class Signal: Sendable {
    private struct State {
        var isFired = false
        var lastID = 0
        var callbacks: [Int: @Sendable () -> Void] = [:]
    }

    private let state = Mutex(State())

    package init() {}

    package var isFired: Bool { state.withLock { $0.isFired } }

    package func fire() {
        let callbacks = state.withLock { state in
            state.isFired = true
            defer { state.callbacks = [:] }
            return state.callbacks.values
        }
        for callback in callbacks { callback() }
    }

    /// Calls back once: when the signal fires, or at once if it has fired.
    /// - Returns: the id that ``remove(_:)`` takes, for a signal that outlives the interest in it.
    @discardableResult
    package func onFire(_ callback: @escaping @Sendable () -> Void) -> Int? {
        let id = state.withLock { state -> Int? in
            guard !state.isFired else { return nil }
            state.lastID += 1
            state.callbacks[state.lastID] = callback
            return state.lastID
        }
        if id == nil { callback() }
        return id
    }

    package func remove(_ id: Int?) {
        guard let id else { return }
        state.withLock { _ = $0.callbacks.removeValue(forKey: id) }
    }

    /// Waits until the signal fires. Cancelling the calling task does not end the wait.
    package func wait() async {
        await withCheckedContinuation { waiter in
            _ = onFire { waiter.resume() }
        }
    }

    /// Waits until this signal or one of the others fires, or the time has passed; cancelling the calling task ends the wait too.
    /// - Returns: whether this signal has fired.
    @discardableResult
    package func wait(atMost limit: Duration? = nil, or others: Signal...) async -> Bool {
        let either = Signal()
        let own = onFire { either.fire() }
        let registrations = others.map { ($0, $0.onFire { either.fire() }) }
        let timer = limit.map { limit in
            Task {
                try? await Task.sleep(for: limit)
                either.fire()
            }
        }
        await withTaskCancellationHandler {
            await either.wait()
        } onCancel: {
            either.fire()
        }
        timer?.cancel()
        remove(own)
        for (other, registration) in registrations { other.remove(registration) }
        return isFired
    }

    /// Runs the operation in a task of its own, which the signal cancels and the cancellation of the caller does not: a
    /// cancellation must not come between a confirm and the acknowledgement that follows it.
    package func cancelling<Value: Sendable>(_ operation: @escaping @Sendable () async -> Value) async -> Value {
        let task = Task { await operation() }
        let registration = onFire { task.cancel() }
        defer { remove(registration) }
        return await task.value
    }
}
