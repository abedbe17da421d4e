import Foundation
import Uploads

/// The meaning of Bridge's error statuses, by the exceptions of its server that cause them.
enum BridgeErrorTable {
    static func meaning(_ status: Int) -> StatusMeaning {
        switch status {
        case 300..<400: HTTPAnswer.redirection(status, "redirects are not followed; correct the destination's url")
        // BadRequestException, InvalidEntityException
        case 400: (.rejected, "it refuses the description of the file; its answer says why", .never)
        case 401: (.wrongCredentials, "the session is refused; correct the destination's account", .never)
        // UnauthorizedException
        case 403: (.accessDenied, "the account may not do this; check its roles", .never)
        case 404: (.destinationNotFound, "there is no such upload or service; check the destination's url", .never)
        // UnsupportedVersionException
        case 410:
            (
                .misconfigured,
                "the app's version is not supported any more; give a newer one as the destination's User-Agent, the job waits",
                .after(seconds: BridgeLimits.holdSeconds)
            )
        // ConsentRequiredException
        case 412:
            (
                .accessDenied, "the participant has not consented; let them do so in the app, then run the job again",
                .never
            )
        // AccountDisabledException
        case 423: (.accessDenied, "the account is disabled; ask Bridge's support", .never)
        case 408: (.networkFailure, "it waited too long for the request; check the network", .afterBackoff)
        case 409: (.serverFailure, "another client changes the same upload; it is tried again", .afterBackoff)
        // LimitExceededException
        case 429: (.rateLimited, "it asks for fewer requests; lower the destination's limits", .afterBackoff)
        case 400..<500: (.rejected, "it refuses the request; its answer may say why", .never)
        case 500..<600: (.serverFailure, "it failed; it is tried again", .afterBackoff)
        default: (.invalidResponse, "that is no answer of Bridge; check the destination's url", .afterBackoff)
        }
    }
}

extension BridgeClient {
    func failure(_ reply: HTTPReply, _ response: ServerResponse, of said: String) -> UploadError {
        UploadError.refused(said, reply, BridgeErrorTable.meaning(reply.status), response)
    }
}
