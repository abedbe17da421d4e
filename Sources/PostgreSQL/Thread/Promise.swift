import Glibc
import Synchronization

/// One result for one waiter, a task or a thread. Result and wait may come in either order, from any thread.
final class Promise<Value: Sendable>: Sendable {
    typealias Outcome = Result<Value, PostgreSQLError>

    private enum State {
        case pending
        case waiting(@Sendable (Outcome) -> Void)
        case resolved(Outcome)
        case finished
    }

    private let state = Mutex(State.pending)

    /// The first result counts.
    func resolve(_ outcome: Outcome) {
        let waiter = state.withLock { state -> (@Sendable (Outcome) -> Void)? in
            switch state {
            case .pending:
                state = .resolved(outcome)
                return nil
            case .waiting(let waiter):
                state = .finished
                return waiter
            case .resolved, .finished:
                return nil
            }
        }
        waiter?(outcome)
    }

    func fail(_ error: PostgreSQLError) { resolve(.failure(error)) }

    /// Calls back once with the result. Call it once.
    private func onResult(_ callback: @escaping @Sendable (Outcome) -> Void) {
        let early = state.withLock { state -> Outcome? in
            switch state {
            case .pending:
                state = .waiting(callback)
                return nil
            case .resolved(let outcome):
                state = .finished
                return outcome
            case .waiting, .finished:
                return .failure(PostgreSQLError(.closed, "a result was awaited twice"))
            }
        }
        if let early { callback(early) }
    }

    /// Waits, and has `cancel` called if the calling task is cancelled; the result comes all the same.
    func value(onCancel cancel: @escaping @Sendable () -> Void) async throws(PostgreSQLError) -> Value {
        let outcome = await withTaskCancellationHandler {
            await withCheckedContinuation { waiter in onResult { waiter.resume(returning: $0) } }
        } onCancel: {
            cancel()
        }
        return try outcome.get()
    }

    /// Blocks the calling thread, which must not be one that runs tasks.
    func wait() throws(PostgreSQLError) -> Value {
        let outcome = Mutex<Outcome?>(nil)
        nonisolated(unsafe) var semaphore = sem_t()
        sem_init(&semaphore, 0, 0)
        defer { sem_destroy(&semaphore) }
        return try withUnsafeMutablePointer(to: &semaphore) { semaphore throws(PostgreSQLError) in
            let address = UInt(bitPattern: semaphore)
            onResult { result in
                outcome.withLock { $0 = result }
                if let semaphore = UnsafeMutablePointer<sem_t>(bitPattern: address) { sem_post(semaphore) }
            }
            while sem_wait(semaphore) != 0 {}
            guard let outcome = outcome.withLock(\.self) else { throw ConnectionCore.closed }
            return try outcome.get()
        }
    }
}
