import AsyncHTTPClient
import NIOHTTP1
import Uploads

/// How an exchange answers challenges.
struct HTTPDigestAuthentication: Sendable {
    let login: HTTPDigestLogin
    let session: HTTPDigestSession
}

extension HTTPExchange {
    /// Bytes of a body before which the nonce is proved good by a request without one, lest it be sent twice.
    private static let bodyBytesMaximum: Int64 = 1 << 20

    /// Sends a request with its `Authorization`, once more where the server answers with another challenge.
    /// - Parameters:
    ///   - body: of the request, which is sent from its beginning the second time.
    ///   - send: the exchange.
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
            // What is refused with a challenge of just now is refused for its user or password, unless the server says otherwise.
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

    /// Asks for a challenge, without a body and what belongs to it. The connection is not used again: a server that sends a body behind its
    /// answer to HEAD, as WsgiDAV does, would make the large body that follows go twice.
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
