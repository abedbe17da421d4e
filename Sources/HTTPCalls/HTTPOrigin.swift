/// The server to which a connection leads: requests to the same origin can share connections.
package struct HTTPOrigin: Hashable, Sendable {
    package let isSecure: Bool
    /// A name or an address, without brackets. TLS verifies it.
    package let host: String
    /// 1 to 65535.
    package let port: Int
    /// The address to which to connect, as text; nil: the host's name is looked up.
    package var address: String?

    /// - Parameter port: nil for the scheme's own.
    /// - Returns: nil for a port that is none.
    package init?(isSecure: Bool, host: String, port: Int?) {
        let port = port ?? (isSecure ? 443 : 80)
        guard (1...65_535).contains(port), !host.isEmpty else { return nil }
        self.isSecure = isSecure
        self.host = host
        self.port = port
    }

    /// - Parameter authority: a host, and its port where that is not the scheme's own: `s3.example:9000`, `[::1]:9000`.
    package init?(scheme: String, authority: String) {
        var host = authority[...]
        var port: Int?
        if let colon = authority.lastIndex(of: ":"), !authority[colon...].contains("]") {
            host = authority[..<colon]
            port = Int(authority[authority.index(after: colon)...])
            guard port != nil else { return nil }
        }
        if host.hasPrefix("["), host.hasSuffix("]") { host = host.dropFirst().dropLast() }
        self.init(isSecure: scheme == "https", host: String(host), port: port)
    }
}
