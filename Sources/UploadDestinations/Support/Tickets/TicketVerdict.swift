import Foundation
import Uploads

/// What the giver of a ticket says of its upload.
enum TicketVerdict: Sendable {
    /// The bytes are not there.
    case absent(UploadError)
    /// The bytes may be there, and nobody has said so to it: the completing call is still to come.
    case open
    /// It has the bytes and is not done with them.
    case pending(ServerResponse, askAgainSeconds: TimeInterval)
    case done(ServerResponse)
    /// It has looked at the bytes and does not want them.
    case refused(UploadError)
}
