import Uploads

/// The meaning of error statuses: draft-ietf-httpbis-resumable-upload-11, "Upload Creation" and "Upload Append" (a 4xx is not resumed, a
/// 5xx is); RFC 9110, section 15; RFC 6585 (429); RFC 4918 (423, 507).
enum ResumableErrorTable {
    static func meaning(_ status: Int) -> StatusMeaning {
        switch status {
        case 300..<400: HTTPAnswer.redirection(status, "redirects are not followed; use the final URL")
        case 401: (.notAuthenticated, "it wants credentials; add them to the destination's headers", .never)
        case 403: (.accessDenied, "the credentials are not good for this; check their rights", .never)
        case 404, 410: (.destinationNotFound, "there is no such place; check the destination's url", .never)
        case 405, 501:
            (.rejected, "it does not take this request there; check the destination's url and method", .never)
        case 407: (.misconfigured, "a proxy wants credentials; check the proxy", .never)
        case 408: (.networkFailure, "it waited too long for the body; check the network", .afterBackoff)
        case 409: (.serverFailure, "it holds another number of bytes than it says; look at the server", .afterBackoff)
        case 412: (.rejected, "a condition of the server does not hold; its answer may say why", .never)
        case 413:
            (.rejected, "it is too large for the server; raise its limit, or lower the destination's partSize", .never)
        case 415: (.rejected, "it does not take this type; enqueue the file with another, or set interop", .never)
        case 423: (.serverFailure, "the upload is locked by another request; it is tried again", .afterBackoff)
        case 425, 429: (.rateLimited, "it asks for fewer requests; lower the destination's limits", .afterBackoff)
        case 400..<500: (.rejected, "it refuses the request; its answer may say why", .never)
        case 507: (.noSpace, "it has no space left; free some there", .afterBackoff)
        case 500..<600: (.serverFailure, "it failed; look at the server", .afterBackoff)
        default: (.invalidResponse, "that is no status for an upload; check the server", .afterBackoff)
        }
    }

    /// Statuses that concern neither the file nor the credentials: perhaps the server does not take the version.
    static func mayBeOfVersion(_ status: Int) -> Bool { [400, 405, 412, 415, 422, 426, 501].contains(status) }
}

extension ResumableClient {
    func failure(_ reply: HTTPReply, of method: String, at url: String) -> UploadError {
        let response = shown(reply, of: url)
        return UploadError.refused(
            "\(method) \(DestinationReference.redact(url))", reply, ResumableErrorTable.meaning(reply.status),
            hint: HTTPAnswer.wanted(response), response)
    }

    func speaksTus(_ reply: HTTPReply, at url: String) -> UploadError {
        UploadError(
            .misconfigured,
            "\(DestinationReference.redact(url)) speaks tus instead of a draft of resumable uploads: set the destination's driver to tus",
            response: shown(reply, of: url))
    }

    func gone(_ url: String) -> UploadError {
        UploadError(.sessionExpired, "the upload \(DestinationReference.redact(url)) is gone: it is begun anew")
    }
}
