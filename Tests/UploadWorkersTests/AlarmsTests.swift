import Synchronization
import Testing
import UploadTesting

@testable import UploadWorkers

@Suite(.timeLimit(.minutes(10))) struct AlarmsTests {
    private let clock = ManualClock()
    private let rung = Rung()

    private final class Rung: Sendable {
        private let state = Mutex<[String]>([])
        var names: [String] { state.withLock { $0 } }
        func add(_ name: String) { state.withLock { $0.append(name) } }
    }

    @Test func `alarms ring in the order of their times, and one task sleeps for all`() async throws {
        let alarms = Alarms(clock: clock)
        for (name, seconds) in [("c", 3), ("a", 1), ("b", 2), ("d", 3)] {
            _ = alarms.set(after: .seconds(seconds)) { [rung] in rung.add(name) }
        }
        try await eventually { clock.isAwaited(at: .seconds(1)) && clock.sleeperCount == 1 }
        clock.advance(by: .seconds(1))
        try await eventually { rung.names == ["a"] && clock.isAwaited(at: .seconds(2)) }
        // Two times at once.
        clock.advance(by: .seconds(2))
        try await eventually { rung.names.count == 4 }
        #expect(rung.names[1] == "b" && Set(rung.names[2...]) == ["c", "d"])
        try await eventually { clock.sleeperCount == 0 }
    }

    @Test func `an alarm that is called off does not ring, and nothing sleeps for it`() async throws {
        let alarms = Alarms(clock: clock)
        let first = alarms.set(after: .seconds(1)) { [rung] in rung.add("first") }
        let second = alarms.set(after: .seconds(2)) { [rung] in rung.add("second") }
        try await eventually { clock.sleeperCount == 1 }
        alarms.remove(first)
        clock.advance(by: .seconds(1))
        try await eventually { clock.isAwaited(at: .seconds(2)) }
        alarms.remove(second)
        try await eventually { clock.sleeperCount == 0 }
        _ = alarms.set(after: .seconds(1)) { [rung] in rung.add("third") }
        try await eventually { clock.isAwaited(at: .seconds(2)) }
        clock.advance(by: .seconds(1))
        try await eventually { rung.names == ["third"] }
    }

    @Test func `an alarm may set the next one while it rings`() async throws {
        let alarms = Alarms(clock: clock)
        @Sendable func again(_ number: Int) {
            rung.add("\(number)")
            if number < 3 { _ = alarms.set(after: .seconds(1)) { again(number + 1) } }
        }
        _ = alarms.set(after: .seconds(1)) { again(1) }
        for second in 1...3 {
            try await eventually { clock.isAwaited(at: .seconds(second)) }
            clock.advance(by: .seconds(1))
        }
        try await eventually { rung.names == ["1", "2", "3"] && clock.sleeperCount == 0 }
    }

    @Test func `ten thousand that are set and called off by many tasks leave nothing behind`() async throws {
        let alarms = Alarms(clock: clock)
        await withDiscardingTaskGroup { group in
            for number in 0..<10_000 {
                group.addTask { [rung] in
                    let alarm = alarms.set(after: .milliseconds(1000 - number % 7)) { rung.add("\(number)") }
                    if number % 3 == 0 { await Task.yield() }
                    alarms.remove(alarm)
                }
            }
        }
        try await eventually { clock.sleeperCount == 0 }
        clock.advance(by: .seconds(2))
        #expect(rung.names == [])
    }
}
