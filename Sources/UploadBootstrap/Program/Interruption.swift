import Dispatch
public import Foundation
import Synchronization

/// Handles Ctrl-C, SIGTERM and the end of the terminal (SIGHUP) while a command works. The first signal cancels the body of
/// ``cancelling(_:)``, so that the command can tidy up and report its results; the second one ends the process at once.
public final class Interruption: Sendable {
    private struct State {
        var wasInterrupted = false
        var tasks: [Int: @Sendable () -> Void] = [:]
        var count = 0
    }

    private let state = Mutex(State())
    // Dispatch sources are thread-safe; they are made once and only cancelled.
    private nonisolated(unsafe) let sources: [any DispatchSourceSignal]

    public init(signals: [Int32] = [SIGINT, SIGTERM, SIGHUP]) {
        let heard = signals.filter { $0 != SIGHUP || !Self.isIgnored($0) }
        sources = heard.map { DispatchSource.makeSignalSource(signal: $0, queue: .global()) }
        for (source, number) in zip(sources, heard) {
            source.setEventHandler { [weak self] in self?.received(number) }
            source.resume()
        }
    }

    /// Whether the process ignores a signal, as it does SIGHUP under `nohup`. A dispatch source would install a handler and undo that.
    private static func isIgnored(_ signal: Int32) -> Bool {
        var action = sigaction()
        sigaction(signal, nil, &action)
        return withUnsafeBytes(of: action.__sigaction_handler) { $0.load(as: Int.self) }
            == unsafeBitCast(SIG_IGN, to: Int.self)
    }

    deinit { for source in sources { source.cancel() } }

    public var wasInterrupted: Bool { state.withLock { $0.wasInterrupted } }

    /// Runs the body in a task that the first signal cancels, and that is cancelled with the caller's. Several may run at once.
    public func cancelling<Value: Sendable>(
        _ body: @escaping @Sendable () async throws -> Value
    ) async throws -> Value {
        let task = Task(operation: body)
        let (number, isLate) = state.withLock { state in
            state.count += 1
            state.tasks[state.count] = { task.cancel() }
            return (state.count, state.wasInterrupted)
        }
        if isLate { task.cancel() }
        defer { state.withLock { $0.tasks[number] = nil } }
        return try await withTaskCancellationHandler {
            try await task.value
        } onCancel: {
            task.cancel()
        }
    }

    /// Handles a signal; tests call this directly.
    func received(_ signal: Int32) {
        let (isFirst, tasks) = state.withLock { state in
            defer { state.wasInterrupted = true }
            return (!state.wasInterrupted, state.tasks)
        }
        if isFirst {
            for cancel in tasks.values { cancel() }
        } else if signal != SIGHUP {
            // A terminal that closes sends SIGHUP twice: from its shell and from the kernel.
            _exit(ExitCode.interrupted.rawValue)
        }
    }
}
