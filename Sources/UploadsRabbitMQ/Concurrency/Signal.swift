import Synchronization

/// Something that happens once: a connection is lost, a queue drains, a marker comes by.
final class Signal: Sendable {
    private struct State {
        var isFired = false
        var lastID = 0
        var callbacks: [Int: @Sendable () -> Void] = [:]
    }

    private let state = Mutex(State())

    var isFired: Bool { state.withLock { $0.isFired } }

    func fire() {
        let callbacks = state.withLock { state in
            state.isFired = true
            defer { state.callbacks = [:] }
            return state.callbacks.values
        }
        for callback in callbacks { callback() }
    }

    /// Calls back once: when it fires, or at once if it has.
    /// - Returns: what ``remove(_:)`` wants, for signals that outlive the interest in them.
    @discardableResult
    func onFire(_ callback: @escaping @Sendable () -> Void) -> Int? {
        let id = state.withLock { state -> Int? in
            guard !state.isFired else { return nil }
            state.lastID += 1
            state.callbacks[state.lastID] = callback
            return state.lastID
        }
        if id == nil { callback() }
        return id
    }

    func remove(_ id: Int?) {
        guard let id else { return }
        state.withLock { _ = $0.callbacks.removeValue(forKey: id) }
    }

    /// Waits for it, whatever becomes of the calling task.
    func wait() async {
        await withCheckedContinuation { waiter in
            _ = onFire { waiter.resume() }
        }
    }

    /// Waits for it, for one of the others, or for the time to pass; cancelling the calling task ends the wait too.
    /// - Returns: whether this one has fired.
    @discardableResult
    func wait(atMost limit: Duration? = nil, or others: Signal...) async -> Bool {
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

    /// Runs the operation in a task of its own, which is cancelled when the signal fires and not when the caller is: what
    /// is confirmed and acknowledged must not be torn in two by a cancellation.
    func cancelling<Value: Sendable>(_ operation: @escaping @Sendable () async -> Value) async -> Value {
        let task = Task { await operation() }
        let registration = onFire { task.cancel() }
        defer { remove(registration) }
        return await task.value
    }
}
