import Foundation
import Uploads

/// The URL of requests for a bucket: an endpoint, with the bucket in the host or in the path.
struct S3Address: Hashable, Sendable {
    private let scheme: String
    var isSecure: Bool { scheme == "https" }
    /// Host with port; nil for AWS, whose hosts depend on the region.
    private let authority: String?
    private let basePath: String
    private let bucket: String
    private let addressing: S3Configuration.Addressing

    /// - Throws: `misconfigured` for an endpoint that is not a URL.
    init(_ configuration: S3Configuration) throws(UploadError) {
        bucket = configuration.bucket
        guard let endpoint = configuration.endpoint else {
            scheme = "https"
            authority = nil
            basePath = ""
            // The certificate for *.s3.REGION.amazonaws.com does not cover a name with another dot.
            addressing = configuration.addressing ?? (bucket.contains(".") ? .path : .virtual)
            return
        }
        guard let components = URLComponents(string: endpoint), let host = components.encodedHost, !host.isEmpty,
            let scheme = components.scheme?.lowercased(), ["http", "https"].contains(scheme),
            components.query == nil, components.fragment == nil, components.user == nil, components.hasValidPort
        else {
            throw UploadError(
                .misconfigured,
                "\(DestinationReference.redact(endpoint)) is no endpoint such as https://s3.example:9000")
        }
        self.scheme = scheme
        let isUsualPort = components.port == nil || components.port == (scheme == "https" ? 443 : 80)
        authority = isUsualPort ? host : "\(host):\(components.port ?? 0)"
        basePath =
            components.percentEncodedPath.hasSuffix("/")
            ? String(components.percentEncodedPath.dropLast()) : components.percentEncodedPath
        addressing = configuration.addressing ?? .path
    }

    /// The URL of a request, in the parts that a signature covers.
    struct Place: Hashable, Sendable {
        let scheme: String
        /// Host, with the port unless it is the scheme's default.
        let host: String
        /// Percent-encoded.
        let path: String

        /// The URL without a query: it may be shown.
        var url: String { "\(scheme)://\(host)\(path)" }
    }

    /// - Parameters:
    ///   - key: nil for the bucket itself.
    ///   - host: the host of a redirect; nil uses the configuration.
    func place(key: String?, region: String, host redirected: String? = nil) -> Place {
        var host = authority ?? Self.amazonHost(region)
        var path = basePath
        switch addressing {
        case .virtual: host = "\(bucket).\(host)"
        case .path: path += "/" + S3Encoding.path(bucket)
        }
        if let redirected {
            // A redirect's host contains the bucket, or has to be asked in the same way as before.
            host = redirected
            if redirected.hasPrefix("\(bucket).") { path = basePath }
        }
        if let key { path += "/" + S3Encoding.path(key) }
        return Place(scheme: scheme, host: host, path: path.isEmpty ? "/" : path)
    }

    /// The hosts of "Amazon Simple Storage Service endpoints and quotas" (AWS General Reference).
    private static func amazonHost(_ region: String) -> String {
        "s3.\(region).amazonaws.com" + (region.hasPrefix("cn-") ? ".cn" : "")
    }
}

extension S3Address {
    /// The domains of AWS's partitions.
    private static let amazonDomains = ["amazonaws.com", "amazonaws.com.cn", "amazonaws.eu"]

    /// Whether requests go to Amazon's own servers.
    var isAmazon: Bool { authority.map(Self.isAmazon) ?? true }

    /// Whether both buckets are at one endpoint. Amazon's servers copy between regions, too.
    func isOfSameStore(as other: S3Address) -> Bool {
        if isAmazon, other.isAmazon { return true }
        return scheme == other.scheme && authority == other.authority && basePath == other.basePath
    }

    /// Whether a redirect may lead to this host: Amazon's servers may redirect only within AWS, other servers anywhere.
    func allows(_ host: String) -> Bool { !isAmazon || Self.isAmazon(host) }

    /// - Parameter authority: a host, perhaps with a port.
    private static func isAmazon(_ authority: String) -> Bool {
        let host = authority.split(separator: ":").first.map { $0.lowercased() } ?? ""
        guard let domain = amazonDomains.first(where: { host.hasSuffix(".\($0)") }) else { return false }
        // Rented machines and load balancers have names in the same domain.
        return host.dropLast(domain.count + 1).split(separator: ".").contains {
            $0 == "s3" || $0.hasPrefix("s3-") || $0.hasPrefix("s3express-")
        }
    }
}
