import AsyncHTTPClient
import Foundation
import NIOCore
import NIOHTTP1
import NIOSSL
import Uploads

/// Where a job's one request goes, and how it may be shown.
struct HTTPTarget: Sendable {
    let job: UploadJob
    let configuration: HTTPConfiguration
    /// Whether the URL itself is the credential.
    let isPresigned: Bool
    let url: String

    /// - Throws: `misconfigured` for what is no http(s) URL, `rejected` for a key that is no path.
    init(_ job: UploadJob, _ configuration: HTTPConfiguration) throws(UploadError) {
        self.job = job
        self.configuration = configuration
        switch job.destination {
        case .url(let url):
            self.url = url
            isPresigned = url.contains("?")
        case .named(let name, let key):
            guard let base = configuration.url else {
                throw UploadError(.misconfigured, "the destination '\(name)' has no url: add it to the configuration")
            }
            url = try Self.append(key, to: base)
            isPresigned = false
        }
        guard let components = URLComponents(string: url), ["http", "https"].contains(components.scheme?.lowercased()),
            components.host?.isEmpty == false
        else {
            throw UploadError(.misconfigured, "\(DestinationReference.redact(url)) is no URL such as https://host/path")
        }
    }

    /// What may be shown.
    var displayURL: String { DestinationReference.redact(url) }

    func request(
        _ method: HTTPMethod, _ condition: WriteCondition = .none
    ) throws(UploadError) -> HTTPClientRequest {
        var request = HTTPClientRequest(url: url)
        request.method = method
        for (name, value) in configuration.headers { request.headers.add(name: name, value: value) }
        if method == .PUT {
            request.headers.replaceOrAdd(name: "content-type", value: job.contentType)
            for (name, value) in job.properties.headers { request.headers.replaceOrAdd(name: name, value: value) }
        }
        switch condition {
        case .none: break
        case .absent: request.headers.replaceOrAdd(name: "if-none-match", value: "*")
        case .unchanged(let etag): request.headers.replaceOrAdd(name: "if-match", value: etag)
        }
        request.tlsConfiguration = try configuration.certificateAuthorityFile.map(TLSConfiguration.trusting)
        return request
    }

    /// What was stored, as far as the answer tells.
    /// - Parameter sent: the size and digests of what was sent; nil when the answer describes what lies there.
    func object(_ response: ServerResponse, of sent: (size: Int64, digests: Digests)?) -> StoredObject {
        StoredObject(
            location: displayURL, etag: response.headers["etag"], version: response.headers["x-amz-version-id"],
            size: sent?.size ?? response.headers["content-length"].flatMap { Int64($0) },
            digests: sent?.digests ?? Self.digests(response.headers))
    }

    private static func append(_ key: String, to base: String) throws(UploadError) -> String {
        let components = key.split(separator: "/", omittingEmptySubsequences: false)
        guard !components.contains(where: { ["", ".", ".."].contains($0) }) else {
            throw UploadError(
                .rejected,
                "'\(key)' is no key for a URL: use a relative path without '.', '..', empty components or a slash at its end"
            )
        }
        // RFC 3986, section 2.3: everything else is escaped, '+' too, which some servers take for a space.
        let unreserved = CharacterSet(
            charactersIn: "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~")
        let path = components.map { String($0).addingPercentEncoding(withAllowedCharacters: unreserved) ?? "" }
            .joined(separator: "/")
        let end = base.firstIndex { $0 == "?" || $0 == "#" } ?? base.endIndex
        let slash = base[..<end].hasSuffix("/") ? "" : "/"
        return base[..<end] + slash + path + base[end...]
    }

    static func digests(_ headers: [String: String]) -> Digests {
        var digests = Digests()
        if let value = headers["x-amz-checksum-crc64nvme"], let data = Data(base64Encoded: value) {
            digests.crc64nvme = Hexadecimal.text(of: data)
        }
        for item in (headers["repr-digest"] ?? "").split(separator: ",") {
            let pair = item.trimmingCharacters(in: .whitespaces).split(separator: "=", maxSplits: 1)
            if pair.first == "sha-256",
                let value = pair.last?.trimmingCharacters(in: ["="]).trimmingCharacters(in: [":"]),
                let data = Data(base64Encoded: value)
            {
                digests.sha256 = Hexadecimal.text(of: data)
            }
        }
        return digests
    }
}
