import AsyncHTTPClient
import Foundation
import NIOCore
import NIOHTTP1
import Synchronization
import Uploads

/// Sends requests to one server, and remembers its capabilities.
final class WebDAVClient: Sendable {
    /// Capabilities that the client has learned by trying: the answer to OPTIONS is often wrong.
    struct Known: Sendable {
        var answersPropfind = true
        var keepsProperties = true
        /// Whether the server compares ETags in `If`.
        var comparesTags = true
        /// Characters that the server takes literally in the Destination of a MOVE.
        var provenCharacters: Set<Unicode.Scalar> = []
        /// Escaped paths of folders that existed.
        var folders: Set<String> = []
    }

    let configuration: WebDAVConfiguration
    /// Ends in a slash.
    let base: String
    private let client: HTTPClient
    private let digest: HTTPDigestAuthentication?
    private let known = Mutex(Known())
    /// Folders that are being made, by their escaped paths.
    let making = Mutex<[String: Task<Bool, any Error>]>([:])

    /// - Throws: `misconfigured` for an invalid URL, or for a temporary folder that is not below it.
    init(_ configuration: WebDAVConfiguration, client: HTTPClient) throws(UploadError) {
        self.configuration = configuration
        self.client = client
        base = configuration.url
        digest = configuration.digest.map { HTTPDigestAuthentication(login: $0, session: HTTPDigestSession()) }
        let components = URLComponents(string: base)
        guard let scheme = components?.scheme?.lowercased(), ["http", "https"].contains(scheme),
            components?.host?.isEmpty == false, base.hasSuffix("/"), !base.contains("?"), !base.contains("#")
        else {
            throw UploadError(
                .misconfigured,
                "\(DestinationReference.redact(base)) is no URL of a folder such as https://host/path/")
        }
        if let folder = configuration.temporaryFolder, !WebDAVConfiguration.isFolder(folder) {
            throw UploadError(
                .misconfigured,
                "the temporaryFolder '\(folder)' is no path below the destination's url: give one such as .longshore, without a slash "
                    + "at its beginning or end")
        }
    }

    /// Whether another client speaks to the same server with the same credentials.
    func isOfSameServer(as other: WebDAVClient) -> Bool {
        func server(_ client: WebDAVClient) -> [String?] {
            let url = URLComponents(string: client.base)
            return [url?.scheme?.lowercased(), url?.host?.lowercased(), url?.port.map(String.init)]
        }
        return server(self) == server(other) && configuration.headers == other.configuration.headers
            && configuration.digest == other.configuration.digest && configuration.tls == other.configuration.tls
    }

    var facts: Known { known.withLock { $0 } }

    func learn(_ change: (inout Known) -> Void) { known.withLock { change(&$0) } }

    func url(_ path: String) -> String { base + path }

    /// The URL of a path as it may be shown.
    func displayURL(_ path: String) -> String { DestinationReference.redact(url(path)) }

    func request(
        _ method: HTTPMethod, _ path: String, headers: [(name: String, value: String)] = []
    ) throws(UploadError) -> HTTPClientRequest {
        try HTTPClientRequest(
            method, url(path), configured: configuration.headers, headers: headers, tls: configuration.tls)
    }

    /// Sends one request. Every status is returned, not thrown.
    /// - Parameters:
    ///   - path: escaped, below the destination's folder.
    ///   - xml: a small body, instead of a file's bytes.
    /// - Throws: `networkFailure`, `misconfigured` (TLS), `interrupted`, or the source's error.
    func send(
        _ method: HTTPMethod, _ path: String, headers: [(name: String, value: String)] = [], body: HTTPBody? = nil,
        xml: Data? = nil, keptBytesMaximum: Int = ServerResponse.bodyBytesMaximum
    ) async throws(UploadError) -> HTTPReply {
        var request = try request(method, path, headers: headers)
        if let xml {
            request.headers.replaceOrAdd(name: "content-type", value: "application/xml; charset=utf-8")
            request.body = .bytes(ByteBuffer(bytes: xml))
        }
        var exchange = exchange(path)
        exchange.keptBytesMaximum = keptBytesMaximum
        if keptBytesMaximum > ServerResponse.bodyBytesMaximum { exchange.restSeconds = nil }
        return try await exchange.run(request, body: body)
    }

    func exchange(_ path: String) -> HTTPExchange {
        var exchange = HTTPExchange(client: client, times: configuration.times, displayURL: displayURL(path))
        exchange.digest = digest
        return exchange
    }

    /// The part of an answer that may be kept and shown.
    func shown(_ reply: HTTPReply, of url: String) -> ServerResponse {
        HTTPSecrets(
            headers: configuration.headers, url: url, more: configuration.digest.map { [$0.password] } ?? []
        ).shown(reply)
    }
}
