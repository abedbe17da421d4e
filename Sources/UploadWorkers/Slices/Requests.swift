import Synchronization
import Uploads

/// The requests of a slice that can be cancelled while the slice goes on.
final class Requests: Sendable {
    /// A request that was decided on and may not run yet. If it is cancelled in between, it is cancelled as soon as it begins.
    struct Ticket: Sendable { fileprivate let cancellations: UInt64 }

    private struct State: Sendable {
        var next: UInt64 = 0
        var tasks: [UInt64: Task<SliceFact, Never>] = [:]
        var cancellations: UInt64 = 0
        var isClosed = false

        func calledOff(_ ticket: Ticket) -> Bool { isClosed || cancellations != ticket.cancellations }
    }

    private let state = Mutex(State())

    /// To be called where a request is decided on: its task begins some time later.
    func ticket() -> Ticket { state.withLock { Ticket(cancellations: $0.cancellations) } }

    /// Runs a request as a part of the calling task: returns when the operation has returned.
    func run(_ ticket: Ticket, _ operation: @escaping @Sendable () async -> SliceFact) async -> SliceFact {
        let isCalledOff = state.withLock { $0.calledOff(ticket) }
        let task = Task.immediate {
            if isCalledOff { withUnsafeCurrentTask { $0?.cancel() } }
            return await operation()
        }
        let (id, isCancelled) = state.withLock { state in
            state.next += 1
            state.tasks[state.next] = task
            return (state.next, state.calledOff(ticket))
        }
        if isCancelled { task.cancel() }
        defer { state.withLock { _ = $0.tasks.removeValue(forKey: id) } }
        return await withTaskCancellationHandler {
            await task.value
        } onCancel: {
            task.cancel()
        }
    }

    /// Cancels all requests, also those that come later.
    func close() {
        state.withLock { $0.isClosed = true }
        cancelAll()
    }

    /// Cancels all requests that were decided on so far.
    func cancelAll() {
        let tasks = state.withLock { state in
            state.cancellations += 1
            return Array(state.tasks.values)
        }
        for task in tasks { task.cancel() }
    }
}
