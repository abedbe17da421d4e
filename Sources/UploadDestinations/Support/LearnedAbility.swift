import Synchronization
import Uploads

/// Whether a server can do something, which a trial tells. However many tasks ask, one trial runs at a time, and none after one has told.
final class LearnedAbility: Sendable {
    /// - Returns: nil where it has told nothing.
    typealias Trial = @Sendable () async throws(UploadError) -> Bool?

    private struct State: Sendable {
        var isAble: Bool?
        var running: SharedLoad<Bool?>?
    }

    private let state = Mutex(State())

    func note(_ isAble: Bool) { state.withLock { $0.isAble = isAble } }

    /// - Returns: nil where the trial has told nothing; the next task that asks begins another one.
    /// - Throws: the trial's error, or `interrupted` when the task is cancelled.
    func learn(by trial: @escaping Trial) async throws(UploadError) -> Bool? {
        let (known, running) = state.withLock { state -> (Bool?, SharedLoad<Bool?>?) in
            if state.isAble != nil || state.running != nil { return (state.isAble, state.running) }
            let load = SharedLoad<Bool?>()
            state.running = load
            // A task of its own: cancelling one of the waiting jobs does not cancel the trial.
            Task.detached { await self.run(trial, load) }
            return (nil, load)
        }
        guard known == nil, let running else { return known }
        switch await running.wait() {
        case .loaded(let isAble): return isAble
        case .failed(let error): throw error
        case .outdated, nil: throw UploadError(.interrupted, "a trial of what the server can do was interrupted")
        }
    }

    private func run(_ trial: Trial, _ load: SharedLoad<Bool?>) async {
        let outcome: SharedLoad<Bool?>.Outcome
        do throws(UploadError) {
            outcome = .loaded(try await trial())
        } catch {
            outcome = .failed(error)
        }
        state.withLock { state in
            state.running = nil
            if case .loaded(let isAble?) = outcome { state.isAble = isAble }
        }
        load.finish(outcome)
    }
}
