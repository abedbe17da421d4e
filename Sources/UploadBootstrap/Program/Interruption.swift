import Dispatch
public import Foundation
import Synchronization

/// Ctrl-C and SIGTERM while a command works: the first cancels what is marked as cancellable, so that it can tidy up and say
/// what it did; the second ends the process at once.
public final class Interruption: Sendable {
    private struct State {
        var count = 0
        var cancel: (@Sendable () -> Void)?
    }

    private let state = Mutex(State())
    // Dispatch sources are thread-safe; they are made once and only cancelled.
    private nonisolated(unsafe) let sources: [any DispatchSourceSignal]

    public init(signals: [Int32] = [SIGINT, SIGTERM]) {
        sources = signals.map { number in
            DispatchSource.makeSignalSource(signal: number, queue: .global())
        }
        for source in sources {
            source.setEventHandler { [weak self] in self?.received() }
            source.resume()
        }
    }

    deinit { for source in sources { source.cancel() } }

    public var wasInterrupted: Bool { state.withLock { $0.count > 0 } }

    /// Runs the body in a task that the first signal cancels. One at a time.
    public func cancelling<Value: Sendable>(
        _ body: @escaping @Sendable () async throws -> Value
    ) async throws -> Value {
        let task = Task(operation: body)
        let isLate = state.withLock { state in
            state.cancel = { task.cancel() }
            return state.count > 0
        }
        if isLate { task.cancel() }
        defer { state.withLock { $0.cancel = nil } }
        return try await task.value
    }

    /// What a signal does; tests call it themselves.
    func received() {
        let (count, cancel) = state.withLock { state in
            state.count += 1
            return (state.count, state.cancel)
        }
        if count == 1 { cancel?() } else { _exit(ExitCode.interrupted.rawValue) }
    }
}
