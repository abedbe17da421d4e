import Foundation
import Synchronization

/// The output of `uploadctl watch`: on a terminal bars at the bottom and events above them, otherwise a line for each
/// event.
final class WatchDisplay: Sendable {
    /// The time between two drawings; each asks for the size of the terminal.
    private static let interval = Duration.milliseconds(200)

    private struct State {
        var watched = WatchedUploads()
        var area = LiveArea()
    }

    /// Whether there are bars.
    let isLive: Bool
    private let state = Mutex(State())
    private let start = ContinuousClock.now

    init(isLive: Bool) { self.isLive = isLive }

    func change(_ body: (inout WatchedUploads, _ time: TimeInterval) -> Void) {
        state.withLock { body(&$0.watched, time) }
    }

    /// Writes a result.
    /// - Returns: whether standard output still has a reader.
    func output(_ line: String) -> Bool {
        guard isLive else { return Console.output(line: line) }
        return draw(telling: [line])
    }

    /// Writes a message that is no result.
    func say(_ line: String) {
        guard isLive else { return Console.error(line: line) }
        clear()
        Console.error(line: line)
        draw()
    }

    /// Draws until the task is cancelled.
    func keepDrawing() async {
        while (try? await Task.sleep(for: Self.interval)) != nil { draw() }
    }

    func clear() {
        state.withLock { state in
            guard state.area.isDrawn else { return }
            Console.output(text: state.area.clear(columns: Self.size.columns))
        }
    }

    @discardableResult
    private func draw(telling told: [String] = []) -> Bool {
        state.withLock { state in
            let size = Self.size
            // The last column stays free: some terminals wrap when it is written.
            let lines = state.watched.lines(columns: max(1, size.columns - 1), rows: size.rows, at: time)
            return Console.output(text: state.area.update(telling: told, lines: lines, columns: size.columns))
        }
    }

    private var time: TimeInterval { (ContinuousClock.now - start) / .seconds(1) }

    private static var size: (columns: Int, rows: Int) {
        let size = Console.outputSize
        return (size?.columns ?? 80, max(2, size?.rows ?? 24))
    }
}
