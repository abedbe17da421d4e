import Crypto
import Foundation

/// Which callers may use the HTTP API.
public enum APIAccess: Sendable {
    /// Fewest characters of a token.
    public static let tokenCountMinimum = 16

    /// Every caller that reaches the loopback interface and names this host in `Host`. Any other name comes from a page
    /// in a browser whose own domain was made to resolve to this host (DNS rebinding).
    case loopback
    /// Every caller that sends the token (RFC 6750, section 2.1).
    case token(String)

    /// Whether only processes of this host can reach an address.
    public static func isLoopback(_ host: String) -> Bool {
        let host = host.lowercased()
        guard host.hasPrefix("127.") else { return host == "localhost" || host == "::1" }
        let parts = host.split(separator: ".", omittingEmptySubsequences: false)
        return parts.count == 4 && parts.allSatisfy { UInt8($0) != nil }
    }

    /// Whether the `Host` of a request names this host.
    static func namesThisHost(_ authority: String?) -> Bool {
        guard var host = authority?[...] else { return false }
        if host.hasPrefix("["), let end = host.firstIndex(of: "]") {
            let rest = host[host.index(after: end)...]
            guard rest.isEmpty || rest.hasPrefix(":") else { return false }
            host = host[..<end].dropFirst()
        } else {
            host = host.prefix { $0 != ":" }
        }
        return isLoopback(String(host))
    }

    /// Compares digests, so that the time of the comparison reveals nothing about the token.
    static func isToken(_ token: String, _ authorization: String?) -> Bool {
        guard let authorization, authorization.prefix(7).lowercased() == "bearer " else { return false }
        let given = authorization.dropFirst(7).drop { $0 == " " }
        return SHA256.hash(data: Data(given.utf8)) == SHA256.hash(data: Data(token.utf8))
    }
}
