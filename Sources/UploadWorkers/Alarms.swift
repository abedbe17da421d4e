import Synchronization

/// Calls back at given times. One task sleeps until the earliest of them, so that an alarm that is mostly called off before its time, as
/// those of small jobs are, needs neither a task nor a timer of its own.
final class Alarms: Sendable {
    struct ID: Hashable, Sendable {
        fileprivate let number: UInt64
    }

    private struct Alarm: Sendable {
        let at: Duration
        let ring: @Sendable () -> Void
    }

    private struct State: Sendable {
        var last: UInt64 = 0
        var alarms: [UInt64: Alarm] = [:]
        var sleeper: Task<Void, Never>?
        /// The number of the task that counts; another one ends.
        var sleeperNumber: UInt64 = 0
        var sleepsUntil: Duration?
    }

    private let state = Mutex(State())
    private let clock: any Clock<Duration>
    private let elapsed: @Sendable () -> Duration

    init(clock: any Clock<Duration>) {
        self.clock = clock
        elapsed = RateLimiter.stopwatch(clock)
    }

    /// - Parameter ring: called once, unless the alarm is called off. It must return at once.
    func set(after delay: Duration, _ ring: @escaping @Sendable () -> Void) -> ID {
        let at = elapsed() + delay
        return state.withLock { state in
            state.last += 1
            state.alarms[state.last] = Alarm(at: at, ring: ring)
            if state.sleepsUntil.map({ at < $0 }) ?? true { startSleeper(until: at, &state) }
            return ID(number: state.last)
        }
    }

    /// Calls an alarm off. It may be ringing at this moment.
    func remove(_ id: ID) {
        state.withLock { state in
            state.alarms[id.number] = nil
            if state.alarms.isEmpty { endSleeper(&state) }
        }
    }

    private func startSleeper(until at: Duration, _ state: inout State) {
        endSleeper(&state)
        state.sleepsUntil = at
        state.sleeper = Task { [self, number = state.sleeperNumber] in
            while let wake = nextWake(number), (try? await clock.sleep(for: max(.zero, wake - elapsed()))) != nil {
                for alarm in due(number, wake) { alarm.ring() }
            }
        }
    }

    private func endSleeper(_ state: inout State) {
        state.sleeper?.cancel()
        state.sleeper = nil
        state.sleepsUntil = nil
        state.sleeperNumber += 1
    }

    private func nextWake(_ number: UInt64) -> Duration? {
        state.withLock { state in
            guard number == state.sleeperNumber else { return nil }
            state.sleepsUntil = state.alarms.values.lazy.map(\.at).min()
            if state.sleepsUntil == nil { endSleeper(&state) }
            return state.sleepsUntil
        }
    }

    private func due(_ number: UInt64, _ wake: Duration) -> [Alarm] {
        let now = max(wake, elapsed())
        return state.withLock { state in
            guard number == state.sleeperNumber else { return [] }
            let due = state.alarms.filter { $0.value.at <= now }
            for id in due.keys { state.alarms[id] = nil }
            return due.values.sorted { $0.at < $1.at }
        }
    }
}
