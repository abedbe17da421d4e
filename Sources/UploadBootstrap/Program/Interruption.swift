import Dispatch
public import Foundation
import Synchronization

/// Ctrl-C and SIGTERM while a command works: the first cancels it, so that it can tidy up and say what it did; the second
/// ends the process at once.
public final class Interruption: Sendable {
    private let count = Mutex(0)
    // Dispatch sources are thread-safe; they are made once and only cancelled.
    private nonisolated(unsafe) let sources: [any DispatchSourceSignal]

    /// - Parameter onFirst: called once.
    public init(signals: [Int32] = [SIGINT, SIGTERM], onFirst: @escaping @Sendable () -> Void) {
        sources = signals.map { number in
            // Dispatch watches signals beside their disposition: ignored, they do not end the process.
            signal(number, SIG_IGN)
            return DispatchSource.makeSignalSource(signal: number, queue: .global())
        }
        for source in sources {
            source.setEventHandler { [weak self] in self?.received(onFirst) }
            source.resume()
        }
    }

    deinit { for source in sources { source.cancel() } }

    public var wasInterrupted: Bool { count.withLock { $0 > 0 } }

    private func received(_ onFirst: @Sendable () -> Void) {
        let number = count.withLock {
            $0 += 1
            return $0
        }
        if number == 1 { onFirst() } else { _exit(ExitCode.interrupted.rawValue) }
    }
}
