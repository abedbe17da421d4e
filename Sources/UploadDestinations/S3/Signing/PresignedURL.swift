import Foundation
import NIOHTTP1

/// A URL with a Signature Version 4 in its query, made by this driver or by another program. The URL is a credential, so it is shown
/// without its query.
struct PresignedURL: Hashable, Sendable {
    let accessKeyID: String
    let region: String
    let service: String
    /// Names in lower case. A client that uses the URL has to send these headers.
    let signedHeaders: Set<String>
    let signedAt: Date
    /// When the server stops accepting the URL; a request that began earlier is completed.
    let expiresAt: Date

    private let shownURL: String
    private let host: String
    private let path: String
    private let query: [SignableRequest.Parameter]
    private let signature: String

    /// - Returns: nil for a text that is not a URL, is not signed in this way, or has an inconsistent signature.
    init?(_ url: String) {
        guard let scheme = url.range(of: "://") else { return nil }
        let whole = url[scheme.upperBound...].prefix { $0 != "#" }
        guard let mark = whole.firstIndex(of: "?") else { return nil }
        let place = whole[..<mark]
        var authority = String(place.prefix { $0 != "/" })
        path = String(place.dropFirst(authority.count))
        if let user = authority.lastIndex(of: "@") { authority = String(authority[authority.index(after: user)...]) }
        shownURL = url[..<scheme.upperBound] + authority + path
        let port = ["http": ":80", "https": ":443"][url[..<scheme.lowerBound].lowercased()]
        host = port.map { authority.hasSuffix($0) ? String(authority.dropLast($0.count)) : authority } ?? authority
        guard !host.isEmpty else { return nil }

        var query: [SignableRequest.Parameter] = []
        for pair in whole[whole.index(after: mark)...].split(separator: "&") {
            let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard let name = S3Encoding.decode(parts[0]) else { return nil }
            guard parts.count == 2 else {
                query.append(.init(name))
                continue
            }
            guard let value = S3Encoding.decode(parts[1]) else { return nil }
            query.append(.init(name, value))
        }
        func value(_ name: String) -> String? { query.first { $0.name == name }?.value }
        let scope = value("X-Amz-Credential")?.split(separator: "/").map(String.init) ?? []
        guard value("X-Amz-Algorithm") == SigV4Signer.algorithm, scope.count >= 5, scope.last == "aws4_request",
            let date = value("X-Amz-Date"), let signedAt = SigV4Date.parse(date),
            date.hasPrefix(scope[scope.count - 4]),
            let seconds = value("X-Amz-Expires").flatMap({ Int($0) }), SigV4Signer.presignedSeconds.contains(seconds),
            let names = value("X-Amz-SignedHeaders"), let signature = value("X-Amz-Signature")
        else { return nil }
        // The key ids of some servers contain slashes.
        accessKeyID = scope.dropLast(4).joined(separator: "/")
        region = scope[scope.count - 3]
        service = scope[scope.count - 2]
        signedHeaders = Set(names.lowercased().split(separator: ";").map(String.init))
        self.signedAt = signedAt
        expiresAt = signedAt + TimeInterval(seconds)
        self.signature = signature
        self.query = query.filter { $0.name != "X-Amz-Signature" }
    }

    func isExpired(at now: Date) -> Bool { now >= expiresAt }

    /// Whether these credentials made the signature, for this method and these headers.
    /// - Parameter headers: the headers that are sent besides `Host`; unsigned ones do not matter.
    func isSigned(by credentials: AWSCredentials, method: String, headers: HTTPHeaders = HTTPHeaders()) -> Bool {
        guard accessKeyID == credentials.accessKeyID,
            signedHeaders.allSatisfy({ $0 == "host" || headers.contains(name: $0) })
        else { return false }
        // Some programs sign this header, others put it into the query.
        let name = "x-amz-content-sha256"
        let hash =
            signedHeaders.contains(name)
            ? headers.first(name: name) : query.first { $0.name.lowercased() == name }?.value
        let canonical = CanonicalRequest(
            SignableRequest(method: method, host: host, path: path, query: query, headers: headers),
            payload: PayloadHash(header: hash), only: signedHeaders)
        return SigV4Signer(region: region, service: service)
            .signature(of: canonical, secret: credentials.secretAccessKey, at: SigV4Date(signedAt)) == signature
    }
}

extension PresignedURL: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    var description: String { shownURL }
    var debugDescription: String { description }
    var customMirror: Mirror { Mirror(self, children: ["url": shownURL]) }
}
