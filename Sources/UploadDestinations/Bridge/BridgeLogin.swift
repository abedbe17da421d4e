import Foundation
import Synchronization
import Uploads

/// The account's session, shared by all jobs. However many jobs ask for it, or learn that it has ended, the worker signs in once.
///
/// Bridge ends an account's former session at each new sign-in. So a token is used until Bridge refuses it, and never after that.
final class BridgeLogin: Sendable {
    typealias SignIn = @Sendable () async -> Result<String, UploadError>

    private struct State: Sendable {
        var token: String?
        var load: SharedLoad<String>?
        var failure: UploadError?
        var pauseUntil = ContinuousClock.now
    }

    private enum Step: Sendable {
        case use(String)
        case fail(UploadError)
        case wait(SharedLoad<String>)
    }

    private let state = Mutex(State())
    private let pause: Duration
    private let signIn: SignIn

    /// - Parameter pauseSeconds: seconds after a failed sign-in without another one.
    init(pauseSeconds: TimeInterval, signIn: @escaping SignIn) {
        pause = .seconds(pauseSeconds)
        self.signIn = signIn
    }

    /// - Throws: the error of the sign-in, or `interrupted` when the task is cancelled.
    func token() async throws(UploadError) -> String {
        switch next() {
        case .use(let token): return token
        case .fail(let error): throw error
        case .wait(let load):
            switch await load.wait() {
            case .loaded(let token): return token
            case .failed(let error): throw error
            case .outdated, nil: throw UploadError(.interrupted, "signing in to Bridge was interrupted")
            }
        }
    }

    /// Drops a token that Bridge has refused. Does nothing if another token is already in use.
    /// - Parameter failure: the error that forbids another sign-in for a while; nil: the session has ended, and the next call renews it.
    func reject(_ token: String, _ failure: UploadError? = nil) {
        state.withLock { state in
            guard state.token == token else { return }
            state.token = nil
            guard let failure else { return }
            state.failure = failure
            state.pauseUntil = .now + pause
        }
    }

    private func next() -> Step {
        state.withLock { state in
            if let token = state.token { return .use(token) }
            if let load = state.load { return .wait(load) }
            if let failure = state.failure, state.pauseUntil > .now {
                // This request asks Bridge nothing: only the sign-in itself says something about Bridge or the account.
                let left = (state.pauseUntil - .now) / .seconds(1)
                return .fail(
                    UploadError(
                        failure.code, failure.message, retry: .pause(seconds: left), cause: failure.cause,
                        response: failure.response))
            }
            let load = SharedLoad<String>()
            state.load = load
            // A task of its own: cancelling one of the waiting jobs does not cancel the sign-in.
            Task.detached { await self.run(load) }
            return .wait(load)
        }
    }

    private func run(_ load: SharedLoad<String>) async {
        let result = await signIn()
        let outcome: SharedLoad<String>.Outcome = state.withLock { state in
            state.load = nil
            switch result {
            case .success(let token):
                state.token = token
                state.failure = nil
                return .loaded(token)
            case .failure(let error):
                state.failure = error
                state.pauseUntil = .now + pause
                return .failed(error)
            }
        }
        load.finish(outcome)
    }
}
