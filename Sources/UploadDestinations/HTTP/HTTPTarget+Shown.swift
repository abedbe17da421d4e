import Foundation
import Uploads

extension HTTPTarget {
    var secrets: HTTPSecrets {
        HTTPSecrets(
            headers: configuration.headers, url: url,
            more: (configuration.form.map { Array($0.secretFields.values) } ?? [])
                + (configuration.digest.map { [$0.password] } ?? []))
    }

    /// What may be kept of an answer: chosen headers and the body's beginning, with everything blotted out that the server repeats of the URL's query, the configured headers and the form's secret fields.
    func shown(_ reply: HTTPReply) -> ServerResponse { secrets.shown(reply) }
}
