import AsyncHTTPClient
import Foundation
import NIOCore
import NIOHTTP1
import Uploads

/// Sends calls to one JSON API, with the headers that belong to it.
struct TicketEndpoint: Sendable {
    let client: HTTPClient
    /// Sent with every call; never shown.
    let headers: [String: String]
    /// Other texts that must not be shown.
    var secrets: [String] = []
    let times: HTTPTimes
    let tls: TLSFiles

    /// - Throws: `networkFailure`, `misconfigured` (TLS), `interrupted`. Every status is returned, not thrown.
    func call(
        _ method: HTTPMethod, _ url: String, _ more: [String: String] = [:], json: JSONValue? = nil
    ) async throws(UploadError) -> HTTPReply {
        var request = HTTPClientRequest(url: url)
        request.method = method
        request.headers.add(name: "accept", value: "application/json")
        for (name, value) in headers { request.headers.replaceOrAdd(name: name, value: value) }
        for (name, value) in more { request.headers.replaceOrAdd(name: name, value: value) }
        if let json {
            request.headers.replaceOrAdd(name: "content-type", value: "application/json")
            do {
                request.body = .bytes(ByteBuffer(bytes: try WireJSON.encode(json)))
            } catch {
                throw UploadError(
                    .misconfigured, "the request to \(DestinationReference.redact(url)) is no JSON", cause: error)
            }
        }
        request.tlsConfiguration = try tls.configuration()
        let exchange = HTTPExchange(client: client, times: times, displayURL: DestinationReference.redact(url))
        return try await exchange.run(request, body: nil)
    }

    /// The part of an answer that may be kept and shown.
    /// - Parameter hidden: further texts that must not be shown.
    func shown(_ reply: HTTPReply, of url: String, hiding hidden: [String] = []) -> ServerResponse {
        HTTPSecrets(headers: headers, url: url, more: secrets + hidden).shown(reply)
    }

    /// The answer without its body: a body with a ticket is a credential.
    func bare(_ reply: HTTPReply) -> ServerResponse {
        ServerResponse(status: reply.status, headers: HTTPAnswer.chosen(reply.headers).filter { $0.key != "location" })
    }

    /// - Throws: `misconfigured` for a URL other than http(s).
    static func check(_ url: String) throws(UploadError) {
        guard let components = URLComponents(string: url), ["http", "https"].contains(components.scheme?.lowercased()),
            components.host?.isEmpty == false, components.hasValidPort
        else {
            throw UploadError(.misconfigured, "\(DestinationReference.redact(url)) is no URL such as https://host/path")
        }
    }
}
