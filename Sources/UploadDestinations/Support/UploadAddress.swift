import Foundation
import Uploads

/// Where uploads are made, and where they may lie.
struct UploadAddress: Sendable {
    /// Longest URL of an upload that is kept, in bytes: the state has to fit a message.
    static let uploadBytesMaximum = 8192

    /// Where they are made.
    let url: String
    private let origins: Set<Origin>

    private struct Origin: Hashable {
        let scheme: String
        let host: String
        let port: Int

        init?(_ url: URL) {
            guard let scheme = url.scheme?.lowercased(), ["http", "https"].contains(scheme),
                let host = url.host()?.lowercased(), !host.isEmpty
            else { return nil }
            self.scheme = scheme
            self.host = host
            port = url.port ?? (scheme == "https" ? 443 : 80)
        }
    }

    /// - Parameter others: origins besides that of the URL at which uploads may lie.
    /// - Throws: `misconfigured` for what is no http(s) URL.
    init(_ url: String, others: [String]) throws(UploadError) {
        self.url = url
        var origins: Set<Origin> = []
        for text in [url] + others {
            guard let origin = URL(string: text).flatMap(Origin.init) else {
                throw UploadError(
                    .misconfigured, "\(DestinationReference.redact(text)) is no URL such as https://host/files/")
            }
            origins.insert(origin)
        }
        self.origins = origins
    }

    /// What may be shown of the place where uploads are made.
    var displayURL: String { DestinationReference.redact(url) }

    /// The URL of an upload as the server has told it, which may be relative (RFC 9110, section 10.2.2).
    /// - Parameter request: what it was the answer to; nil is the place where uploads are made.
    /// - Throws: `invalidResponse` for what is no URL, `misconfigured` for one that lies where nobody allows it.
    func upload(at location: String, answering request: String? = nil) throws(UploadError) -> String {
        guard location.utf8.count <= Self.uploadBytesMaximum, let base = URL(string: request ?? url),
            let url = URL(string: location, relativeTo: base)?.absoluteURL
        else {
            throw UploadError(
                .invalidResponse,
                "\(displayURL) made an upload without a Location that can be used: look at the server",
                retry: .never)
        }
        let text = String(url.absoluteString.prefix { $0 != "#" })
        try check(text)
        return text
    }

    /// Whoever holds a message could name any place in it, which would then be sent the headers.
    /// - Throws: `misconfigured` for an upload that lies neither at the origin where it is made nor at one of the others.
    func check(_ upload: String) throws(UploadError) {
        if let origin = URL(string: upload).flatMap(Origin.init), origins.contains(origin) { return }
        throw UploadError(
            .misconfigured,
            "the upload lies at \(DestinationReference.redact(upload)), which is not of the origin of \(displayURL): correct "
                + "what the server takes for its own address, or add the origin to the destination's uploadOrigins")
    }
}
