import AsyncHTTPClient
import Foundation
import NIOCore
import NIOHTTP1
import Uploads

/// The bytes' way to where a ticket says. No header of the configuration goes with them: the store is not the one who gave the ticket.
struct TicketPut: Sendable {
    let client: HTTPClient
    let times: HTTPTimes
    let tls: TLSFiles

    /// - Throws: what ``failure(_:_:at:)`` makes of an answer that is no success; `networkFailure`, or what the source threw.
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
