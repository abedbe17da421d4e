public import Foundation
import Synchronization
public import Uploads

/// The credentials that requests are signed with: asked for each one, so that they change in the middle of an upload.
///
/// They are refreshed 5 minutes before they end, while they are still used; within their last minute nothing is signed
/// before that has worked. Those that do not say when they end are read again where that is cheap
/// (`AWSCredentialsProvider.rereadSeconds`); when that fails, the old ones are used until the server refuses them.
/// However many ask, the source is asked once.
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
    /// - Parameter now: the time that their end is compared with: the server's where it is known (`S3Clock.now`).
    /// - Throws: what the source threw, `notAuthenticated` when it has none, or `interrupted` when the task is
    ///   cancelled. After a failure the source is left alone for 5 s, and the same is thrown.
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

    /// The server said that these have expired or are not known (`ExpiredToken`, `InvalidAccessKeyId`): the next one
    /// who asks loads anew. A source that insists on them is believed, and not asked again for 5 s: that the request
    /// failed is then for the caller to say.
    public func reject(_ credentials: AWSCredentials) {
        state.withLock { $0.freshness.reject(credentials) }
    }

    /// How many wait for the load under way.
    var waiterCount: Int { state.withLock { $0.load }?.waiterCount ?? 0 }

    /// Whether a load is under way.
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

    /// The load that is under way, or a new one: in a task of its own, which nobody's cancellation reaches.
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
