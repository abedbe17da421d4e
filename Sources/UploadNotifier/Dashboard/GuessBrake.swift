import Foundation
import Synchronization

/// Slows down callers that guess a token: each wrong token is answered later than the one before, up to 4 s, and few
/// wrong tokens wait for their answer at once. A caller with the right token does not wait.
final class GuessBrake: Sendable {
    /// The most wrong tokens that wait for their answer; beyond, no token is checked.
    static let waitingMaximum = 8
    private static let firstDelay: TimeInterval = 0.25
    private static let delayMaximum: TimeInterval = 4
    /// Seconds without a wrong token after which the delays begin anew.
    private static let forgetAfter: TimeInterval = 60

    private struct State {
        var wrong = 0
        var last = Date.distantPast
        /// The times of the answers to wrong tokens. A caller that hangs up keeps its place until then.
        var due: [Date] = []
    }

    private let state = Mutex(State())

    /// Whether another token may be checked.
    func isOpen(at now: Date) -> Bool {
        state.withLock { state in
            state.due.removeAll { $0 <= now }
            return state.due.count < Self.waitingMaximum
        }
    }

    /// Notes a wrong token.
    /// - Returns: when to answer it.
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
