import AsyncHTTPClient
import NIOHTTP1
import Uploads

/// The login and session with which an exchange answers challenges.
struct HTTPDigestAuthentication: Sendable {
    let login: HTTPDigestLogin
    let session: HTTPDigestSession
}

extension HTTPExchange {
    /// The most bytes of a body that is sent without checking the nonce first. For a larger body, a request without one
    /// comes before, so that the body is not sent twice.
    private static let bodyBytesMaximum: Int64 = 1 << 20

    /// Sends a request with its `Authorization`, and once more if the server answers with another challenge.
    /// - Parameters:
    ///   - body: the request's body, which is sent from its beginning the second time.
    ///   - send: sends one request.
    func authenticated(
        _ request: HTTPClientRequest, _ body: HTTPBody?,
        _ send: (HTTPClientRequest) async throws(UploadError) -> HTTPReply
    ) async throws(UploadError) -> HTTPReply {
        guard let digest else { return try await send(request) }
        var fresh: HTTPDigestChallenge?
        if let body, body.size > 0, !digest.session.isChallenged || body.size > Self.bodyBytesMaximum {
            let reply = try await exchanged(digest.session.signed(Self.question(request), digest.login), body: nil)
            if reply.status == 401 { fresh = digest.session.take(reply.headers) }
        }
        for _ in 1..<Self.sendsMaximum {
            let reply = try await send(digest.session.signed(request, digest.login))
            // If the server refuses the answer to a fresh challenge, user or password are wrong, unless it says that the nonce is stale.
            guard reply.status == 401, let challenge = digest.session.take(reply.headers),
                challenge.isStale || fresh?.realm != challenge.realm
            else { return reply }
            fresh = challenge
        }
        let reply = try await send(digest.session.signed(request, digest.login))
        guard reply.status == 401, HTTPDigestChallenge.best(of: reply.headers)?.isStale == true else { return reply }
        throw UploadError(
            .serverFailure, "\(displayURL) calls each nonce stale that it has just given: look at the server's clock",
            retry: .afterBackoff)
    }

    /// A request for a challenge, without the body and its headers. Its connection is not reused: some servers, such as WsgiDAV, send a
    /// body after their answer to HEAD, and the large body that follows would go twice.
    private static func question(_ request: HTTPClientRequest) -> HTTPClientRequest {
        var question = HTTPClientRequest(url: request.url)
        question.method = .HEAD
        question.headers.add(name: "connection", value: "close")
        question.tlsConfiguration = request.tlsConfiguration
        for (name, value) in request.headers where !name.lowercased().hasPrefix("content-") {
            guard !["if-match", "if-none-match", "if", "idempotency-key"].contains(name.lowercased()) else { continue }
            question.headers.add(name: name, value: value)
        }
        return question
    }
}
