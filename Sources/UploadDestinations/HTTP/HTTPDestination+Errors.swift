import Foundation
import NIOHTTP1
import Uploads

extension HTTPTarget {
    /// The error for a status that reports a failure: RFC 9110, section 15; RFC 6585 (428, 429, 431); RFC 8470 (425); RFC 4918 (423, 507).
    /// - Parameter method: nil for the method that uploads.
    func failure(_ response: ServerResponse, of method: HTTPMethod? = nil) -> UploadError {
        let (code, remedy, retry) = meaning(
            of: response.status, method ?? HTTPMethod(rawValue: configuration.method.rawValue))
        return UploadError(
            code,
            "\(displayURL) answered \(response.status): \(remedy)"
                + HTTPAnswer.wanted(response, canDigest: configuration.digest == nil),
            retry: retry.waiting(HTTPAnswer.retryAfter(response.headers["retry-after"])), response: response)
    }

    private func meaning(of status: Int, _ method: HTTPMethod) -> StatusMeaning {
        if configuration.sendsIdempotencyKey, let meaning = Self.meaningWithKey(of: status) { return meaning }
        return switch status {
        case 300..<400: HTTPAnswer.redirection(status, "redirects are not followed with a body; use the final URL")
        case 401: (.notAuthenticated, "it wants credentials; add them to the destination's headers", .never)
        case 403 where isPresigned:
            (.accessDenied, "the URL's signature has expired or is wrong; issue a new URL", .never)
        case 403: (.accessDenied, "the credentials are not good for this; check their rights", .never)
        case 404, 410: (.destinationNotFound, "there is no such place; check the URL", .never)
        // A server that refuses HEAD may still take uploads.
        case _ where method == .HEAD && [405, 501].contains(status):
            (.misconfigured, "it answers no HEAD; remove 'answersHead' and 'ranges' from the destination", .never)
        case 405, 501: (.rejected, "it takes no \(method) there; check the URL and the destination's driver", .never)
        case 407: (.misconfigured, "a proxy wants credentials; check the proxy", .never)
        case 408: (.networkFailure, "it waited too long for the body; check the network", .afterBackoff)
        case 409: (.rejected, "the object there conflicts; a directory may be missing", .afterBackoff)
        case 412: (.preconditionFailed, "the object there is not as expected", .never)
        case 413: (.rejected, "the file is too large for it; raise its limit or use another destination", .never)
        case 414: (.rejected, "the URL is too long for it; use a shorter key", .never)
        case 415: (.rejected, "it does not take this content type; enqueue the file with another", .never)
        case 422: (.rejected, "it refuses the contents; its answer may say why", .never)
        case 423: (.serverFailure, "the object there is locked", .afterBackoff)
        case 425, 429: (.rateLimited, "it asks for fewer requests; lower the destination's limits", .afterBackoff)
        case 400..<500: (.rejected, "it refuses the request; its answer may say why", .never)
        case 507: (.noSpace, "it has no space left; free some there", .afterBackoff)
        case 500..<600: (.serverFailure, "it failed; look at the server", .afterBackoff)
        default: (.invalidResponse, "that is no status for an upload; check the server", .afterBackoff)
        }
    }

    /// The meaning of statuses with an `Idempotency-Key`: draft-ietf-httpapi-idempotency-key-header-07, section 2.7.
    private static func meaningWithKey(of status: Int) -> StatusMeaning? {
        switch status {
        case 409: (.serverFailure, "an earlier try is still in progress there; the request is repeated", .afterBackoff)
        case 422:
            (
                .rejected,
                "it refuses the contents, or has seen the Idempotency-Key with other contents; its answer may say why, and to run the job "
                    + "again uses another key", .never
            )
        default: nil
        }
    }
}
