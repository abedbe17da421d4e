import Foundation
import Uploads

extension HTTPTarget {
    var secrets: HTTPSecrets {
        HTTPSecrets(
            headers: configuration.headers, url: url,
            more: (configuration.form.map { Array($0.secretFields.values) } ?? [])
                + (configuration.digest.map { [$0.password] } ?? []))
    }

    /// The part of an answer that may be kept: chosen headers and the beginning of the body. Texts that the server repeats of the URL's
    /// query, the configured headers and the form's secret fields are hidden.
    func shown(_ reply: HTTPReply) -> ServerResponse { secrets.shown(reply) }
}
