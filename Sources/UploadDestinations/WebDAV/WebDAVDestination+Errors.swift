import Foundation
import Uploads

/// The meaning of error statuses: RFC 4918, section 11, and the sections of the methods (9.3.1, 9.6.1, 9.7.1, 9.9.4); RFC 9110, section
/// 15; RFC 6585 (429).
enum WebDAVErrorTable {
    static func meaning(_ status: Int) -> StatusMeaning {
        switch status {
        case 300..<400: HTTPAnswer.redirection(status, "redirects are not followed; use the final URL")
        case 401: (.notAuthenticated, "it wants credentials; give the destination others", .never)
        case 403: (.accessDenied, "the credentials are not good for this; check their rights", .never)
        case 404, 410: (.destinationNotFound, "there is no such place; check the destination's url", .never)
        case 405, 501:
            (.rejected, "it does not take this request; check that the url is one of WebDAV, with PUT and MOVE", .never)
        case 407: (.misconfigured, "a proxy wants credentials; check the proxy", .never)
        case 408: (.networkFailure, "it waited too long for the body; check the network", .afterBackoff)
        case 409: (.rejected, "a folder is missing there, or a file has a folder's name; look there", .afterBackoff)
        case 412: (.preconditionFailed, "the object there is not as expected", .never)
        case 413: (.rejected, "the file is too large for it; raise its limit or use another destination", .never)
        case 414: (.rejected, "the URL is too long for it; use a shorter key", .never)
        case 415: (.rejected, "it does not take the body's type; look for a proxy that changes requests", .never)
        case 423: (.serverFailure, "another client has locked the file there; it is tried again", .afterBackoff)
        case 424:
            (.serverFailure, "it could not do it because another step failed; its answer may say why", .afterBackoff)
        case 425, 429: (.rateLimited, "it asks for fewer requests; lower the destination's limits", .afterBackoff)
        case 400..<500: (.rejected, "it refuses the request; its answer may say why", .never)
        case 507: (.noSpace, "it has no space left, or the quota is used up; free some there", .afterBackoff)
        case 500..<600: (.serverFailure, "it failed; look at the server", .afterBackoff)
        default: (.invalidResponse, "that is no status of WebDAV; check the server", .afterBackoff)
        }
    }

    /// The meaning of a MOVE to a URL that the server does not take for its own: 502 (RFC 4918, section 9.9.4); nginx says 400.
    static let foreign: StatusMeaning = (
        .misconfigured,
        "it does not take the destination's url for its own; a proxy before it has to pass on the Host header and, for https, the "
            + "scheme of the Destination header", .afterBackoff
    )
}

extension WebDAVClient {
    /// - Parameter status: the status of a resource in a 207 answer.
    func failure(
        _ reply: HTTPReply, of method: String, at url: String, status: Int? = nil
    ) -> UploadError {
        let status = status ?? reply.status
        let isForeign = method == "MOVE" && [400, 502].contains(status)
        let response = shown(reply, of: url)
        return UploadError.refused(
            "\(method) \(DestinationReference.redact(url))", reply, status: status,
            isForeign ? WebDAVErrorTable.foreign : WebDAVErrorTable.meaning(status),
            hint: HTTPAnswer.wanted(response, canDigest: configuration.digest == nil), response)
    }
}
