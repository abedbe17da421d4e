import Foundation
import Uploads

/// The URL at which uploads are made, and the origins at which they may be.
struct UploadAddress: Sendable {
    /// Longest URL of an upload that is kept, in bytes: the state has to fit into a message.
    static let uploadBytesMaximum = 8192

    /// The URL at which uploads are made.
    let url: String
    private let origins: Set<Origin>

    private struct Origin: Hashable {
        let scheme: String
        let host: String
        let port: Int

        init?(_ url: URL) {
            guard let scheme = url.scheme?.lowercased(), ["http", "https"].contains(scheme),
                let host = url.host()?.lowercased(), !host.isEmpty, url.hasValidPort
            else { return nil }
            self.scheme = scheme
            self.host = host
            port = url.port ?? (scheme == "https" ? 443 : 80)
        }
    }

    /// - Parameter others: origins at which uploads may be, besides that of the URL.
    /// - Throws: `misconfigured` for a URL other than http(s).
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

    /// The URL as it may be shown.
    var displayURL: String { DestinationReference.redact(url) }

    /// The URL of an upload from a `Location`, which may be relative (RFC 9110, section 10.2.2).
    /// - Parameter request: the URL of the request that was answered; nil is the URL at which uploads are made.
    /// - Throws: `invalidResponse` for an invalid URL, `misconfigured` for one at an origin that is not allowed.
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

    /// Checks the origin of an upload. A forged message could name any server, which would then be sent the configured headers.
    /// - Throws: `misconfigured` for an upload that is neither at the origin where it is made nor at one of the others.
    func check(_ upload: String) throws(UploadError) {
        if let origin = URL(string: upload).flatMap(Origin.init), origins.contains(origin) { return }
        throw UploadError(
            .misconfigured,
            "the upload lies at \(DestinationReference.redact(upload)), which is not of the origin of \(displayURL): correct "
                + "the address that the server takes for its own, or add the origin to the destination's uploadOrigins")
    }
}
