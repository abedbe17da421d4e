import AsyncHTTPClient
import Foundation
import NIOCore
import NIOHTTP1
import Uploads

/// Sends the bytes to a ticket's URL. The configured headers are not sent: the store may be another server than the one that gave the ticket.
struct TicketPut: Sendable {
    let client: HTTPClient
    let times: HTTPTimes
    let tls: TLSFiles

    /// - Throws: the error of ``TicketErrorTable`` for an answer that reports a failure; `networkFailure`, or the source's error.
    func send(
        _ part: Part, of job: UploadJob, from source: any UploadSource, md5: Data?, to ticket: UploadTicket,
        sent: @escaping @Sendable (Int) -> Void
    ) async throws(UploadError) -> ServerResponse {
        let shown = DestinationReference.redact(ticket.url)
        var request = HTTPClientRequest(url: ticket.url)
        request.method = .PUT
        request.headers.add(name: "content-type", value: job.contentType)
        if let md5 { request.headers.add(name: "content-md5", value: md5.base64EncodedString()) }
        for (name, value) in ticket.headers { request.headers.replaceOrAdd(name: name, value: value) }
        request.tlsConfiguration = try tls.configuration()
        let body = HTTPBody(source: source.read(part.range), size: part.size, sent: sent)
        let exchange = HTTPExchange(client: client, times: times, displayURL: shown)
        let reply = try await exchange.run(request, body: body)
        let response = HTTPSecrets(headers: ticket.headers, url: ticket.url).shown(reply)
        guard (200..<300).contains(reply.status) else { throw TicketErrorTable.failure(reply, response, at: shown) }
        guard body.isComplete else {
            throw UploadError(
                .invalidResponse, "\(shown) answered \(reply.status) before it had the whole file: it is sent again",
                retry: .afterBackoff, response: response)
        }
        return response
    }
}
