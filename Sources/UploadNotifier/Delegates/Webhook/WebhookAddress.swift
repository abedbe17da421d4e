import Foundation
import HTTPCalls

/// A URL that may be a webhook's, checked by its text alone.
struct WebhookAddress: Hashable, Sendable {
    let origin: HTTPOrigin
    /// The value of the header `Host`.
    let authority: String
    /// Path and query, as a request names them.
    let target: String

    /// In lower case; an IPv6 address without its brackets.
    var host: String { origin.host }

    /// The problem with a URL. Its text does not show the URL, which may hold a password.
    struct Problem: Error { var text: String }

    init(_ text: String) throws(Problem) {
        guard let url = URLComponents(string: text), let scheme = url.scheme?.lowercased(),
            scheme == "http" || scheme == "https", let host = url.host, !host.isEmpty
        else {
            throw Problem(text: "its url must be like https://host/path")
        }
        guard url.user == nil, url.password == nil else {
            throw Problem(text: "its url holds a user or password; the signature says who sends, so leave them out")
        }
        let name = (url.encodedHost ?? host).lowercased()
        guard
            let origin = HTTPOrigin(
                isSecure: scheme == "https", host: name.trimmingCharacters(in: ["[", "]"]), port: url.port)
        else { throw Problem(text: "its url names a port that is none") }
        self.origin = origin
        authority = url.port.map { "\(name):\($0)" } ?? name
        let path = url.percentEncodedPath
        target = (path.isEmpty ? "/" : path) + (url.percentEncodedQuery.map { "?\($0)" } ?? "")
    }
}
