public import Foundation

/// The time of day and a way to wait for it, so that schedules of days are tested in no time.
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

    /// The machine's.
    public static let system = NotifierClock(
        now: { Date() },
        sleep: { try await Task.sleep(for: .seconds(max(0, $0.timeIntervalSinceNow))) })

    func sleep(for duration: Duration) async throws { try await sleep(now().addingTimeInterval(duration.seconds)) }
}

extension Duration {
    var seconds: TimeInterval {
        TimeInterval(components.seconds) + TimeInterval(components.attoseconds) * 1e-18
    }
}
