import Synchronization

/// One result for one waiter. Result, cancellation and the wait itself may come in any order, from any thread; the
/// first result counts, and a waiter is always resumed exactly once.
final class Promise<Value: Sendable>: Sendable {
    typealias Outcome = Result<Value, RabbitMQError>

    private enum State {
        case pending
        case waiting(CheckedContinuation<Outcome, Never>)
        case resolved(Outcome)
        case finished
    }

    private let state = Mutex(State.pending)

    /// - Returns: whether this was the first result.
    @discardableResult
    func resolve(_ outcome: Outcome) -> Bool {
        let (isFirst, waiter) = state.withLock { state -> (Bool, CheckedContinuation<Outcome, Never>?) in
            switch state {
            case .pending:
                state = .resolved(outcome)
                return (true, nil)
            case .waiting(let waiter):
                state = .finished
                return (true, waiter)
            case .resolved, .finished:
                return (false, nil)
            }
        }
        waiter?.resume(returning: outcome)
        return isFirst
    }

    func fail(_ error: RabbitMQError) { resolve(.failure(error)) }

    /// Whether it has a result already, also because the caller was cancelled.
    var isResolved: Bool {
        state.withLock {
            switch $0 {
            case .pending, .waiting: false
            case .resolved, .finished: true
            }
        }
    }

    /// Waits even if the calling task is cancelled. Call it once.
    func outcome() async -> Outcome {
        await withCheckedContinuation { (waiter: CheckedContinuation<Outcome, Never>) in
            let early = state.withLock { state -> Outcome? in
                switch state {
                case .pending:
                    state = .waiting(waiter)
                    return nil
                case .resolved(let outcome):
                    state = .finished
                    return outcome
                case .waiting, .finished:
                    return .failure(RabbitMQError(.cancelled, "a result was awaited twice"))
                }
            }
            if let early { waiter.resume(returning: early) }
        }
    }

    /// Waits until the calling task is cancelled. Call it once.
    func value() async throws(RabbitMQError) -> Value {
        let outcome = await withTaskCancellationHandler {
            await self.outcome()
        } onCancel: {
            fail(RabbitMQError(.cancelled, "the calling task was cancelled; what was sent may still take effect"))
        }
        return try outcome.get()
    }
}
