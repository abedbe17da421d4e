import Foundation
import Uploads

extension HTTPTarget {
    /// What may be kept of an answer: chosen headers and the body's beginning, with everything blotted out that the server repeats of the URL's query and the configured headers.
    func shown(_ reply: HTTPReply) -> ServerResponse {
        HTTPSecrets(headers: configuration.headers, url: url).shown(reply)
    }
}
