import Crypto
import Foundation

/// Which callers may use the HTTP API.
public enum APIAccess: Sendable {
    /// Every caller that reaches the loopback interface and names this host in `Host`. Any other name comes from a page
    /// in a browser whose own domain was made to resolve to this host (DNS rebinding).
    case loopback
    /// Every caller that sends one of these tokens (RFC 6750, section 2.1).
    case tokens([APIToken])

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

    /// The token of a request's `Authorization`; nil for another text.
    func token(_ authorization: String?) -> APIToken? {
        guard let authorization, authorization.prefix(7).lowercased() == "bearer " else { return nil }
        return token(text: authorization.dropFirst(7).trimmingCharacters(in: .whitespaces))
    }

    /// The token with this text.
    func token(text: String) -> APIToken? {
        guard case .tokens(let tokens) = self else { return nil }
        // Compares digests, so that the time of the comparison reveals nothing about a token.
        let given = SHA256.hash(data: Data(text.utf8))
        return tokens.first { $0.texts.contains { SHA256.hash(data: Data($0.utf8)) == given } }
    }

    /// The token with this name.
    func token(named name: String) -> APIToken? {
        guard case .tokens(let tokens) = self else { return nil }
        return tokens.first { $0.name == name }
    }
}
