public import Foundation

/// The time of day and a way to wait for it, so that tests run schedules of days in no time.
public struct NotifierClock: Sendable {
    public var now: @Sendable () -> Date
    /// Returns at this time at the earliest.
    /// - Throws: `CancellationError` when the task is cancelled first.
    public var sleep: @Sendable (_ until: Date) async throws -> Void

    public init(
        now: @escaping @Sendable () -> Date, sleep: @escaping @Sendable (_ until: Date) async throws -> Void
    ) {
        self.now = now
        self.sleep = sleep
    }

    /// The longest sleep, in seconds: a row of the ledger may be due at any time at all, and a `Duration` of too many seconds traps.
    static let sleepMaximum: TimeInterval = 1e9

    /// The machine's clock. A task that would sleep longer than ``sleepMaximum``, about 31 years, is woken then.
    public static let system = NotifierClock(
        now: { Date() },
        sleep: { try await Task.sleep(for: pause(of: $0.timeIntervalSinceNow)) })

    /// The pause for any number of seconds.
    static func pause(of seconds: TimeInterval) -> Duration {
        seconds > 0 ? .seconds(min(seconds, sleepMaximum)) : .zero
    }

    func sleep(for duration: Duration) async throws { try await sleep(now().addingTimeInterval(duration.seconds)) }
}

extension Duration {
    var seconds: TimeInterval {
        TimeInterval(components.seconds) + TimeInterval(components.attoseconds) * 1e-18
    }
}
