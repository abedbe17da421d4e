import Foundation
import Synchronization

/// Kills one program once, at a step that somebody else sees.
final class KillSwitch: Sendable {
    private struct State {
        var victim: RunningProgram?
        var isUsed = false
    }

    private let state = Mutex(State())

    func arm(_ victim: RunningProgram) { state.withLock { $0.victim = victim } }

    /// - Returns: whether this is the step, for the first time.
    func claim() -> Bool {
        state.withLock { state in
            guard state.victim != nil, !state.isUsed else { return false }
            state.isUsed = true
            return true
        }
    }

    /// Returns when the program is dead.
    func kill() { state.withLock(\.victim)?.killAndWait() }
}

extension RunningProgram {
    /// SIGKILL; returns on this very thread when it is dead.
    func killAndWait() {
        signal(SIGKILL)
        var information = siginfo_t()
        // Left for the thread that collects the exit status.
        while waitid(P_PID, id_t(pid), &information, WEXITED | WNOWAIT) == -1, errno == EINTR {}
    }
}
