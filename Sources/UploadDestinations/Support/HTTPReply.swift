import Foundation
import NIOHTTP1
import Uploads

/// A server's answer, as far as it is kept.
struct HTTPReply: Sendable {
    var status: Int
    var headers: HTTPHeaders
    /// At most as many bytes as the exchange keeps.
    var body: Data
    /// Whether the body is complete and kept as a whole.
    var isWhole: Bool

    func header(_ name: String) -> String? { headers.first(name: name) }

    /// The ETag; nil also for one that is longer than a message may carry (``StoredObject/etag``), so that no state holds it.
    var etag: String? {
        header("etag").flatMap { $0.unicodeScalars.count > WireLimits.nameLengthMaximum ? nil : $0 }
    }

    /// The body as JSON.
    /// - Parameter said: the request, for the error's text.
    /// - Returns: nil for a body that is not JSON.
    /// - Throws: `invalidResponse` when the body is incomplete: its beginning alone has no meaning.
    func json(_ said: String) throws(UploadError) -> JSONValue? {
        guard isWhole else {
            throw UploadError(
                .invalidResponse,
                "\(said) was answered with more than the \(ServerResponse.bodyBytesMaximum) bytes that are read of an answer, or with one that "
                    + "broke off: look at the server", retry: .afterBackoff)
        }
        return JSONValue(json: body)
    }

    mutating func setHeader(_ name: String, to value: String) { headers.replaceOrAdd(name: name, value: value) }

    /// Chosen headers and the beginning of the body: the part that an outcome may hold.
    var response: ServerResponse {
        ServerResponse(status: status, headers: HTTPAnswer.chosen(headers), body: body.isEmpty ? nil : body)
    }
}
