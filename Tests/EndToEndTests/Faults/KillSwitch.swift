import Foundation
import Synchronization

/// Kills one program once, at a step that a proxy sees.
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

    /// Kills the program, and returns when it is dead.
    func kill() { state.withLock(\.victim)?.killAndWait() }
}

extension RunningProgram {
    /// Sends SIGKILL, and waits on this thread until the program is dead.
    func killAndWait() {
        signal(SIGKILL)
        var information = siginfo_t()
        // WNOWAIT leaves the exit status for the thread that collects it.
        while waitid(P_PID, id_t(pid), &information, WEXITED | WNOWAIT) == -1, errno == EINTR {}
    }
}
