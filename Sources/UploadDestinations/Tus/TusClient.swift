import AsyncHTTPClient
import Foundation
import NIOCore
import NIOHTTP1
import NIOSSL
import Synchronization
import Uploads

/// Sends requests to one server, with the headers that belong to each.
final class TusClient: Sendable {
    let configuration: TusConfiguration
    let address: UploadAddress

    private let client: HTTPClient
    private let known = Mutex(Remembered<TusCapabilities>())

    /// - Throws: `misconfigured` for an invalid URL.
    init(_ configuration: TusConfiguration, client: HTTPClient) throws(UploadError) {
        self.configuration = configuration
        self.client = client
        address = try UploadAddress(configuration.url, others: configuration.uploadOrigins)
    }

    /// Sends one request. Every status is returned, not thrown.
    /// - Throws: `networkFailure`, `misconfigured` (TLS), `interrupted`, or the source's error.
    func send(
        _ method: HTTPMethod, _ url: String, headers: [(name: String, value: String)] = [], body: HTTPBody? = nil
    ) async throws(UploadError) -> HTTPReply {
        // "The Client SHOULD NOT include Tus-Resumable in an OPTIONS request."
        let version = method == .OPTIONS ? [] : [("tus-resumable", TusCapabilities.version)]
        let request = try HTTPClientRequest(
            method, url, configured: configuration.headers, headers: version + headers, tls: configuration.tls)
        let exchange = HTTPExchange(
            client: client, times: configuration.times, displayURL: DestinationReference.redact(url))
        return try await exchange.run(request, body: body)
    }

    /// Sends a request without a body. Repeats it for a while if the upload is locked: the server may still be busy with the request before.
    func sendUnlessLocked(
        _ method: HTTPMethod, _ url: String, headers: [(name: String, value: String)] = []
    ) async throws(UploadError) -> HTTPReply {
        var reply = try await send(method, url, headers: headers)
        var pauses = configuration.lockedPauseSeconds[...]
        while reply.status == 423, let pause = pauses.popFirst() {
            try await rest(pause)
            reply = try await send(method, url, headers: headers)
        }
        return reply
    }

    func rest(_ seconds: TimeInterval) async throws(UploadError) {
        do {
            try await Task.sleep(for: .seconds(seconds))
        } catch {
            throw UploadError(.interrupted, "waiting for \(address.displayURL) was interrupted")
        }
    }

    /// The server's capabilities, asked once. If the server does not answer OPTIONS as tus wants, the client asks again after a minute.
    /// - Parameter isNeeded: whether an upload cannot begin without the answer.
    /// - Throws: where the answer is needed, the error of the answer that came instead; another try may help.
    func capabilities(isNeeded: Bool = false) async throws(UploadError) -> TusCapabilities {
        if let known = known.withLock({ $0.value(at: .now, isProved: isNeeded) }) { return known }
        let reply = try await send(.OPTIONS, address.url)
        let capabilities = TusCapabilities(reply)
        // A proxy before the server may answer OPTIONS by itself.
        let isSuccess = (200..<300).contains(reply.status)
        let isAnswer = isSuccess && (reply.header("tus-version") ?? reply.header("tus-resumable")) != nil
        if isSuccess || [405, 501].contains(reply.status) {
            known.withLock { $0.remember(capabilities, isProved: isAnswer, at: .now) }
        }
        if isNeeded, !isAnswer { throw unanswered(reply, of: "OPTIONS", at: address.url) }
        return capabilities
    }

    /// The part of an answer that may be kept and shown.
    func shown(_ reply: HTTPReply, of url: String) -> ServerResponse {
        HTTPSecrets(headers: configuration.headers, url: url).shown(reply)
    }
}
