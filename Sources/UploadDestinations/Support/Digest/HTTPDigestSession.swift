import AsyncHTTPClient
import Foundation
import NIOHTTP1
import Synchronization

/// What one server has asked for in the way of Digest authentication, and how often that was answered. All jobs of a destination share it.
final class HTTPDigestSession: Sendable {
    private struct State: Sendable {
        var challenge: HTTPDigestChallenge?
        var count: UInt32 = 0
    }

    private let state = Mutex(State())

    var isChallenged: Bool { state.withLock { $0.challenge != nil } }

    /// - Returns: the challenge of an answer, a 401; nil where it holds none that can be answered.
    func take(_ headers: HTTPHeaders) -> HTTPDigestChallenge? {
        guard let challenge = HTTPDigestChallenge.best(of: headers) else { return nil }
        state.withLock { state in
            // Counted on where another job has taken it already.
            if state.challenge?.nonce != challenge.nonce { state = State(challenge: challenge) }
        }
        return challenge
    }

    /// The request with its `Authorization`, as far as a challenge is known.
    func signed(_ request: HTTPClientRequest, _ login: HTTPDigestLogin) -> HTTPClientRequest {
        let use = state.withLock { state -> (HTTPDigestChallenge, UInt32)? in
            guard let challenge = state.challenge else { return nil }
            // A nonce that was used so often is worth another one.
            guard state.count < .max else {
                state = State()
                return nil
            }
            state.count += 1
            return (challenge, state.count)
        }
        guard let (challenge, count) = use, let components = URLComponents(string: request.url) else { return request }
        let path = components.percentEncodedPath
        let target = (path.isEmpty ? "/" : path) + (components.percentEncodedQuery.map { "?\($0)" } ?? "")
        var random = SystemRandomNumberGenerator()
        let clientNonce = String(random.next(), radix: 16) + String(random.next(), radix: 16)
        var request = request
        request.headers.replaceOrAdd(
            name: "authorization",
            value: challenge.authorization(login, request.method, target, count: count, clientNonce: clientNonce))
        return request
    }
}
