import Uploads

/// The meaning of error statuses: tus 1.0.0, "Core Protocol" and its extensions; RFC 9110, section 15; RFC 6585 (429).
enum TusErrorTable {
    static func meaning(_ status: Int) -> StatusMeaning {
        switch status {
        case 300..<400: HTTPAnswer.redirection(status, "redirects are not followed; use the final URL")
        case 401: (.notAuthenticated, "it wants credentials; add them to the destination's headers", .never)
        case 403: (.accessDenied, "the credentials are not good for this; check their rights", .never)
        case 404, 410: (.destinationNotFound, "there is no such place; check the destination's url", .never)
        case 405, 501: (.rejected, "it does not take this request; check that the url makes uploads of tus", .never)
        case 407: (.misconfigured, "a proxy wants credentials; check the proxy", .never)
        case 408: (.networkFailure, "it waited too long for the body; check the network", .afterBackoff)
        case 409: (.serverFailure, "it holds another number of bytes than it says; look at the server", .afterBackoff)
        case 412: (.rejected, "it does not speak tus 1.0.0; check the url and the destination's driver", .never)
        case 413:
            (.rejected, "it is too large for the server; raise its limit, or lower the destination's partSize", .never)
        case 415: (.rejected, "it does not take the body's type; look for a proxy that changes requests", .never)
        case 423: (.serverFailure, "the upload is locked by another request; it is tried again", .afterBackoff)
        case 425, 429: (.rateLimited, "it asks for fewer requests; lower the destination's limits", .afterBackoff)
        case 431: (.rejected, "the metadata is too long for it; give less", .never)
        case 460:
            (.checksumMismatch, "the bytes that arrived are not the sent ones; they are sent again", .afterBackoff)
        case 400..<500: (.rejected, "it refuses the request; its answer may say why", .never)
        case 507: (.noSpace, "it has no space left; free some there", .afterBackoff)
        case 500..<600: (.serverFailure, "it failed; look at the server", .afterBackoff)
        default: (.invalidResponse, "that is no status of tus; check the server", .afterBackoff)
        }
    }

    /// Statuses of an upload that may be gone: "the Server SHOULD return either the 404 Not Found, 410 Gone or 403 Forbidden status".
    static func mayBeGone(_ status: Int) -> Bool { [403, 404, 410].contains(status) }
}

extension TusClient {
    func failure(_ reply: HTTPReply, of method: String, at url: String) -> UploadError {
        let response = shown(reply, of: url)
        return UploadError.refused(
            "\(method) \(DestinationReference.redact(url))", reply, TusErrorTable.meaning(reply.status),
            hint: HTTPAnswer.wanted(response), response)
    }

    /// The error for a question without which the driver cannot decide. A proxy or another page may have answered, so another try may
    /// reach the server.
    func unanswered(_ reply: HTTPReply, of method: String, at url: String) -> UploadError {
        let error = failure(reply, of: method, at: url)
        guard error.retry == .never, ![401, 407].contains(reply.status) else { return error }
        return UploadError(error.code, error.message, retry: .afterBackoff, response: error.response)
    }

    func gone(_ url: String) -> UploadError {
        UploadError(.sessionExpired, "the upload \(DestinationReference.redact(url)) is gone: it is begun anew")
    }
}
