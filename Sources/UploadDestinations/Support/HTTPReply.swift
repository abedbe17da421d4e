import Foundation
import NIOHTTP1
import Uploads

/// What a server answered, as far as it is kept.
struct HTTPReply: Sendable {
    var status: Int
    var headers: HTTPHeaders
    /// At most as many bytes as the exchange keeps.
    var body: Data
    /// Whether the body came to its end and is kept whole.
    var isWhole: Bool

    func header(_ name: String) -> String? { headers.first(name: name) }

    /// The tag; nil also where it is longer than a message may carry (``StoredObject/etag``), so that no state holds one either.
    var etag: String? {
        header("etag").flatMap { $0.unicodeScalars.count > WireLimits.nameLengthMaximum ? nil : $0 }
    }

    /// The body as JSON.
    /// - Parameter said: what was asked.
    /// - Returns: nil for what is no JSON.
    /// - Throws: `invalidResponse` where it is not known whole: what its beginning says is nothing.
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

    /// Chosen headers and the beginning of the body: what may be part of an outcome.
    var response: ServerResponse {
        ServerResponse(status: status, headers: HTTPAnswer.chosen(headers), body: body.isEmpty ? nil : body)
    }
}
