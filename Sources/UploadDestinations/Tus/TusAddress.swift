import Foundation
import Uploads

/// Where uploads are made, and where they may lie.
struct TusAddress: Sendable {
    /// The creation endpoint.
    let url: String
    private let base: URL
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

    /// - Throws: `misconfigured` for what is no http(s) URL.
    init(_ configuration: TusConfiguration) throws(UploadError) {
        url = configuration.url
        base = try Self.url(configuration.url)
        var origins: Set<Origin> = []
        for text in [configuration.url] + configuration.uploadOrigins {
            guard let origin = Origin(try Self.url(text)) else { throw Self.noURL(text) }
            origins.insert(origin)
        }
        self.origins = origins
    }

    /// What may be shown of the creation endpoint.
    var displayURL: String { DestinationReference.redact(url) }

    /// The URL of an upload as the server has told it, which may be relative (RFC 9110, section 10.2.2).
    /// - Throws: `invalidResponse` for what is no URL, `misconfigured` for one that lies where nobody allows it.
    func upload(at location: String) throws(UploadError) -> String {
        guard location.utf8.count <= TusLimits.urlBytesMaximum,
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
    /// - Throws: `misconfigured` for an upload that lies neither at the endpoint's origin nor at one of the configured ones.
    func check(_ upload: String) throws(UploadError) {
        if let origin = URL(string: upload).flatMap(Origin.init), origins.contains(origin) { return }
        throw UploadError(
            .misconfigured,
            "the upload lies at \(DestinationReference.redact(upload)), which is not of the origin of \(displayURL): correct "
                + "what the server takes for its own address, or add the origin to the destination's uploadOrigins")
    }

    private static func url(_ text: String) throws(UploadError) -> URL {
        guard let url = URL(string: text), Origin(url) != nil else { throw noURL(text) }
        return url
    }

    private static func noURL(_ text: String) -> UploadError {
        UploadError(.misconfigured, "\(DestinationReference.redact(text)) is no URL such as https://host/files/")
    }
}
