import AsyncHTTPClient
import Foundation
import NIOHTTP1
import Synchronization

/// The last Digest challenge of one server, and how often it was answered. All jobs of a destination share it.
final class HTTPDigestSession: Sendable {
    private struct State: Sendable {
        var challenge: HTTPDigestChallenge?
        var count: UInt32 = 0
    }

    private let state = Mutex(State())

    var isChallenged: Bool { state.withLock { $0.challenge != nil } }

    /// - Returns: the challenge of a 401 answer; nil where it has none that can be answered.
    func take(_ headers: HTTPHeaders) -> HTTPDigestChallenge? {
        guard let challenge = HTTPDigestChallenge.best(of: headers) else { return nil }
        state.withLock { state in
            // Another job may have taken the same challenge already: its count goes on.
            if state.challenge?.nonce != challenge.nonce { state = State(challenge: challenge) }
        }
        return challenge
    }

    /// The request with its `Authorization`, if a challenge is known.
    func signed(_ request: HTTPClientRequest, _ login: HTTPDigestLogin) -> HTTPClientRequest {
        let use = state.withLock { state -> (HTTPDigestChallenge, UInt32)? in
            guard let challenge = state.challenge else { return nil }
            // The counter is at its end: a new nonce is needed.
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
