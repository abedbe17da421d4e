import Foundation
import Synchronization
import Uploads

/// The account's session, shared by all jobs: however many ask, or are told that it has ended, one signs in.
///
/// Bridge ends an account's former session when somebody signs in. So a token is used until Bridge refuses it, and never again after.
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

    /// - Parameter pauseSeconds: for how long nobody signs in after that failed.
    init(pauseSeconds: TimeInterval, signIn: @escaping SignIn) {
        pause = .seconds(pauseSeconds)
        self.signIn = signIn
    }

    /// - Throws: why nobody could sign in, or `interrupted` when the task is cancelled.
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

    /// Bridge refuses this token. Nothing happens if another one is used already.
    /// - Parameter failure: why there is to be no other one for a while; nil: it has ended, and is renewed.
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
                // This request asks Bridge nothing: only the sign-in itself says something of Bridge, or of the account.
                let left = (state.pauseUntil - .now) / .seconds(1)
                return .fail(
                    UploadError(
                        failure.code, failure.message, retry: .pause(seconds: left), cause: failure.cause,
                        response: failure.response))
            }
            let load = SharedLoad<String>()
            state.load = load
            // In a task of its own, which nobody's cancellation reaches.
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
