import Foundation
import Uploads

/// The ticket server's answer about an upload.
enum TicketVerdict: Sendable {
    /// The bytes are not there.
    case absent(UploadError)
    /// The bytes may be there, but the server has not been told: the completing call is still missing.
    case open
    /// The server has the bytes and still processes them.
    case pending(ServerResponse, askAgainSeconds: TimeInterval)
    case done(ServerResponse)
    /// The server has looked at the bytes and refuses them.
    case refused(UploadError)
}
