import Synchronization

/// Watches requests and publisher confirms that may take too long: one sleeper for all, because a timer for each costs
/// as much as a small request.
package final class StallDetector: Sendable {
    package static let shared = StallDetector()
    /// How late a stall may be noticed.
    private static let interval = Duration.milliseconds(100)

    private struct State {
        var lastID = 0
        var isLooking = false
        var checks: [Int: @Sendable () -> Bool] = [:]
    }

    private let state = Mutex(State())

    /// - Parameter isOver: called at intervals, until it returns true or is removed; the caller does not wait for it.
    /// - Returns: the id that ``remove(_:)`` takes.
    package func add(_ isOver: @escaping @Sendable () -> Bool) -> Int {
        let (id, isLooking) = state.withLock { state in
            state.lastID += 1
            state.checks[state.lastID] = isOver
            defer { state.isLooking = true }
            return (state.lastID, state.isLooking)
        }
        if !isLooking { Task.detached { await self.look() } }
        return id
    }

    package func remove(_ id: Int) { state.withLock { _ = $0.checks.removeValue(forKey: id) } }

    /// Runs until no check is left.
    private func look() async {
        while true {
            try? await Task.sleep(for: Self.interval)
            let checks = state.withLock { state in
                state.isLooking = !state.checks.isEmpty
                return state.checks
            }
            guard !checks.isEmpty else { return }
            for (id, isOver) in checks where isOver() { remove(id) }
        }
    }
}
