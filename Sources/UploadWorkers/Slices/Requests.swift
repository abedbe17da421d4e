import Synchronization
import Uploads

/// The requests of a slice that can be cancelled while the slice goes on.
final class Requests: Sendable {
    private struct State: Sendable {
        var next: UInt64 = 0
        var tasks: [UInt64: Task<SliceFact, Never>] = [:]
        var isClosed = false
    }

    private let state = Mutex(State())

    /// Runs one as a part of the calling task: returns when the operation has.
    func run(_ operation: @escaping @Sendable () async -> SliceFact) async -> SliceFact {
        let task = Task { await operation() }
        let (id, isClosed) = state.withLock { state in
            state.next += 1
            state.tasks[state.next] = task
            return (state.next, state.isClosed)
        }
        if isClosed { task.cancel() }
        defer { state.withLock { _ = $0.tasks.removeValue(forKey: id) } }
        return await withTaskCancellationHandler {
            await task.value
        } onCancel: {
            task.cancel()
        }
    }

    /// Cancels all, and whatever comes later.
    func close() {
        state.withLock { $0.isClosed = true }
        cancelAll()
    }

    func cancelAll() {
        let tasks = state.withLock { Array($0.tasks.values) }
        for task in tasks { task.cancel() }
    }
}
