import Foundation
import Uploads

/// The meaning of a store's refusal of a ticket's bytes: RFC 9110, section 15; RFC 6585 (429); S3's "List of error codes" (AccessDenied,
/// ExpiredToken, RequestTimeout); Bridge's clients take 403, 409, 500 and 503 for "from the session step again".
enum TicketErrorTable {
    /// Whether another ticket may help.
    static func wantsAnother(_ status: Int, _ body: Data) -> Bool {
        switch status {
        case 401, 403, 409, 410, 500, 503: true
        case 400: saysExpired(body)
        default: false
        }
    }

    static func failure(_ reply: HTTPReply, _ response: ServerResponse, at displayURL: String) -> UploadError {
        UploadError.refused("PUT \(displayURL)", reply, meaning(reply.status, reply.body), response)
    }

    static func meaning(_ status: Int, _ body: Data) -> StatusMeaning {
        switch status {
        case 300..<400:
            HTTPAnswer.redirection(
                status, "redirects are not followed with a body; let the endpoint give the final URL")
        case 400 where saysExpired(body), 401, 403, 410:
            (
                .accessDenied, "the URL has expired or is not good for this; the worker asks for another one",
                .afterBackoff
            )
        case 404: (.destinationNotFound, "there is no such place; look at the URLs that the endpoint gives", .never)
        case 405, 501: (.rejected, "it takes no PUT there; look at the URLs that the endpoint gives", .never)
        case 407: (.misconfigured, "a proxy wants credentials; check the proxy", .never)
        case 400 where says("RequestTimeout", body), 408:
            (.networkFailure, "it waited too long for the body; check the network", .afterBackoff)
        case 400 where says("BadDigest", body):
            (.checksumMismatch, "the bytes that arrived are not the sent ones; they are sent again", .afterBackoff)
        case 409: (.serverFailure, "another client writes there; the worker asks for another URL", .afterBackoff)
        case 412: (.rejected, "an object is there already; look at the URLs that the endpoint gives", .never)
        case 413: (.rejected, "the file is too large for it; raise its limit or use another destination", .never)
        case 425, 429: (.rateLimited, "it asks for fewer requests; lower the destination's limits", .afterBackoff)
        case 400..<500: (.rejected, "it refuses the file; its answer may say why", .never)
        case 507: (.noSpace, "it has no space left; free some there", .afterBackoff)
        case 500..<600: (.serverFailure, "it failed; look at the server", .afterBackoff)
        default: (.invalidResponse, "that is no status for a PUT; check the server", .afterBackoff)
        }
    }

    /// S3 says ExpiredToken or RequestTimeTooSkewed, rclone AccessDenied, other stores "expired" in their text.
    private static func saysExpired(_ body: Data) -> Bool {
        ["expired", "AccessDenied", "RequestTimeTooSkewed"].contains { says($0, body) }
    }

    private static func says(_ word: String, _ body: Data) -> Bool {
        String(decoding: body.prefix(4096), as: UTF8.self).lowercased().contains(word.lowercased())
    }
}
