public import Foundation
import Synchronization

/// Collects for a process whether its host's clock is right: drivers and the job queue note what other clocks showed,
/// and the worker asks.
public final class ClockWitnesses: Sendable {
    /// One for the whole process, because its host has one clock.
    public static let shared = ClockWitnesses()
    /// For a process whose jobs know no clock but its own, so that no other clock can disagree.
    public static let alone = ClockWitnesses(isAlone: true)

    /// Seconds between two answers of servers that are looked at, and between two warnings.
    private static let lookInterval: TimeInterval = 60
    private static let warningInterval: TimeInterval = 3600

    private struct State: Sendable {
        var comparison = ClockComparison()
        var lookedAt = -TimeInterval.infinity
        var warnedAt = -TimeInterval.infinity
    }

    private let isAlone: Bool
    private let start = ContinuousClock.now
    private let state = Mutex(State())

    public init() { isAlone = false }

    private init(isAlone: Bool) { self.isAlone = isAlone }

    private var uptime: TimeInterval { start.duration(to: .now) / .seconds(1) }

    public func note(_ other: Date, by witness: ClockComparison.Witness, now: Date = Date()) {
        state.withLock { $0.comparison.note(other, by: witness, now: now, uptime: uptime) }
    }

    /// Notes the time of a server's answer, at most once a minute.
    /// - Parameter read: reads the time out of the answer; nil where there is none.
    public func noteAnswer(_ read: () -> Date?) {
        let isDue = state.withLock { state in
            let uptime = uptime
            guard uptime - state.lookedAt >= Self.lookInterval else { return false }
            state.lookedAt = uptime
            return true
        }
        if isDue, let other = read() { note(other, by: .server) }
    }

    public func isConfirmed(now: Date) -> Bool {
        isAlone || state.withLock { $0.comparison.isConfirmed(now: now, uptime: uptime) }
    }

    /// Seconds that this host's clock is ahead of the last one that disagreed; negative: behind; nil: none does.
    public var disagreement: TimeInterval? { state.withLock { $0.comparison.disagreement } }

    /// The disagreement when a warning of it is due, at most once an hour; nil otherwise.
    public func takeWarning() -> TimeInterval? {
        state.withLock { state in
            guard let ahead = state.comparison.disagreement, uptime - state.warnedAt >= Self.warningInterval else {
                return nil
            }
            state.warnedAt = uptime
            return ahead
        }
    }
}
