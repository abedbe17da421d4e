import Foundation

/// A URL that may be a webhook's, checked by its text alone.
struct WebhookAddress: Hashable, Sendable {
    /// Normalized, without fragment.
    let url: String
    /// In lower case; an IPv6 address without its brackets.
    let host: String

    /// The problem with a URL. Its text does not show the URL, which may hold a password.
    struct Problem: Error { var text: String }

    init(_ text: String) throws(Problem) {
        guard var url = URLComponents(string: text), let scheme = url.scheme?.lowercased(),
            scheme == "http" || scheme == "https", let host = url.host, !host.isEmpty
        else {
            throw Problem(text: "its url must be like https://host/path")
        }
        guard url.user == nil, url.password == nil else {
            throw Problem(text: "its url holds a user or password; the signature says who sends, so leave them out")
        }
        // The client finds the pinned address by the host's spelling in the URL.
        url.scheme = scheme
        url.host = host.lowercased()
        url.fragment = nil
        guard let whole = url.string else { throw Problem(text: "its url must be like https://host/path") }
        self.url = whole
        self.host = host.lowercased().trimmingCharacters(in: ["[", "]"])
    }
}
