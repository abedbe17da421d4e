import Foundation
import Uploads

extension HTTPTarget {
    /// What may be kept of an answer: chosen headers and the body's beginning, with everything blotted out that the server repeats of the URL's query and the configured headers.
    func shown(_ reply: HTTPReply) -> ServerResponse {
        var response = reply.response
        let secrets = self.secrets
        guard !secrets.isEmpty else { return response }
        func blotted(_ text: String) -> String {
            secrets.reduce(text) { text, secret in
                // XML and HTML repeat a query with its ampersands escaped.
                text.replacing(secret, with: "[hidden]")
                    .replacing(secret.replacing("&", with: "&amp;"), with: "[hidden]")
            }
        }
        response.headers = response.headers.mapValues(blotted)
        response.body = response.body.map(blotted)
        return response
    }
}
