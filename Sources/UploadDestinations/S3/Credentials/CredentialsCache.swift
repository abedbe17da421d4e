public import Foundation
import Synchronization
public import Uploads

/// The credentials that sign requests. Each request asks for them, so that they may change in the middle of an upload.
///
/// The cache refreshes them 5 minutes before they end, while requests still use them; in their last minute no request is signed before
/// the refresh has succeeded. Credentials without a known end are read again where that is cheap
/// (`AWSCredentialsProvider.rereadSeconds`); if that fails, requests use the old ones until the server rejects them. However many
/// requests wait, the source is asked once.
public final class CredentialsCache: Sendable {
    private struct State: Sendable {
        var freshness = CredentialsFreshness()
        var load: SharedLoad<AWSCredentials>?
    }

    private enum Step: Sendable {
        case use(AWSCredentials)
        case fail(UploadError)
        case wait(SharedLoad<AWSCredentials>, otherwise: AWSCredentials?)
    }

    private let provider: any AWSCredentialsProvider
    private let state = Mutex(State())

    public init(_ provider: any AWSCredentialsProvider) { self.provider = provider }

    /// Credentials for a request that is signed now.
    /// - Parameter now: the time to compare their end with: the server's time where it is known (`S3Clock.now`).
    /// - Throws: the source's error, `notAuthenticated` when it has no credentials, or `interrupted` when the task is cancelled. For 5 s
    ///   after a failure, the source is not asked again and the same error is thrown.
    public func current(at now: Date = Date()) async throws(UploadError) -> AWSCredentials {
        while true {
            switch next(at: now) {
            case .use(let credentials): return credentials
            case .fail(let error): throw error
            case .wait(let load, let otherwise):
                switch await load.wait() {
                case .loaded(let credentials): return credentials
                case .failed(let error):
                    guard let otherwise else { throw error }
                    return otherwise
                case .outdated: continue
                case nil: throw UploadError(.interrupted, "waiting for credentials was interrupted")
                }
            }
        }
    }

    /// Records that the server has rejected these credentials (`ExpiredToken`, `InvalidAccessKeyId`): the next request loads new ones. If
    /// the source gives the same ones again, the cache uses them and does not ask again for 5 s: the caller then reports the failure of
    /// its request.
    public func reject(_ credentials: AWSCredentials) {
        state.withLock { $0.freshness.reject(credentials) }
    }

    /// The number of tasks that wait for the current load.
    var waiterCount: Int { state.withLock { $0.load }?.waiterCount ?? 0 }

    /// Whether a load is in progress.
    var isLoading: Bool { state.withLock { $0.load != nil } }

    private func next(at now: Date) -> Step {
        let rereadSeconds = provider.rereadSeconds
        return state.withLock { state in
            switch state.freshness.decide(at: now, rereadSeconds: rereadSeconds) {
            case .use(let credentials): return .use(credentials)
            case .fail(let error): return .fail(error)
            case .refresh(let credentials):
                _ = begin(&state, at: now)
                return .use(credentials)
            case .load(let otherwise): return .wait(begin(&state, at: now), otherwise: otherwise)
            }
        }
    }

    /// The load in progress, or a new one. It runs in a task of its own, so that cancelling one request does not cancel it.
    private func begin(_ state: inout State, at now: Date) -> SharedLoad<AWSCredentials> {
        if let load = state.load { return load }
        let load = SharedLoad<AWSCredentials>()
        let rejections = state.freshness.rejections
        state.load = load
        Task.detached { await self.run(load, at: now, rejections: rejections) }
        return load
    }

    private func run(_ load: SharedLoad<AWSCredentials>, at now: Date, rejections: Int) async {
        let result = await read()
        let outcome: SharedLoad<AWSCredentials>.Outcome = state.withLock { state in
            state.load = nil
            switch result {
            case .success(let credentials):
                return state.freshness.loaded(credentials, at: now, rejections: rejections)
                    ? .loaded(credentials) : .outdated
            case .failure(let error):
                state.freshness.failed(error, at: now)
                return .failed(error)
            }
        }
        load.finish(outcome)
    }

    private func read() async -> Result<AWSCredentials, UploadError> {
        do {
            if let credentials = try await provider.load() { return .success(credentials) }
            return .failure(
                UploadError(
                    .notAuthenticated, "there are no credentials for S3 in \(provider.place): provide them there",
                    retry: .afterBackoff))
        } catch {
            return .failure(error)
        }
    }
}
