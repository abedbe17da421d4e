import Foundation
import Uploads

/// Texts that must not be shown, wherever a server repeats them.
struct HTTPSecrets: Sendable {
    private let texts: [String]

    /// - Parameters:
    ///   - headers: what is configured; values of at least 8 bytes count.
    ///   - url: its query, the values in it, and its password.
    init(headers: [String: String], url: String) {
        var secrets = headers.values.filter { $0.utf8.count >= 8 }
        if let query = url.split(separator: "?", maxSplits: 1).dropFirst().first {
            let query = String(query.prefix { $0 != "#" })
            secrets.append(query)
            for pair in query.split(separator: "&") {
                let value = String(pair.split(separator: "=", maxSplits: 1).last ?? "")
                secrets += [value, value.removingPercentEncoding ?? ""].filter { $0.utf8.count >= 8 }
            }
        }
        if let components = URLComponents(string: url) {
            secrets += [components.percentEncodedPassword, components.password].compactMap { $0 }
        }
        texts = Set(secrets.filter { !$0.isEmpty }).sorted { $0.utf8.count > $1.utf8.count }
    }

    /// What may be kept of an answer: chosen headers and the body's beginning, with every secret blotted out.
    func shown(_ reply: HTTPReply) -> ServerResponse {
        var response = reply.response
        guard !texts.isEmpty else { return response }
        response.headers = response.headers.mapValues(blotted)
        response.body = response.body.map(blotted)
        return response
    }

    private func blotted(_ text: String) -> String {
        texts.reduce(text) { text, secret in
            // XML and HTML repeat a query with its ampersands escaped.
            text.replacing(secret, with: "[hidden]")
                .replacing(secret.replacing("&", with: "&amp;"), with: "[hidden]")
        }
    }
}
