import Foundation
import Uploads

extension PresignedSource {
    /// The meaning of the endpoint's error statuses: RFC 9110, section 15; RFC 6585 (429); RFC 8470 (425).
    static func meaning(_ status: Int) -> StatusMeaning {
        switch status {
        case 300..<400: HTTPAnswer.redirection(status, "redirects are not followed; use the final URL")
        case 401: (.notAuthenticated, "it wants credentials; add them to the destination's headers", .never)
        case 403: (.accessDenied, "the credentials are not good for this; check their rights", .never)
        case 404, 410: (.destinationNotFound, "there is no such place; check the destination's URLs", .never)
        case 405, 501: (.rejected, "it does not take this method; check the destination's method", .never)
        case 407: (.misconfigured, "a proxy wants credentials; check the proxy", .never)
        case 408: (.networkFailure, "it waited too long for the request; check the network", .afterBackoff)
        case 409, 423: (.serverFailure, "it is busy with this upload; it is asked again", .afterBackoff)
        case 413: (.rejected, "the file is too large for it", .never)
        case 415: (.rejected, "it takes no JSON; check the destination's url", .never)
        case 425, 429: (.rateLimited, "it asks for fewer requests; lower the destination's limits", .afterBackoff)
        case 400..<500: (.rejected, "it refuses the request; its answer may say why", .never)
        case 500..<600: (.serverFailure, "it failed; look at the endpoint", .afterBackoff)
        default: (.invalidResponse, "that status does not answer the request; check the endpoint", .afterBackoff)
        }
    }

    func failure(_ reply: HTTPReply, _ said: String, of url: String) -> UploadError {
        let response = endpoint.shown(reply, of: url)
        return UploadError.refused(
            said, reply, Self.meaning(reply.status), hint: HTTPAnswer.wanted(response), response)
    }
}
