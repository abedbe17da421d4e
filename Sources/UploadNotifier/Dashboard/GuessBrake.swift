import Foundation
import Synchronization

/// Slows down those who guess a token: each wrong one is answered later than the one before, up to 4 s, and of those that
/// wait for their answer there are few. Who knows the token waits for nothing.
final class GuessBrake: Sendable {
    /// Most wrong ones at once; beyond, none is looked at.
    static let waitingMaximum = 8
    private static let firstDelay: TimeInterval = 0.25
    private static let delayMaximum: TimeInterval = 4
    /// Seconds without a wrong one after which all is forgotten.
    private static let forgetAfter: TimeInterval = 60

    private struct State {
        var wrong = 0
        var last = Date.distantPast
        /// Until when wrong ones are held back. Who hangs up makes no room.
        var due: [Date] = []
    }

    private let state = Mutex(State())

    /// Whether another one may be looked at.
    func isOpen(at now: Date) -> Bool {
        state.withLock { state in
            state.due.removeAll { $0 <= now }
            return state.due.count < Self.waitingMaximum
        }
    }

    /// One was wrong.
    /// - Returns: when that may be said.
    func wrong(at now: Date) -> Date {
        state.withLock { state in
            if now.timeIntervalSince(state.last) > Self.forgetAfter { state.wrong = 0 }
            let delay = min(Self.delayMaximum, Self.firstDelay * Double(1 << min(state.wrong, 10)))
            state.wrong += 1
            state.last = now
            let until = now.addingTimeInterval(delay)
            state.due.append(until)
            return until
        }
    }
}
